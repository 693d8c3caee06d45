// Inputs on which a worker died, as findings.
#pragma once

#include <filesystem>
#include <string>

#include "norm/kernel.h"

namespace normcheck::fuzz {

// Decodes every libFuzzer artifact of dir (crash-, timeout-, oom-, leak-) as the target of op does, stores one finding per
// kind and formats in findings_dir and removes the artifact; slow-unit- files are dropped. An artifact whose finding
// cannot be written stays. Answers how many deaths there were. The kernel is not run: it would take this process along.
std::size_t HarvestArtifacts(const std::filesystem::path& dir, const std::string& findings_dir, const norm::Kernel& kernel,
                             norm::Op op);

}  // namespace normcheck::fuzz

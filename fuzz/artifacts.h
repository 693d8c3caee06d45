// Inputs on which a worker died, as findings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norm/kernel.h"

namespace normcheck::fuzz {

// Whose inputs they are, and where they go.
struct DeathPlace {
  const norm::Kernel& kernel;
  norm::Op op;
  std::string findings_dir;
  std::string log;  // of the worker; what it says of the death goes into the finding
};

// Decodes every libFuzzer artifact of dir (crash-, oom-, leak-) as the target of op does, stores one finding per
// kind and formats and removes the artifact; slow-unit- and other files are dropped. An artifact whose finding cannot be written stays.
// Answers how many deaths there were. The kernel is not run: it would take this process along.
std::size_t HarvestArtifacts(const std::filesystem::path& dir, const DeathPlace& place);

// The same for one input. False where the finding cannot be written.
bool HarvestDeath(std::span<const std::uint8_t> input, std::string_view fault, const DeathPlace& place);

// The input that a file holds, empty where there is no such file.
std::vector<std::uint8_t> InputIn(const std::filesystem::path& file);

// True where the finding that HarvestDeath would store is there already.
bool IsKnownDeath(std::span<const std::uint8_t> input, std::string_view fault, const DeathPlace& place);

}  // namespace normcheck::fuzz

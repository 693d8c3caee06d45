// Reads what a user names as an input: regular files of a bounded size alone.
#pragma once

#include <cstddef>
#include <string>

#include "reference/result.h"

namespace normcheck::reference {

// The whole file. Errors say why and nothing else ("is a folder", "No such file or directory"): the caller names file and mend.
// Devices, pipes and sockets are refused, since they may never end or never begin.
Result<std::string> ReadInputFile(const std::string& path, std::size_t most_bytes);

}  // namespace normcheck::reference

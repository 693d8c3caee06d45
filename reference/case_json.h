// Case files: JSON of schema normcheck/case/1, read strictly and written in hex.
#pragma once

#include <string>
#include <string_view>

#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::reference {

// Errors are one line "ORIGIN: field: what is wrong; how to mend it". Unknown and duplicate fields are refused by name.
Result<Case> ParseCase(std::string_view json, std::string_view origin);
Result<Case> ReadCaseFile(const std::string& path);

// One JSON object with every number in hex, ends in a newline. ParseCase(CaseText(c)) == c.
std::string CaseText(const Case& c);

// Writes text to path by a temporary file in the same folder, fsync and rename: the file is whole or absent.
Result<std::string> WriteFileAtomically(const std::string& path, std::string_view text);

}  // namespace normcheck::reference

// Case files: JSON of schema normcheck/case/1, read strictly and written in hex.
#pragma once

#include <string>
#include <string_view>

#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::reference {

// Every field is needed except variant ("standard"), gamma, beta, pitch (= width), y_pitch (= pitch), expected and source.
// "pitch" is that of x, and of y too where "y_pitch" does not say otherwise. Numbers of the arrays and epsilon are strings.
// Errors are one line of printable ASCII, "ORIGIN: field: what is wrong; how to mend it"; the first fault is named.
// Unknown and duplicate fields are refused by name, as are "residual" and "dy", which later versions will read.
Result<Case> ParseCase(std::string_view json, std::string_view origin);

// The file's text as ParseCase reads it; the origin is the path. Files beyond 128 MiB are refused.
Result<Case> ReadCaseFile(const std::string& path);

// One JSON object with every number in hex, ends in a newline. ParseCase(CaseText(c)) == c.
std::string CaseText(const Case& c);

// Writes text to path by a temporary file in the same folder, fsync and rename: the file is whole, or as it was before.
// Gives the path. Errors name the path and the system's reason; nothing is left behind.
Result<std::string> WriteFileAtomically(const std::string& path, std::string_view text);

}  // namespace normcheck::reference

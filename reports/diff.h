// Two runs side by side: commits, compilers, machines or kernels.
#pragma once

#include <string>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

// Everything that page and Markdown show, as values for a template. Kernels are paired by name; where the reports share no
// name, by their order. Requires: both read by ReadReport as whole reports.
// Errors, "FILE: FIELD: ...": another mode or seed (the rows would be others), or no two kernels to pair.
reference::Result<Json> DiffValues(const Json& before, const std::string& before_file, const Json& after, const std::string& after_file);

std::string DiffMarkdown(const Json& values);
std::string DiffPage(const Json& values);

}  // namespace normcheck::reports

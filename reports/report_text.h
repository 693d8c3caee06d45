// A report for a terminal and for a pull-request comment.
#pragma once

#include <string>

#include "reports/summary.h"

namespace normcheck::reports {

// A sentence per kernel: outcome, share asked, laws. Then a line per kernel and one for each of its plain formats, in columns. At most
// 80 wide.
std::string ReportTable(const Json& report);

// Markdown: sentence per kernel, broken laws, families x kernels, shares by format; under 65,536 characters for up to a hundred kernels.
std::string ReportMarkdown(const Json& report);

}  // namespace normcheck::reports

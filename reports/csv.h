// A report as CSV (RFC 4180): a header, then one line a cell.
#pragma once

#include <string>

#include "reports/report.h"

namespace normcheck::reports {

// Figures as they stand in report.json; fields that are null there are empty.
std::string ReportCsv(const Json& report);

}  // namespace normcheck::reports

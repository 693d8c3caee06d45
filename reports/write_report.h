// Puts a report on disk: the whole folder appears at once, or not at all.
#pragma once

#include <string>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

struct WrittenReport {
  std::string page;      // DIR/index.html
  bool plotted = false;  // gnuplot was there
};

// Nothing when `dir` may become a report: it does not exist and its parent can be written, is empty, or holds an earlier report.
// Errors: a file, a folder of something else, a parent that cannot be made or written.
reference::Result<bool> CheckTarget(const std::string& dir);

// report.json, report.md, index.html and worst/*.case.json go to a folder beside `dir`, which then takes its name; an
// earlier report is replaced. On an error nothing of it is left behind, and an earlier report stays.
reference::Result<WrittenReport> WriteReport(const Report& report, const Json& json, const std::string& dir);

}  // namespace normcheck::reports

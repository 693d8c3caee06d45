// The files of a report, all made from its JSON.
#pragma once

#include "reports/draft.h"

namespace normcheck::reports {

// Writes report.json, report.md, report.csv and index.html. True where gnuplot drew the page's charts, false where it is missing.
reference::Result<bool> WriteReportFiles(const ReportDraft& draft, const Json& report);

}  // namespace normcheck::reports

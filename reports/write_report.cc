// Writes the files of a report.
#include "reports/write_report.h"

#include "reference/visible_text.h"
#include "reports/csv.h"
#include "reports/page.h"
#include "reports/plot.h"
#include "reports/report_text.h"

namespace normcheck::reports {

using reference::Error;
using reference::Result;

Result<bool> WriteReportFiles(const ReportDraft& draft, const Json& report) {
  const Charts charts = PlotErrors(report);
  const std::pair<const char*, std::string> files[] = {{"report.json", reference::JsonText(report, 1) + "\n"},
                                                       {"report.md", ReportMarkdown(report)},
                                                       {"report.csv", ReportCsv(report)},
                                                       {"index.html", ReportPage(report, charts)}};
  for (const auto& [name, text] : files) {
    const Result<bool> written = draft.Write(name, text);
    if (!written.ok()) return Error{written.error()};
  }
  return charts.has_value();
}

}  // namespace normcheck::reports

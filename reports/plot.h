// The report's charts, drawn by gnuplot as SVG.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/report.h"

namespace normcheck::reports {

struct Chart {
  std::string id;       // prefix of the ids inside the SVG
  std::string title;
  std::string caption;
  std::string script;   // the gnuplot program
  std::string svg;      // the SVG element alone, ready to stand in a page; points have a <title>, shown where the mouse rests
};

// How the charts show the kernel at this place of the report.
struct SeriesStyle {
  std::string_view colour;
  std::string_view mark;  // the same shape as text, for a legend
  int point_type;         // gnuplot's
};
SeriesStyle StyleOf(std::size_t kernel);

// Error along each curve of the report with the promised bound as a dashed line, and the distribution of errors. Charts
// that would be empty are left out. The same report gives the same programs.
std::vector<Chart> PlanCharts(const Json& report);

// The charts with their SVG; nothing where gnuplot is missing or failed.
std::optional<std::vector<Chart>> PlotErrors(const Json& report);

}  // namespace normcheck::reports

// The report as one HTML file that opens offline: the template in page/ filled from the report's JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/plot.h"
#include "reports/report.h"

namespace normcheck::reports {

// Template, stylesheet and script, embedded by CMake from page/ (cmake/embed.cmake).
extern const char* const kPageTemplate;
extern const char* const kPageStyle;
extern const char* const kPageScript;
extern const char* const kDiffTemplate;

// What PlotErrors gave; nothing: the page then says that gnuplot was missing.
using Charts = std::optional<std::vector<Chart>>;

std::string ReportPage(const Json& report, const Charts& charts);

// What the template is filled with; separate so that tests can look at it.
Json PageValues(const Json& report, const Charts& charts);

}  // namespace normcheck::reports

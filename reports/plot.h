// The report's chart: worst error by family, drawn by gnuplot as SVG.
#pragma once

#include <optional>
#include <string>

#include "reports/report.h"

namespace normcheck::reports {

// The gnuplot program; the same report gives the same text.
std::string PlotScript(const Json& report);

// What gnuplot draws of a program: the SVG element alone, ready to stand in a page; nothing where gnuplot is missing or failed.
std::optional<std::string> DrawSvg(const std::string& program);

std::optional<std::string> PlotErrors(const Json& report);

}  // namespace normcheck::reports

// Writes a gnuplot program for each chart of a report.
#include "reports/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/gnuplot.h"
#include "reports/summary.h"

namespace normcheck::reports {
namespace {

// Colours that stand out on white and on dark alike, and stay apart for colour-blind readers together with the marks.
constexpr std::array<std::string_view, 7> kColours = {"#2f7fc1", "#c8780a", "#1b9a72", "#c0589a", "#d0533a", "#6f78d8", "#8a8a3a"};
constexpr std::array<std::pair<std::string_view, int>, 5> kMarks = {{{"●", 6}, {"■", 4}, {"▲", 8}, {"▼", 10}, {"◆", 12}}};

constexpr double kTop = 1e9;     // infinity counts as 2^(emax+1): such errors would flatten all others
constexpr double kBottom = 0.1;

constexpr const char* kSettings = R"(set terminal svg size 560,360 dynamic name "{0}" font "sans-serif,15"
set encoding utf8
set border 3 lw 0.6
set grid ytics lw 0.4 lc rgb "#9aa4b0"
set logscale y
set format y "10^{{%L}}"
set tics nomirror
set ylabel "{1}"
set xlabel "{2}"
unset key
)";

constexpr const char* kHalfUlpAcross = "set arrow 1 from graph 0, first 0.5 to graph 1, first 0.5 nohead dt 2 lw 1 lc rgb \"#7a8594\"\n";
constexpr const char* kHalfUlpUpwards = "set arrow 1 from first 0.5, graph 0 to first 0.5, graph 1 nohead dt 2 lw 1 lc rgb \"#7a8594\"\n";

// What is written about an axis of curves.
struct Axis {
  const char* id;
  const char* title;
  const char* caption;
  const char* label;
  const char* settings;
};

constexpr std::array<Axis, 3> kAxes = {{
    {"offset-over-sigma", "Error against offset/sigma",
     "Rows of 256 around an offset: what cancels when the mean is subtracted. A one-pass variance climbs with the square.",
     "offset / sigma", "set logscale x 2\nset format x \"2^{%L}\"\nset xtics 1,16\n"},
    {"width", "Error against width", "Rows of mean 0 and variance 1: sums grow longer, and vector tails come and go beside powers of two.",
     "width", "set logscale x 2\nset format x \"%.0f\"\nset xtics 2,4\n"},
    {"var-over-epsilon", "Error against var/epsilon",
     "Rows of 64 whose variance crosses epsilon: a misplaced or changed epsilon shows as a rise to the left or around 1.",
     "var / epsilon", "set logscale x 2\nset format x \"2^{%L}\"\nset xtics 2**(-20),32\n"},
}};

// gnuplot prefixes ids inside the SVG with a name of letters, digits and underscores.
std::string NameOf(std::string id) {
  std::ranges::replace(id, '-', '_');
  return id;
}

std::string Quoted(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '"' || c == '\\' || c == '\n' || c == '\''; }, '_');
  return "\"" + text + "\"";
}

std::string AxisText(double at) {
  const double power = std::log2(at);
  return power == std::floor(power) && (power < 0 || power > 12) ? fmt::format("2^{:.0f}", power) : fmt::format("{:.0f}", at);
}

const Json* FindCurve(const Json& kernel, std::string_view id) {
  const auto curves = kernel.find("curves");
  if (curves == kernel.end()) return nullptr;
  const auto found = std::ranges::find_if(*curves, [&](const Json& curve) { return curve.at("id") == id; });
  return found == curves->end() ? nullptr : &*found;
}

// x, error, hover text; a gap where nothing was judged.
std::string ErrorLine(const std::string& name, const Json& point, const char* axis) {
  const Json& error = point.at("max_row_ulp");
  const Json& bound = point.at("bound_row_ulp");
  if (!error.is_number()) return "\n";
  const double at = point.at("at").get<double>();
  const std::string promise = bound.is_number() ? fmt::format(", promised {}", UlpText(bound.get<double>())) : ", nothing promised";
  const std::string hover = fmt::format("{}: {} row ulps{} ({} {})", name, UlpText(error.get<double>()), promise, axis, AxisText(at));
  return fmt::format("{} {} {}\n", at, std::clamp(error.get<double>(), kBottom, kTop), Quoted(hover));
}

std::string BoundLine(const Json& point) {
  const Json& bound = point.at("bound_row_ulp");
  if (!bound.is_number()) return "\n";
  return fmt::format("{} {}\n", point.at("at").get<double>(), std::clamp(bound.get<double>(), kBottom, kTop));
}

// Line and marks of data block $e<k>; the marks carry the hover text of column 3.
std::string ErrorSeries(std::size_t k) {
  const SeriesStyle style = StyleOf(k);
  return fmt::format("$e{0} using 1:2 with lines lw 1.5 lc rgb \"{1}\", $e{0} using 1:2:3 with labels hypertext noenhanced point pt {2} ps 0.5 lc rgb \"{1}\"",
                     k, style.colour, style.point_type);
}

Chart CurveChart(const Json& report, const Axis& axis) {
  Chart chart{axis.id, axis.title, axis.caption, {}, {}};
  std::string data, series;
  double top = 10;
  std::size_t k = 0;
  for (const Json& kernel : report.at("kernels")) {
    const Json* curve = FindCurve(kernel, axis.id);
    std::string errors, bounds;
    for (const Json& point : curve == nullptr ? Json::array() : curve->at("points")) {
      errors += ErrorLine(kernel.at("name").get<std::string>(), point, axis.label);
      bounds += BoundLine(point);
      if (point.at("max_row_ulp").is_number()) top = std::max(top, 10 * point.at("max_row_ulp").get<double>());
    }
    if (errors.find_first_not_of('\n') != std::string::npos) {
      data += fmt::format("$e{} << EOD\n{}EOD\n$b{} << EOD\n{}EOD\n", k, errors, k, bounds);
      series += (series.empty() ? "plot " : ", ") + ErrorSeries(k);
      if (bounds.find_first_not_of('\n') != std::string::npos)
        series += fmt::format(", $b{} using 1:2 with lines lw 1.8 dt 3 lc rgb \"{}\"", k, StyleOf(k).colour);
    }
    ++k;
  }
  if (series.empty()) return chart;
  chart.script = fmt::format(kSettings, NameOf(axis.id), "worst row ulps", axis.label) + axis.settings + kHalfUlpAcross +
                 fmt::format("set yrange [{}:{}]\n", kBottom, std::min(top, kTop)) + data + series + "\n";
  return chart;
}

// Outputs by octave of their row ulps, over all cells of a kernel.
std::map<int, std::uint64_t> Octaves(const Json& kernel) {
  std::map<int, std::uint64_t> octaves;
  for (const Json& cell : kernel.at("cells")) {
    const auto found = cell.find("row_ulp_octaves");
    if (found == cell.end()) continue;
    for (const auto& [octave, count] : found->items()) octaves[std::stoi(octave)] += count.get<std::uint64_t>();
  }
  return octaves;
}

// For each power of two from 2^-4 on: the share of outputs that are off by as much or more.
std::string TailLines(const std::string& name, const std::map<int, std::uint64_t>& octaves) {
  std::uint64_t whole = 0;
  for (const auto& [octave, count] : octaves) whole += count;
  std::uint64_t beyond = 0;
  std::string lines;
  for (auto entry = octaves.rbegin(); entry != octaves.rend() && entry->first >= -4; ++entry) {
    beyond += entry->second;
    const double share = static_cast<double>(beyond) / static_cast<double>(whole);
    const double edge = std::ldexp(1, entry->first);
    if (edge > kTop) continue;
    const std::string hover = fmt::format("{}: {} of {} outputs off by {:.4g} row ulps or more", name, ShareText(beyond, whole), CountText(whole), edge);
    lines = fmt::format("{} {:.8g} {}\n", edge, share, Quoted(hover)) + lines;
  }
  return lines;
}

Chart DistributionChart(const Json& report) {
  Chart chart{"distribution", "Distribution of errors",
              "Share of all outputs of the sweep that are off by so many row ulps or more. Right of the dashed line an output cannot be the nearest.",
              {}, {}};
  std::string data, series;
  std::size_t k = 0;
  for (const Json& kernel : report.at("kernels")) {
    const std::string lines = TailLines(kernel.at("name").get<std::string>(), Octaves(kernel));
    if (!lines.empty()) {
      data += fmt::format("$e{} << EOD\n{}EOD\n", k, lines);
      series += (series.empty() ? "plot " : ", ") + ErrorSeries(k);
    }
    ++k;
  }
  if (series.empty()) return chart;
  chart.script = fmt::format(kSettings, NameOf(chart.id), "share of outputs", "row ulps or more") +
                 "set logscale x 2\nset format x \"2^{%L}\"\nset xtics 2**(-4),16\nset xrange [2**(-4):*]\nset yrange [*:1]\n" + kHalfUlpUpwards +
                 data + series + "\n";
  return chart;
}

}  // namespace

SeriesStyle StyleOf(std::size_t kernel) {
  const auto& [mark, type] = kMarks[kernel / kColours.size() % kMarks.size()];
  return {kColours[kernel % kColours.size()], mark, type};
}

std::vector<Chart> PlanCharts(const Json& report) {
  std::vector<Chart> charts;
  for (const Axis& axis : kAxes) charts.push_back(CurveChart(report, axis));
  charts.push_back(DistributionChart(report));
  std::erase_if(charts, [](const Chart& chart) { return chart.script.empty(); });
  return charts;
}

std::optional<std::vector<Chart>> PlotErrors(const Json& report) {
  std::vector<Chart> charts = PlanCharts(report);
  for (Chart& chart : charts) {
    const std::optional<std::string> svg = DrawSvg(chart.script, chart.id);
    if (!svg) return std::nullopt;
    chart.svg = *svg;
  }
  return charts;
}

}  // namespace normcheck::reports

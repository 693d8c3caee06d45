// The charts' programs, the SVG that pages take in, and the page of the kill matrix.
#include "reports/page.h"

#include <gtest/gtest.h>

#include "reports/gnuplot.h"
#include "reports/kill_page.h"

namespace normcheck::reports {
namespace {

Json KernelWith(const std::string& name, const Json& octaves, const Json& points) {
  const Json cell = {{"row_ulp_octaves", octaves}};
  const Json curve = {{"id", "width"}, {"points", points}};
  return {{"name", name}, {"cells", Json::array({cell})}, {"curves", Json::array({curve})}};
}

Json Point(double at, const Json& error, const Json& bound) {
  return {{"at", at}, {"max_row_ulp", error}, {"bound_row_ulp", bound}};
}

TEST(Charts, TellErrorAndPromiseOfAPoint) {
  const Json report = {{"kernels", Json::array({KernelWith("k", Json::object(), Json::array({Point(3, 0.75, 4.0), Point(4, 1.5, nullptr)}))})}};
  const std::vector<Chart> charts = PlanCharts(report);
  ASSERT_EQ(charts.size(), 1u);
  EXPECT_EQ(charts[0].id, "width");
  EXPECT_NE(charts[0].script.find("\n3 0.75 \"k: 0.750 row ulps, promised 4.000 (width 3)\"\n"), std::string::npos) << charts[0].script;
  EXPECT_NE(charts[0].script.find("\n4 1.5 \"k: 1.500 row ulps, nothing promised (width 4)\"\n"), std::string::npos) << charts[0].script;
  EXPECT_NE(charts[0].script.find("$b0 << EOD\n3 4\n\nEOD\n"), std::string::npos) << charts[0].script;
}

TEST(Charts, LeaveAGapWhereNothingWasJudged) {
  const Json report = {{"kernels", Json::array({KernelWith("k", Json::object(), Json::array({Point(3, 1, 4), Point(4, nullptr, nullptr), Point(5, 1, 4)}))})}};
  EXPECT_NE(PlanCharts(report).at(0).script.find("(width 3)\"\n\n5 1 "), std::string::npos);
}

// 6 of 8 below half an ulp, 2 of 8 in [1, 2): a quarter is off by 1/2 and by 1, none by 2.
TEST(Charts, AddUpTheTailOfTheDistribution) {
  const Json report = {{"kernels", Json::array({KernelWith("k", {{"-21", 2}, {"-2", 4}, {"0", 2}}, Json::array())})}};
  const std::string script = PlanCharts(report).at(0).script;
  EXPECT_NE(script.find("\n0.25 0.75 \"k: 75.00 % of 8 outputs off by 0.25 row ulps or more\"\n"), std::string::npos) << script;
  EXPECT_NE(script.find("\n1 0.25 \"k: 25.00 % of 8 outputs off by 1 row ulps or more\"\n"), std::string::npos) << script;
}

TEST(Charts, KeepNamesFromEndingTheirText) {
  const Json report = {{"kernels", Json::array({KernelWith("exec:./a \"b\" 'c'\nEOD", Json::object(), Json::array({Point(3, 1, 4)}))})}};
  EXPECT_NE(PlanCharts(report).at(0).script.find("\"exec:./a _b_ _c__EOD: 1.000"), std::string::npos);
}

TEST(Charts, ReportsWithoutCurvesHaveNone) {
  EXPECT_TRUE(PlanCharts({{"kernels", Json::array()}}).empty());
}

TEST(TidySvg, KeepsWhatIsUsedAndTitlesPoints) {
  const std::string raw =
      "<?xml?>\n<svg>\n<g id=\"gnuplot_canvas\">\n<defs>\n\t<path id='gpPt0' d='1'/>\n\t<circle id='gpPt5' r='1'/>\n"
      "\t<use xlink:href='#gpPt5' id='gpPt6'/>\n\t<filter id='textbox'>\n\t</filter>\n</defs>\n<g fill=\"none\">\n</g>\n"
      "\t<g onmousemove=\"gnuplot_svg.showHypertext(evt,'k &lt;1&gt;')\" onmouseout=\"gnuplot_svg.hideHypertext()\"><title> </title>\n"
      "\t<use xlink:href='#gpPt6'/></g>\n</g>\n</svg>\n";
  const std::string tidy = TidySvg(raw, "width");
  EXPECT_EQ(tidy,
            "<svg>\n<g id=\"width-canvas\">\n<defs>\n\t<circle id='width-mark5' r='1'/>\n\t<use xlink:href='#width-mark5' id='width-mark6'/>\n"
            "</defs>\n\n\t<g><title>k &lt;1&gt;</title>\n\t<use xlink:href='#width-mark6'/></g>\n</g>\n</svg>\n");
}

Json Kill(const std::string& law, const Json& counts, const std::string& shrunk) {
  return {{"law", law}, {"cases_to_kill", counts}, {"rows", 1}, {"width", 1}, {"shrunk", shrunk}};
}

Json Mutant(const std::string& name, const Json& kills, const Json& survived) {
  return {{"name", name}, {"about", "about " + name}, {"kills", kills}, {"survived", survived}};
}

TEST(KillMatrixPage, ShowsTheMostCasesAndWhoLives) {
  const Json judged = {{"name", "judged"}, {"about", "a<b"}}, shift = {{"name", "shift"}, {"about", ""}};
  const Json a = Mutant("mutant:a", Json::array({Kill("judged", Json::array({3, 17}), "x=[<1>]")}), Json::array({"shift"}));
  const Json b = Mutant("mutant:b", Json::array({Kill("shift", Json::array({0, 2}), "x=[2]")}), Json::array());
  const Json matrix = {{"schema", "normcheck/kill-matrix/1"}, {"cases", 60}, {"seeds", Json::array({1, 2})}, {"survivors", Json::array({"mutant:b"})},
                       {"idle_laws", Json::array()}, {"laws", Json::array({judged, shift})}, {"mutants", Json::array({a, b})}};
  const std::string page = KillMatrixPage(matrix);
  EXPECT_NE(page.find("2 mutants against 2 laws"), std::string::npos);
  EXPECT_NE(page.find("Some seed lets live: mutant:b."), std::string::npos);
  EXPECT_NE(page.find("data-sort=\"17\">17</td><td data-sort=\"1000000000.0\">–</td>"), std::string::npos);   // a: killed, lives
  EXPECT_NE(page.find("<td data-sort=\"-1\"></td><td data-sort=\"1000000000.0\">–</td>"), std::string::npos);  // b: not asked, lives once
  EXPECT_NE(page.find("<dt>judged</dt><dd>after 3, 17 cases: <code>x=[&lt;1&gt;]</code></dd>"), std::string::npos);
  EXPECT_NE(page.find("<dt>shift</dt><dd>after –, 2 cases: <code>x=[2]</code></dd>"), std::string::npos);
  EXPECT_NE(page.find("title=\"a&lt;b\""), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

}  // namespace
}  // namespace normcheck::reports

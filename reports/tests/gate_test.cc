// Which way each figure gets worse, and that a damaged report is refused wherever it is cut.
#include "reports/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/figures.h"
#include "reports/read_report.h"

namespace normcheck::reports {
namespace {

Json CellOf(const std::string& family) {
  Json cell = {{"op", "layer_norm"}, {"x_format", "f32"}, {"param_format", "f32"}, {"y_format", "f32"}, {"family", family},
               {"width_band", "4-16"}, {"epsilon", "0x1p-10"}, {"kept", true}};
  for (const CellFigure& figure : CellFigures()) cell[std::string(figure.name)] = 100;
  cell["correctly_rounded"] = 0;  // a share that does not move with `judged`
  return cell;
}

Json ReportOf(std::vector<Json> cells) {
  const Json kernel = {{"name", "k"}, {"contract", "row-ulp:4"}, {"kept", true}, {"cells", std::move(cells)}};
  return {{"schema", "normcheck/report/1"}, {"mode", "quick"}, {"seed", 1}, {"kernels", Json::array({kernel})}};
}

// The gate's answer where one figure changed.
GateResult After(const std::string& figure, const Json& before, const Json& after) {
  static Json a, b;  // the result points into them
  a = ReportOf({CellOf("sparse")});
  b = a;
  a["kernels"][0]["cells"][0][figure] = before;
  b["kernels"][0]["cells"][0][figure] = after;
  return Gate("base.json", a, b);
}

TEST(Gate, PassesWhereNothingMoved) {
  const Json report = ReportOf({CellOf("sparse"), CellOf("outlier")});
  const GateResult gate = Gate("base.json", report, report);
  EXPECT_TRUE(gate.passed());
  EXPECT_EQ(gate.comparison.cells, 2u);
  EXPECT_TRUE(gate.comparison.moved.empty());
}

TEST(Gate, FailsOnEveryFigureThatGetsWorseAndShowsTheOtherWay) {
  for (const CellFigure& figure : CellFigures()) {
    const std::string name(figure.name);
    const bool falls = figure.kind == FigureKind::kCountDown || figure.kind == FigureKind::kShare;
    EXPECT_EQ(After(name, 10, falls ? 9 : 11).worse, 1u) << name;
    EXPECT_EQ(After(name, 10, falls ? 11 : 9).worse, 0u) << name;
    EXPECT_EQ(After(name, 10, falls ? 11 : 9).better, 1u) << name;
  }
}

TEST(Gate, ComparesErrorsInStepsOfTwoToTheMinusTwenty) {
  EXPECT_EQ(After("max_ulp", 0.5, 0.5 + 0x1p-20).worse, 1u);
  EXPECT_TRUE(After("max_ulp", 0.5, 0.5 + 0x1p-22).comparison.moved.empty());
  EXPECT_EQ(After("bias_ulp", -0.25, 0.5).worse, 1u);
  EXPECT_EQ(After("bias_ulp", -0.5, 0.25).worse, 0u);
}

TEST(Gate, ComparesSharesNotCounts) {
  Json before = CellOf("sparse"), after = before;
  before["judged"] = 200;
  before["correctly_rounded"] = 100;
  after["judged"] = 300;
  after["correctly_rounded"] = 149;
  EXPECT_TRUE(std::ranges::any_of(MovesOf(before, after), [](const Move& m) { return m.figure == "correctly_rounded" && m.worse; }));
  after["correctly_rounded"] = 150;
  EXPECT_FALSE(std::ranges::any_of(MovesOf(before, after), [](const Move& m) { return m.figure == "correctly_rounded"; }));
}

TEST(Gate, AllowsWhatWasBrokenAndNothingThatBreaks) {
  Json kept = CellOf("sparse"), broken = kept;
  broken["kept"] = false;
  const Json good = ReportOf({kept}), bad = ReportOf({broken}), none = ReportOf({});
  EXPECT_FALSE(Gate("b", good, bad).passed());
  EXPECT_FALSE(Gate("b", none, bad).passed());
  EXPECT_TRUE(Gate("b", none, good).passed());
  const GateResult same = Gate("b", bad, bad);
  EXPECT_TRUE(same.passed());
  EXPECT_EQ(same.allowed, std::vector<std::string>{"k layer_norm f32/f32/f32 sparse 4-16 eps 0x1p-10"});
}

Json ReportOfLaw(const Json& state) {
  Json report = ReportOf({CellOf("sparse")});
  if (!state.is_null()) report["kernels"][0]["laws"] = Json::array({{{"law", "batch-size"}, {"state", state}}});
  return report;
}

// A5: the gate counts laws. Worse: broken where it was not, kept no more, gone, or new and broken.
TEST(Gate, ComparesLaws) {
  const Json none = ReportOfLaw(nullptr), kept = ReportOfLaw("kept"), broken = ReportOfLaw("broken"), gave_up = ReportOfLaw("gave up");
  EXPECT_EQ(Gate("b", kept, broken).worse, 1u);
  EXPECT_EQ(Gate("b", gave_up, broken).worse, 1u);
  EXPECT_EQ(Gate("b", kept, gave_up).worse, 1u);
  EXPECT_EQ(Gate("b", kept, none).worse, 1u);
  EXPECT_EQ(Gate("b", broken, kept).better, 1u);
  EXPECT_TRUE(Gate("b", broken, none).passed());
  EXPECT_TRUE(Gate("b", kept, kept).comparison.moved.empty());
  EXPECT_EQ(Gate("b", broken, broken).allowed, std::vector<std::string>{"k law batch-size"});
  EXPECT_NE(GateText(Gate("b", kept, broken)).find("worse k: law batch-size\n    law                kept -> broken"), std::string::npos);
  EXPECT_NE(GateJUnit(Gate("b", kept, broken), broken).find("name=\"law batch-size\"><failure"), std::string::npos);
  EXPECT_NE(GateSarif(Gate("b", kept, broken)).find("\"ruleId\": \"law\""), std::string::npos);
}

TEST(Gate, SaysThatABaselineOfBeforeHasNoLaws) {
  const Json none = ReportOfLaw(nullptr), broken = ReportOfLaw("broken");
  const GateResult gate = Gate("b", none, broken);
  EXPECT_TRUE(gate.passed());
  EXPECT_NE(GateText(gate).find("laws not compared, the baseline has none: k\n"), std::string::npos);
}

TEST(Gate, FailsOnACellThatIsGone) { EXPECT_FALSE(Gate("b", ReportOf({CellOf("sparse")}), ReportOf({})).passed()); }

TEST(Gate, TellsWithinEightyColumnsWhatMoved) {
  Json before = CellOf("cancelling-outliers-and-a-family-name-beyond-all-measure"), after = before;
  after["max_ulp"] = 1e9 / 7;
  before["fault"] = "";
  after["fault"] = std::string(200, 'x');
  const Json a = ReportOf({before}), b = ReportOf({after});
  std::istringstream lines(GateText(Gate("b", a, b)));
  bool told = false;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    told = told || line.find("max_ulp            100 -> 1.428571e+08") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

class ReadReportTest : public ::testing::Test {
 protected:
  std::string file_ = (std::filesystem::path(::testing::TempDir()) / "normcheck-read-report.json").string();
  void TearDown() override { std::filesystem::remove(file_); }
  reference::Result<Json> Read(const std::string& text) {
    std::ofstream(file_) << text;
    return ReadReport(file_, ReadAs::kFigures);
  }
};

TEST_F(ReadReportTest, RefusesEveryTruncationAndEveryMissingField) {
  const Json report = ReportOf({CellOf("sparse")});
  const std::string text = report.dump();
  ASSERT_TRUE(Read(text).ok());
  for (std::size_t size = 0; size < text.size(); size += 7) EXPECT_FALSE(Read(text.substr(0, size)).ok()) << size;
  for (const auto& [name, value] : report.at("kernels")[0].at("cells")[0].items()) {
    Json less = report;
    less["kernels"][0]["cells"][0].erase(name);
    const auto read = Read(less.dump());
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_NE(read.error().find(": kernels[0].cells[0]." + name + ": missing"), std::string::npos) << read.error();
  }
}

TEST_F(ReadReportTest, ReadsBackTheBaselineOfAReport) {
  Json report = ReportOf({CellOf("sparse"), CellOf("outlier")});
  report["environment"] = {{"time", "now"}};
  report["kernels"][0]["cells"][0]["worst"] = {{"file", "worst/a.case.json"}};
  const auto baseline = Read(BaselineText(report));
  ASSERT_TRUE(baseline.ok()) << baseline.error();
  EXPECT_EQ(baseline.value(), ReportOf({CellOf("sparse"), CellOf("outlier")}));
}

TEST_F(ReadReportTest, RefusesDamagedLaws) {
  ASSERT_TRUE(Read(ReportOfLaw("kept").dump()).ok());
  EXPECT_FALSE(Read(ReportOfLaw("perhaps").dump()).ok());
  Json twice = ReportOfLaw("kept");
  twice["kernels"][0]["laws"].push_back(twice["kernels"][0]["laws"][0]);
  EXPECT_FALSE(Read(twice.dump()).ok());
  Json damaged = ReportOfLaw("kept");
  damaged["kernels"][0]["laws"][0].erase("law");
  EXPECT_FALSE(Read(damaged.dump()).ok());
}

}  // namespace
}  // namespace normcheck::reports

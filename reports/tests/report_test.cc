// The report's JSON has the fields that DESIGN.md promises, and its text forms keep to their sizes.
#include "reports/report.h"

#include <gtest/gtest.h>

#include <sstream>

#include "reports/page.h"
#include "reports/report_text.h"

namespace normcheck::reports {
namespace {

CellResult CellWith(double row_ulp, bool kept) {
  CellResult result;
  result.cell = {norm::Op::kLayerNorm, {}, "outlier", &BandOf(4), 0x1p-10, 1, {}};
  result.kept = kept;
  result.tally.judged = 4;
  result.tally.correctly_rounded = 3;
  result.tally.scored = 4;
  result.tally.broken = kept ? 0 : 1;
  result.tally.max_ulp = reference::ToQ20(row_ulp);
  result.tally.max_row_ulp = reference::ToQ20(row_ulp);
  WorstCase worst;
  worst.c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, 4, 0x1p-10);
  worst.element = {0, 3, 0x447a0000, 0x3fddb3d7, 0x3fddb3d8, row_ulp, row_ulp, row_ulp / 4, ""};
  if (!kept) worst.diagnosis = {{"eps-after-root", "epsilon added <after> the root", 0.1}};
  result.worst = worst;
  return result;
}

Report SmallReport() {
  KernelReport good, bad;
  good.kernel.name = "layer_norm";
  good.cells = {CellJson(good.kernel, CellWith(0.5, true))};
  bad.kernel.name = "mutant:eps-after-root";
  bad.cells = {CellJson(bad.kernel, CellWith(12345678, false))};
  CellResult empty;
  empty.cell = {norm::Op::kLayerNorm, {}, "constant", &BandOf(1), 0, 1, {}};
  bad.cells.push_back(CellJson(bad.kernel, empty));
  Report report;
  report.environment = {{"compiler", "test"}};
  report.kernels = {good, bad};
  return report;
}

TEST(ReportJson, HasEveryFieldOfTheSchema) {
  const Json json = ReportJson(SmallReport(), "out");
  EXPECT_EQ(json.at("schema"), "normcheck/report/1");
  for (const char* field : {"environment", "mode", "seed", "kernels"}) EXPECT_TRUE(json.contains(field)) << field;
  const Json& kernel = json.at("kernels").at(0);
  for (const char* field : {"name", "contract", "kept", "cells"}) EXPECT_TRUE(kernel.contains(field)) << field;
  const Json& cell = kernel.at("cells").at(0);
  for (const char* field : {"op", "x_format", "param_format", "y_format", "family", "width_band", "epsilon", "judged",
                            "correctly_rounded", "class_faults", "undefined", "no_promise", "not_checked", "max_ulp", "p999_ulp",
                            "max_row_ulp", "p999_row_ulp", "mean_row_ulp", "bias_ulp", "bound_ratio", "worst", "replay"})
    EXPECT_TRUE(cell.contains(field)) << field;
  for (const char* field : {"file", "row", "index", "x", "got", "want", "ulp", "row_ulp"})
    EXPECT_TRUE(cell.at("worst").contains(field)) << field;
}

TEST(ReportJson, WritesNumbersInHexAndUlpsAsNumbers) {
  const Json cell = ReportJson(SmallReport(), "out").at("kernels").at(0).at("cells").at(0);
  EXPECT_EQ(cell.at("epsilon"), "0x1p-10");
  EXPECT_EQ(cell.at("max_row_ulp"), 0.5);
  EXPECT_EQ(cell.at("worst").at("x"), "0x1.f4p+9");
  EXPECT_EQ(cell.at("width_band"), "4-16");
}

TEST(ReportJson, NullWhereNothingWasJudged) {
  const Json cell = ReportJson(SmallReport(), "out").at("kernels").at(1).at("cells").at(1);
  for (const char* field : {"max_ulp", "p999_ulp", "max_row_ulp", "p999_row_ulp", "mean_row_ulp", "bias_ulp", "worst"})
    EXPECT_TRUE(cell.at(field).is_null()) << field;
}

TEST(ReportJson, ReplayLinesAreShellWords) {
  const Json cell = ReportJson(SmallReport(), "my out").at("kernels").at(1).at("cells").at(0);
  EXPECT_EQ(cell.at("replay"),
            "./normcheck judge --kernel mutant:eps-after-root 'my out/" + cell.at("worst").at("file").get<std::string>() + "'");
}

TEST(Figures, ReadWell) {
  EXPECT_EQ(UlpText(std::nullopt), "-");
  EXPECT_EQ(UlpText(0.5), "0.500");
  EXPECT_EQ(UlpText(12345678.0), "1.2e7");
  EXPECT_EQ(UlpText(12345.0), "12345");
  EXPECT_EQ(CountText(12'400'000), "12.4 M");
  EXPECT_EQ(ShareText(999'999, 1'000'000), "99.99 %");
  EXPECT_EQ(ShareText(4, 4), "100 %");
}

TEST(ReportTable, FitsEightyColumns) {
  Report report = SmallReport();
  report.kernels[1].kernel.name = "mutant:a-name-that-is-much-longer-than-any-column-could-ever-hold";
  std::istringstream lines(ReportTable(ReportJson(report, "out")));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(ReportMarkdown, FitsAPullRequestComment) {
  Report report = SmallReport();
  for (int i = 0; i < 98; ++i) report.kernels.push_back(report.kernels[1]);
  EXPECT_LT(ReportMarkdown(ReportJson(report, "out")).size(), 65'536u);
}

TEST(Summary, NamesTheMistakeOfABrokenKernel) {
  const Json json = ReportJson(SmallReport(), "out");
  EXPECT_EQ(Summarize(json).at(1).sentence,
            "breaks row-ulp:4 on 1 of 4 outputs: worst 1.2e7 row ulps, on outlier rows: epsilon added <after> the root");
}

TEST(Page, EscapesTextAndCarriesItsOwnStyleAndScript) {
  const std::string page = ReportPage(ReportJson(SmallReport(), "out"), std::nullopt);
  EXPECT_NE(page.find("epsilon added &lt;after&gt; the root"), std::string::npos);
  EXPECT_EQ(page.find("<after>"), std::string::npos);
  EXPECT_NE(page.find(kPageStyle), std::string::npos);
  EXPECT_NE(page.find(kPageScript), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
}

}  // namespace
}  // namespace normcheck::reports

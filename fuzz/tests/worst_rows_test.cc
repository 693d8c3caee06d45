// Worst rows: kept as cases that show their figures, never replaced by better ones, by class of rows.
#include "fuzz/worst_rows.h"

#include "fuzz/origin.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "fuzz/tests/faulty_kernel.h"
#include "fuzz/tests/scratch_folder.h"
#include "reference/case_json.h"
#include "reference/judge.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Bits;
using reference::Case;

Bits Float(double value) { return std::bit_cast<Bits>(static_cast<float>(value)); }

Case RowOf(std::vector<double> values, double epsilon = 1e-5) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, values.size(), epsilon);
  for (std::size_t i = 0; i < values.size(); ++i) c.x[i] = Float(values[i]);
  return c;
}

TEST(ClassOfRow, FollowsTheMomentsOfTheRow) {
  constexpr double kTop = 0x1p+127;
  const std::pair<Case, RowClass> expected[] = {
      {RowOf({1, NAN, 2}), RowClass::kNotFinite},
      {RowOf({3, 3, 3}), RowClass::kConstant},
      {RowOf({0x1p-140, 0x1p-130}, 0), RowClass::kSubnormal},
      {RowOf({kTop, 1}), RowClass::kNearOverflow},
      {RowOf({8388608, 8388609}), RowClass::kOffset1e6},   // mu/sigma = 1.7e7
      {RowOf({10000, 10001}), RowClass::kOffset1e3},       // 2e4
      {RowOf({0.001, -0.001}, 1), RowClass::kVarBelowEps},  // 1e-6 < 1/16
      {RowOf({1, -1}, 1), RowClass::kVarNearEps},
      {RowOf({0.01, 0, 0, 0, 0, 0, 0, 9}), RowClass::kPlain},  // the last holds 7/8 of the variance
      {RowOf({0.01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9}), RowClass::kOutlier},
      {RowOf({1, 2, 3}), RowClass::kPlain}};
  for (const auto& [c, row_class] : expected) EXPECT_EQ(NameOf(ClassOfRow(c, 0)), NameOf(row_class)) << reference::CaseText(c);
}

// Wrong by 2^shift ulps in the last element of rows whose first element is that power of two: worse rows on demand.
norm::Kernel WrongOnDemand() {
  return FaultyKernel([](const norm::KernelCall& call) {
    for (std::size_t r = 0; r < call.rows; ++r) {
      const auto first = static_cast<std::size_t>(static_cast<const float*>(call.x)[r * call.x_pitch]);
      static_cast<std::uint32_t*>(call.y)[r * call.y_pitch + call.width - 1] ^= static_cast<std::uint32_t>(first);
    }
  });
}

class WorstRowFiles : public ScratchFolder {
 protected:
  void Offer(WorstRows& rows, const Case& c) const {
    const auto verdict = reference::Judge(kernel_, c, {.contract = {}, .diagnose = false});
    ASSERT_TRUE(rows.Offer(kernel_, c, verdict, CellOf(c, verdict))) << rows.error();
  }

  const norm::Kernel kernel_ = WrongOnDemand();
};

TEST_F(WorstRowFiles, CaseShowsTheFigureAndBetterOnesNeverReplaceIt) {
  WorstRows rows(dir_.string());
  Offer(rows, RowOf({4, 5, 9}));
  Offer(rows, RowOf({64, 5, 9}));
  Offer(rows, RowOf({8, 5, 9}));
  WorstRows other(dir_.string());  // as a second worker
  Offer(other, RowOf({16, 5, 9}));
  const auto kept = ReadWorstRows(dir_.string());
  ASSERT_FALSE(kept.empty());
  const auto c = reference::ReadCaseFile(kept.front().file);
  ASSERT_TRUE(c.ok()) << c.error();
  EXPECT_EQ(c.value().x, RowOf({64, 5, 9}).x);
  const auto verdict = reference::Judge(kernel_, c.value(), {});
  EXPECT_EQ(verdict.tally.max_row_ulp, kept.front().row_ulp);
  EXPECT_EQ(kept.front().cell.row_class, RowClass::kPlain);
  EXPECT_EQ(kept.front().width, 3u);
}

TEST_F(WorstRowFiles, RecordOfAnotherProcessIsNotOverwritten) {
  WorstRows first(dir_.string()), second(dir_.string());  // neither knows of the other's record
  Offer(first, RowOf({64, 5, 9}));
  Offer(second, RowOf({16, 5, 9}));
  EXPECT_EQ(reference::ReadCaseFile(ReadWorstRows(dir_.string()).front().file).value().x, RowOf({64, 5, 9}).x);
}

TEST_F(WorstRowFiles, ManyRowsAreCutToTheWorst) {
  WorstRows rows(dir_.string());
  Case c = RowOf({4, 5, 9});
  c.rows = 3;
  for (const double x : {64.0, 5.0, 9.0, 8.0, 5.0, 9.0}) c.x.push_back(Float(x));
  Offer(rows, c);
  EXPECT_EQ(reference::ReadCaseFile(ReadWorstRows(dir_.string()).front().file).value().x, RowOf({64, 5, 9}).x);
}

TEST_F(WorstRowFiles, ContractInRowUlpsHasOneScale) {
  WorstRows rows(dir_.string());
  norm::Kernel kernel = kernel_;
  kernel.contract = {norm::ContractKind::kRowUlp, 4};
  const Case c = RowOf({64, 5, 9});
  const auto verdict = reference::Judge(kernel, c, {.contract = {}, .diagnose = false});
  ASSERT_TRUE(rows.Offer(kernel, c, verdict, CellOf(c, verdict)));
  EXPECT_EQ(ReadWorstRows(dir_.string()).size(), 1u);
}

TEST_F(WorstRowFiles, FolderThatIsGoneIsAnError) {
  WorstRows rows(dir_.string());
  fs::remove_all(dir_);
  const Case c = RowOf({64, 5, 9});
  const auto verdict = reference::Judge(kernel_, c, {.contract = {}, .diagnose = false});
  EXPECT_FALSE(rows.Offer(kernel_, c, verdict, CellOf(c, verdict)));
  EXPECT_NE(rows.error().find("cannot write it"), std::string::npos) << rows.error();
}

TEST(WorkerStats, SurviveTheirFile) {
  const fs::path file = fs::temp_directory_path() / ("normcheck-stats-" + std::to_string(getpid()));
  WorkerStats stats;
  stats.executions = 3;
  for (const Case& c : {RowOf({1, 2, 3}), RowOf({3, 3, 3}), RowOf({1, NAN})}) {
    const auto verdict = reference::Judge(norm::ProductionKernels().front(), c, {.contract = {}, .diagnose = false});
    stats.Count(c, verdict, CellOf(c, verdict), c.width == 2 ? FromTheCorpus() : 0);
  }
  EXPECT_EQ(stats.judged, 3u);
  EXPECT_EQ(stats.cells.size(), 3u);
  EXPECT_EQ(stats.origins.size(), 3u);
  EXPECT_EQ(OriginNames().back(), "corpus");
  ASSERT_TRUE(WriteWorkerStats(file.string(), stats).ok());
  const auto read = ReadWorkerStats(file.string());
  fs::remove(file);
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read.value(), stats);
}

}  // namespace
}  // namespace normcheck::fuzz

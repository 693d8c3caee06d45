// A sweep's figures do not depend on threads, and its worst cases show what they claim.
#include "reports/sweep.h"

#include <gtest/gtest.h>

#include <set>

#include "properties/kernels.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

// A kernel of few formats, so that a whole quick sweep is short.
norm::Kernel Narrow(const std::string& name) {
  norm::Kernel kernel = properties::FindKernel(name).value();
  kernel.ops = {norm::Op::kLayerNorm};
  kernel.formats = {{norm::Format::kBf16, norm::Format::kBf16, norm::Format::kBf16}};
  return kernel;
}

Json SweepJson(const std::vector<norm::Kernel>& kernels, unsigned threads, std::uint64_t seed) {
  SweepOptions options;
  options.mode = Mode::kQuick;
  options.seed = {seed};
  options.threads = threads;
  Report report;
  report.mode = options.mode;
  report.seed = options.seed;
  report.kernels = Sweep(kernels, {}, options);
  return ReportJson(report, "DIR");
}

TEST(Sweep, GivesTheSameFiguresForOneAndThreeThreads) {
  const std::vector<norm::Kernel> kernels = {Narrow("layer_norm"), Narrow("mutant:eps-after-root")};
  const Json one = SweepJson(kernels, 1, 1);
  EXPECT_EQ(one, SweepJson(kernels, 3, 1));
  EXPECT_NE(one.at("kernels"), SweepJson(kernels, 1, 2).at("kernels"));
}

TEST(Sweep, TellsAKeptKernelFromABrokenOne) {
  const Json json = SweepJson({Narrow("layer_norm"), Narrow("mutant:eps-after-root")}, 2, 1);
  EXPECT_TRUE(json.at("kernels").at(0).at("kept").get<bool>());
  EXPECT_FALSE(json.at("kernels").at(1).at("kept").get<bool>());
}

TEST(Sweep, WorstCasesReplay) {
  const norm::Kernel mutant = Narrow("mutant:eps-after-root");
  SweepOptions options;
  options.mode = Mode::kQuick;
  std::size_t one_row = 0;
  for (const Cell& cell : PlanCells(mutant, Mode::kQuick, {})) {
    if (cell.band->low != 17) continue;
    const CellResult result = JudgeCell(mutant, cell, {}, options);
    if (!result.worst) continue;
    const reference::Verdict again = reference::Judge(mutant, result.worst->c, {});
    ASSERT_TRUE(again.worst) << CellId(cell);
    EXPECT_EQ(again.kept, result.kept) << CellId(cell);
    EXPECT_EQ(again.worst->got, result.worst->element.got) << CellId(cell);
    if (result.worst->c.rows == 1) ++one_row;
  }
  EXPECT_GE(one_row, 15u);  // whole cases stay where a statistic of another row is what broke
}

TEST(Sweep, StopLeavesCellsOut) {
  const std::atomic<bool> stop = true;
  SweepOptions options;
  options.mode = Mode::kQuick;
  options.stop = &stop;
  const std::vector<norm::Kernel> kernels = {Narrow("layer_norm")};
  EXPECT_TRUE(Sweep(kernels, {}, options).at(0).cells.empty());
}

TEST(Sweep, CountsWhatAKernelRefusesAsNotChecked) {
  norm::Kernel refusing = Narrow("layer_norm");
  refusing.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kUnsupported, "op", "not built"}; };
  SweepOptions options;
  const Cell cell = PlanCells(refusing, Mode::kQuick, {}).at(0);
  const CellResult result = JudgeCell(refusing, cell, {}, options);
  EXPECT_EQ(result.tally.judged, 0u);
  EXPECT_GT(result.tally.not_checked, 0u);
}

}  // namespace
}  // namespace normcheck::reports

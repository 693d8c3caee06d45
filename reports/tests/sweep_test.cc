// A sweep's figures do not depend on threads, and its worst cases show what they claim.
#include "reports/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "properties/kernels.h"
#include "reports/merge.h"
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

// A whole quick sweep as the report's JSON.
Json SweepJson(const std::vector<norm::Kernel>& kernels, unsigned threads, std::uint64_t seed, Shard shard = {}) {
  SweepOptions options;
  options.seed = {seed};
  options.threads = threads;
  const std::vector<Job> jobs = PlanJobs(kernels, Mode::kQuick, {}, shard);
  std::vector<Json> cells(jobs.size());
  const auto swept = Sweep(jobs, kernels, {}, options, [&](std::size_t job, CellResult result) {
    cells[job] = CellJson(kernels[jobs[job].kernel], result);
  });
  EXPECT_TRUE(swept.ok());
  Report report;
  report.mode = Mode::kQuick;
  report.seed = options.seed;
  if (shard != Shard{}) report.shard = shard;
  for (const norm::Kernel& kernel : kernels)
    report.kernels.push_back({kernel, kernel.contract, false, PlanCells(kernel, Mode::kQuick, {}).size(), {}, {}, {}});
  for (std::size_t i = 0; i < jobs.size(); ++i) report.kernels[jobs[i].kernel].cells.push_back(cells[i]);
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
  options.stop = &stop;
  const std::vector<norm::Kernel> kernels = {Narrow("layer_norm")};
  std::size_t taken = 0;
  EXPECT_TRUE(Sweep(PlanJobs(kernels, Mode::kQuick, {}, {}), kernels, {}, options, [&](std::size_t, CellResult) { ++taken; }).ok());
  EXPECT_EQ(taken, 0u);
}

TEST(Sweep, NamesAKernelThatThrowsAndBeginsNothingMore) {
  norm::Kernel vanishing = Narrow("layer_norm");
  int calls = 0;
  vanishing.run = [&](const norm::KernelCall& call) -> norm::CallResult {
    if (++calls > 40) throw std::runtime_error("the process is gone");
    return norm::ProductionKernels().front().run(call);
  };
  const std::vector<norm::Kernel> kernels = {vanishing};
  const auto swept = Sweep(PlanJobs(kernels, Mode::kQuick, {}, {}), kernels, {}, {}, [](std::size_t, CellResult) {});
  ASSERT_FALSE(swept.ok());
  EXPECT_TRUE(swept.error().starts_with("kernel layer_norm, cell layer_norm-bf16-")) << swept.error();
  EXPECT_NE(swept.error().find("the process is gone"), std::string::npos);
  EXPECT_EQ(calls, 41);
}

TEST(Shards, TakeEveryCellOnceAndEveryBandAlike) {
  for (std::size_t count : {1u, 2u, 3u, 5u, 7u, 10u}) {
    for (std::size_t cell = 0; cell < 100; ++cell) {
      std::size_t takers = 0;
      for (std::size_t i = 1; i <= count; ++i) takers += Shard{i, count}.Takes(cell) ? 1 : 0;
      EXPECT_EQ(takers, 1u) << cell << " of " << count;
    }
  }
  std::set<std::string_view> bands;
  const std::vector<norm::Kernel> kernels = {Narrow("layer_norm")};
  for (const Job& job : PlanJobs(kernels, Mode::kQuick, {}, {5, 5})) bands.insert(job.cell.band->id);
  EXPECT_EQ(bands.size(), WidthBands().size());
}

TEST(Merge, GivesTheBytesOfOneRun) {
  const std::vector<norm::Kernel> kernels = {Narrow("layer_norm"), Narrow("mutant:eps-after-root")};
  std::vector<ShardReport> shards;
  for (std::size_t i : {3u, 1u, 2u}) shards.push_back({"s" + std::to_string(i), SweepJson(kernels, 2, 1, {i, 3})});
  for (ShardReport& shard : shards) shard.report["environment"] = {{"processor", shard.file}, {"normcheck", "1"}};
  const auto merged = Merge(shards);
  ASSERT_TRUE(merged.ok()) << merged.error();
  EXPECT_EQ(merged.value().at("environment"), Json({{"processor", "s1; s2; s3"}, {"normcheck", "1"}, {"shards", "3"}}));
  EXPECT_EQ(merged.value().at("kernels").dump(), SweepJson(kernels, 1, 1).at("kernels").dump());
}

TEST(Sweep, CountsWhatAKernelRefusesAsNotChecked) {
  norm::Kernel refusing = Narrow("layer_norm");
  refusing.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kUnsupported, "op", "not built"}; };
  SweepOptions options;
  const Cell cell = PlanCells(refusing, Mode::kQuick, {}).at(0);
  const CellResult result = JudgeCell(refusing, cell, {}, options);
  EXPECT_EQ(result.tally.judged, 0u);
  EXPECT_GT(result.tally.not_checked, 0u);
  EXPECT_EQ(result.left_out.begin()->second, result.tally.not_checked);
}

// A6: three quarters of the sweep were not asked of a kernel that needs gamma and beta, and nothing said so.
TEST(Sweep, SaysWhatAKernelIsNotAsked) {
  norm::Kernel needing = Narrow("layer_norm");
  needing.beta = needing.pitch = needing.statistics = false;
  const Json asked = SweepJson({needing}, 2, 1).at("kernels").at(0).at("asked");
  const Json all = SweepJson({Narrow("layer_norm")}, 2, 1).at("kernels").at(0).at("asked");
  EXPECT_EQ(all.at("outputs"), all.at("of"));
  EXPECT_TRUE(all.at("not").empty());
  EXPECT_EQ(asked.at("of"), all.at("of"));
  EXPECT_LT(asked.at("outputs"), asked.at("of"));
  EXPECT_TRUE(std::ranges::find(asked.at("not"), "beta") == asked.at("not").end()) << "cases are drawn without one: " << asked;
  for (const char* reason : {"pitch", "statistics"})
    EXPECT_TRUE(std::ranges::find(asked.at("not"), reason) != asked.at("not").end()) << reason << " in " << asked;
}

}  // namespace
}  // namespace normcheck::reports

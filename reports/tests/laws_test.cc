// A report asks what no single call shows (A5): every mutant of state, batch, order and memory breaks a law, sound kernels none.
#include "reports/laws.h"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "properties/guarded_call.h"
#include "properties/kernels.h"
#include "reports/asked.h"
#include "reports/summary.h"

namespace normcheck::reports {
namespace {

using properties::LawRun;

norm::Kernel Named(const std::string& name) { return properties::FindKernel(name).value(); }
norm::Kernel Fresh(const norm::Kernel& kernel) { return Named(kernel.name); }

// The laws of one kernel in quick mode; large calls, which take seconds, only where asked for.
std::vector<LawRun> RunsOf(const std::string& name, bool large, const std::atomic<bool>* stop = nullptr) {
  const std::vector<norm::Kernel> kernels = {Named(name)};
  std::vector<LawJob> jobs = PlanLaws(1);
  if (!large) std::erase_if(jobs, [](const LawJob& job) { return job.law->name == "large-calls"; });
  LawOptions options{Mode::kQuick, {}, {}, Fresh, 2, stop};
  std::vector<LawRun> runs(jobs.size());
  std::size_t taken = 0;
  std::mutex mutex;
  const auto asked = AskLaws(jobs, kernels, options, [&](std::size_t job, LawRun run) {
    const std::lock_guard lock(mutex);
    runs[job] = std::move(run);
    ++taken;
  });
  EXPECT_TRUE(asked.ok());
  if (taken == 0) runs.clear();
  return runs;
}

std::set<std::string> Broken(const std::vector<LawRun>& runs) {
  std::set<std::string> broken;
  for (const LawRun& run : runs)
    if (run.state == LawRun::State::kBroken) broken.insert(run.law);
  return broken;
}

TEST(ReportLaws, CatchMutantsThatNoSingleCallShows) {
  for (const char* name : {"second-call", "dirty-scratch", "running-mean", "packed-gamma", "first-epsilon", "sticky-nan",
                           "large-batch-path", "single-row-path", "odd-row-partner", "nan-of-any-row", "carried-mean", "scale-of-batch",
                           "writes-beyond-row", "reads-beyond-row", "reads-before-row", "zeroes-padding", "stores-before-sums"})
    EXPECT_FALSE(Broken(RunsOf(std::string("mutant:") + name, false)).empty()) << name;
}

TEST(ReportLaws, AccuseNoSoundKernel) {
  for (const char* name : {"layer_norm", "rms_norm", "layer_norm_fast", "honest:two-pass-recursive-f32", "honest:welford-lanes8-f32"}) {
    const std::vector<LawRun> runs = RunsOf(name, false);
    EXPECT_EQ(Broken(runs), std::set<std::string>{}) << name;
    for (const LawRun& run : runs) EXPECT_EQ(run.state, LawRun::State::kKept) << name << " " << run.law << ": " << run.seen;
  }
}

// A1: a fault that needs many rows and wide rows at once is met in quick mode too.
TEST(ReportLaws, MeetManyRowsWithWideRows) {
  EXPECT_TRUE(Broken(RunsOf("mutant:sums-stop-at-8192", true)).contains("large-calls"));
}

TEST(ReportLaws, AreNotBegunAfterAStop) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(RunsOf("layer_norm", true, &stop).empty());
}

// Races: a kernel whose scratch all calls share gives other bits where rows are dealt out to threads.
TEST(ReportLaws, CatchScratchThatThreadsShare) {
  static std::atomic<int> inside = 0;
  norm::Kernel racing = Named("layer_norm");
  racing.formats = {norm::Formats{}};
  racing.run = [](const norm::KernelCall& call) {
    const bool alone = ++inside == 1;
    const norm::CallResult result = norm::ProductionKernels().front().run(call);
    if (!alone && call.rows * call.width > 0) *static_cast<float*>(call.y) += 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --inside;
    return result;
  };
  std::vector<LawJob> jobs = PlanLaws(1);
  std::erase_if(jobs, [](const LawJob& job) { return job.law->name != "row-ranges"; });
  const std::vector<norm::Kernel> kernels = {racing};
  const LawOptions options{Mode::kQuick, {}, {}, [&](const norm::Kernel& kernel) { return kernel; }, 1, nullptr};
  LawRun seen;
  ASSERT_TRUE(AskLaws(jobs, kernels, options, [&](std::size_t, LawRun run) { seen = std::move(run); }).ok());
  EXPECT_EQ(seen.state, LawRun::State::kBroken);
}

KernelReport ReportWith(LawRun::State state, bool alone) {
  KernelReport report;
  report.kernel.name = "./my kernel.so";
  report.contract_given = true;
  LawRun run;
  run.law = "batch-size";
  run.state = state;
  run.cases = 5;
  run.alone = alone;
  if (state == LawRun::State::kBroken) run.seen = "row 3 of 255 differs";
  report.laws = {LawJson(run, alone ? LawFile(report.kernel.name, run.law) : "")};
  return report;
}

Json JsonWith(LawRun::State state, bool alone = true) {
  Report report;
  report.mode = Mode::kQuick;
  report.seed = {7};
  report.kernels = {ReportWith(state, alone)};
  return ReportJson(report, "my out");
}

TEST(LawJson, BreaksTheKernelAndSaysHowToAskAgain) {
  const Json kernel = JsonWith(LawRun::State::kBroken).at("kernels").at(0);
  EXPECT_FALSE(kernel.at("kept").get<bool>());
  EXPECT_EQ(kernel.at("laws").at(0).at("file"), "worst/my-kernel.so-law-batch-size.case.json");
  EXPECT_EQ(kernel.at("laws").at(0).at("replay"),
            "./normcheck properties --kernel './my kernel.so' --law batch-size --contract row-ulp:4 --case "
            "'my out/worst/my-kernel.so-law-batch-size.case.json'");
  const Json run = JsonWith(LawRun::State::kBroken, false).at("kernels").at(0).at("laws").at(0);
  EXPECT_FALSE(run.contains("file"));
  EXPECT_TRUE(run.at("replay").get<std::string>().ends_with("--contract row-ulp:4 --cases 20 --seed 7")) << run.at("replay");
}

TEST(LawJson, SaysWhatCouldNotBeAsked) {
  const Json kept = JsonWith(LawRun::State::kKept), none = JsonWith(LawRun::State::kNotApplicable);
  EXPECT_TRUE(kept.at("kernels").at(0).at("kept").get<bool>());
  EXPECT_EQ(Summarize(kept).at(0).laws_text, "1 of 1 laws kept");
  EXPECT_EQ(Summarize(none).at(0).laws_text, "0 of 0 laws kept; not asked: batch-size (not supported)");
  EXPECT_EQ(Summarize(JsonWith(LawRun::State::kBroken)).at(0).sentence,
            "was judged on no output: nothing that it supports came up, but breaks the law batch-size: row 3 of 255 differs");
}

TEST(Asked, CountsWhatWasNotAskedAndWhy) {
  const Json cells = Json::parse(R"([
    {"judged": 900, "undefined": 50, "no_promise": 50, "not_checked": 0},
    {"judged": 0, "undefined": 0, "no_promise": 0, "not_checked": 1234567, "left_out": {"pitch": 234567, "too large": 1000000}},
    {"judged": 0, "undefined": 0, "no_promise": 0, "not_checked": 7, "left_out": {"pitch": 2, "statistics": 0}}])");
  const Json asked = AskedJson(cells);
  EXPECT_EQ(asked, Json::parse(R"({"outputs": 1005, "of": 1235574, "not": ["pitch", "too large", "statistics"]})"));
  EXPECT_EQ(AskedText(asked), "1,005 of 1,235,574 outputs; not: pitch, too large, statistics");
}

}  // namespace
}  // namespace normcheck::reports

// Campaigns with real processes: resume, lock, foreign directories, signals, crashes.
#include "fuzz/campaign.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "fuzz/campaign_dir.h"
#include "fuzz/worker_stats.h"
#include "reference/case_json.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

// A scratch folder whose bin/ holds the fake worker under the names of the real targets.
class Campaign : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    scratch_ = fs::temp_directory_path() / ("normcheck-" + test + "-" + std::to_string(getpid()));
    fs::create_directories(scratch_ / "bin");
    for (const char* name : {"fuzz_layer_norm", "fuzz_rms_norm"}) fs::create_symlink(FAKE_WORKER_PATH, scratch_ / "bin" / name);
    Behave("count");
  }
  void TearDown() override { fs::remove_all(scratch_); }

  static void Behave(const char* how) { setenv("FAKE_WORKER", how, 1); }

  CampaignOptions Options(double seconds) const {
    CampaignOptions options;
    options.kernel = norm::ProductionKernels().front();
    options.op = norm::Op::kLayerNorm;
    options.budget.seconds = seconds;
    options.jobs = 2;
    options.dir = (scratch_ / "campaign").string();
    options.fuzz_dir = (scratch_ / "bin").string();
    return options;
  }

  // The fake worker leaves a corpus file named by its process id.
  std::vector<pid_t> WorkersSeen() const {
    std::vector<pid_t> workers;
    for (const auto& entry : fs::directory_iterator(scratch_ / "campaign/corpus/layer_norm"))
      workers.push_back(std::stoi(entry.path().filename().string()));
    return workers;
  }

  fs::path scratch_;
};

bool Lives(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string id, name, state;
  file >> id >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

bool Within(double seconds, const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

TEST_F(Campaign, EndsWithItsTimeAndSumsItsWorkers) {
  int calls = 0;
  const auto result = RunCampaign(Options(1.3), [&](const CampaignStatus&) { ++calls; });
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_GE(result.value().last.seconds, 1.3);
  EXPECT_LT(result.value().last.seconds, 3.3);
  EXPECT_GT(result.value().last.executions, 2u);
  EXPECT_EQ(result.value().last.corpus, 2u);
  EXPECT_EQ(result.value().last.worst_row_ulp, 3.0);
  EXPECT_EQ(result.value().last.worst_bound_ratio, 0.5);
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(result.value().interrupted);
}

TEST_F(Campaign, SpendsExecutionsInsteadOfTime) {
  CampaignOptions options = Options(0);
  options.budget.executions = 25;
  const auto result = RunCampaign(options, {});
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result.value().last.executions, 25u);
}

TEST_F(Campaign, RunsEveryOpOfTheKernel) {
  CampaignOptions options = Options(0.5);
  options.kernel.ops = {norm::Op::kLayerNorm, norm::Op::kRmsNorm};
  options.op.reset();
  options.jobs = 1;
  const auto result = RunCampaign(options, {});
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_ / "campaign/corpus/rms_norm"), {}), 1);
  EXPECT_EQ(WorkersSeen().size(), 1u);
}

TEST_F(Campaign, SecondRunResumesWithCorpusAndFindings) {
  const auto first = RunCampaign(Options(0.3), {});
  ASSERT_TRUE(first.ok()) << first.error();
  EXPECT_FALSE(first.value().resumed);
  std::ofstream(scratch_ / "campaign/findings/layer_norm-old.case.json") << "{}";
  const auto second = RunCampaign(Options(0.3), {});
  ASSERT_TRUE(second.ok()) << second.error();
  EXPECT_TRUE(second.value().resumed);
  EXPECT_EQ(second.value().last.corpus, 4u);
  ASSERT_EQ(second.value().findings.size(), 1u);
  EXPECT_EQ(second.value().findings.front().signature, "layer_norm-old");
  EXPECT_EQ(second.value().findings.front().replay,
            "./normcheck judge --kernel layer_norm " + (scratch_ / "campaign/findings/layer_norm-old.case.json").string());
}

TEST_F(Campaign, DirectoryInUseIsRefused) {
  const auto held = CampaignDir::Open(Options(1).dir, "layer_norm", {norm::Op::kLayerNorm});
  ASSERT_TRUE(held.ok()) << held.error();
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("another campaign is running"), std::string::npos) << result.error();
}

TEST_F(Campaign, ForeignDirectoryIsRefusedAndLeftAlone) {
  fs::create_directories(scratch_ / "campaign");
  std::ofstream(scratch_ / "campaign/thesis.txt") << "mine";
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("no campaign's"), std::string::npos) << result.error();
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_ / "campaign"), {}), 1);
}

TEST_F(Campaign, DirectoryOfAnotherKernelIsRefused) {
  ASSERT_TRUE(CampaignDir::Open(Options(1).dir, "mutant:other", {norm::Op::kLayerNorm}).ok());
  const auto result = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("mutant:other"), std::string::npos) << result.error();
}

TEST_F(Campaign, UnwritableDirectoryIsAClearError) {
  std::ofstream(scratch_ / "file") << "";
  CampaignOptions options = Options(0.2);
  options.dir = (scratch_ / "file/campaign").string();
  const auto result = RunCampaign(options, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("choose another --dir"), std::string::npos) << result.error();
}

TEST_F(Campaign, MissingTargetSaysHowToBuildIt) {
  CampaignOptions options = Options(0.2);
  options.fuzz_dir = (scratch_ / "nowhere").string();
  const auto result = RunCampaign(options, {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("cmake --preset fuzz"), std::string::npos) << result.error();
  EXPECT_FALSE(fs::exists(options.dir));
}

TEST_F(Campaign, CrashBecomesAFindingAndTheWorkerStartsAgain) {
  Behave("crash");
  const auto result = RunCampaign(Options(0.6), {});
  ASSERT_TRUE(result.ok()) << result.error();
  ASSERT_EQ(result.value().findings.size(), 1u);
  EXPECT_EQ(result.value().findings.front().signature, "layer_norm-f32-crash");
  const auto c = reference::ReadCaseFile(result.value().findings.front().file);
  ASSERT_TRUE(c.ok()) << c.error();
  EXPECT_EQ(c.value().width, 4u);
  EXPECT_GT(result.value().restarts, 1u);
}

TEST_F(Campaign, WorkersThatNeverRunAreAnErrorThatNamesTheLog) {
  Behave("hollow");
  const auto result = RunCampaign(Options(5), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find(".log"), std::string::npos) << result.error();
}

TEST_F(Campaign, InterruptEndsStubbornWorkersWithinTwoSeconds) {
  Behave("stubborn");
  std::chrono::steady_clock::time_point asked;
  std::thread killer([&] {
    Within(5, [&] { return fs::exists(scratch_ / "campaign/corpus/layer_norm") && WorkersSeen().size() == 2; });
    asked = std::chrono::steady_clock::now();
    kill(getpid(), SIGINT);
  });
  const auto result = RunCampaign(Options(30), {});
  const auto took = std::chrono::steady_clock::now() - asked;
  killer.join();
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_TRUE(result.value().interrupted);
  EXPECT_LT(took, std::chrono::seconds(2));
  ASSERT_EQ(WorkersSeen().size(), 2u);
  for (const pid_t worker : WorkersSeen()) EXPECT_FALSE(Lives(worker)) << worker;
}

TEST_F(Campaign, KilledCampaignLeavesNoOrphansAndResumes) {
  Behave("stubborn");
  const pid_t campaign = fork();
  if (campaign == 0) {
    static_cast<void>(RunCampaign(Options(30), {}));
    _exit(0);
  }
  ASSERT_TRUE(Within(5, [&] { return fs::exists(scratch_ / "campaign/corpus/layer_norm") && WorkersSeen().size() == 2; }));
  kill(campaign, SIGKILL);
  waitpid(campaign, nullptr, 0);
  for (const pid_t worker : WorkersSeen()) EXPECT_TRUE(Within(2, [&] { return !Lives(worker); })) << worker;
  Behave("count");
  const auto again = RunCampaign(Options(0.3), {});
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_TRUE(again.value().resumed);
  EXPECT_EQ(again.value().last.corpus, 4u);
}

TEST(DefaultCampaignDir, NamesKernelAndOp) {
  norm::Kernel kernel;
  kernel.name = "mutant:x";
  kernel.ops = {norm::Op::kLayerNorm, norm::Op::kRmsNorm};
  EXPECT_EQ(DefaultCampaignDir(kernel, {}), "normcheck-fuzz/mutant-x");
  EXPECT_EQ(DefaultCampaignDir(kernel, norm::Op::kRmsNorm), "normcheck-fuzz/mutant-x-rms_norm");
  kernel.ops = {norm::Op::kRmsNorm};
  EXPECT_EQ(DefaultCampaignDir(kernel, {}), "normcheck-fuzz/mutant-x-rms_norm");
}

TEST(ParseDuration, ReadsSecondsMinutesHours) {
  const std::pair<const char*, double> good[] = {{"60s", 60}, {"10m", 600}, {"2h", 7200}, {"0.5s", 0.5}, {"1000h", 3600000}};
  for (const auto& [text, seconds] : good) {
    const auto parsed = ParseDuration(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(parsed.value(), seconds) << text;
  }
}

TEST(ParseDuration, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "60", "banana", "-1s", "0s", "nans", "infs", "1e3s", "1 s", "10ms", "1d", "1001h", "+5s"})
    EXPECT_FALSE(ParseDuration(text).ok()) << text;
}

}  // namespace
}  // namespace normcheck::fuzz

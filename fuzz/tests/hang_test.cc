// What a hang is: processor time or sleep on one input, twice; with real processes.
#include <gtest/gtest.h>
#include <signal.h>

#include "fuzz/stuck_watch.h"
#include "fuzz/tests/campaign_fixture.h"

namespace normcheck::fuzz {
namespace {

class Hang : public Campaign {
 protected:
  // At most a minute; ends with the first finding.
  CampaignResult RunUntilFound(double seconds = 60) const {
    CampaignOptions options = Options(seconds);
    options.hang_seconds = 1;
    options.jobs = 1;
    const auto result = RunCampaign(options, [](const CampaignStatus& status) {
      if (status.findings > 0) kill(getpid(), SIGINT);
    });
    EXPECT_TRUE(result.ok()) << result.error();
    return result.ok() ? result.value() : CampaignResult{};
  }

  std::vector<std::string> Signatures(const CampaignResult& result) const {
    std::vector<std::string> signatures;
    for (const CampaignFinding& finding : result.findings) signatures.push_back(finding.signature);
    return signatures;
  }
};

char StateOf(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string id, name;
  char state = 0;
  file >> id >> name >> state;
  return state;
}

// 0 where there is none.
pid_t AnyChild() {
  pid_t child = 0;
  for (const auto& task : fs::directory_iterator("/proc/self/task"))
    if (std::ifstream(task.path() / "children") >> child) return child;
  return 0;
}

TEST_F(Hang, KernelThatNeverReturnsIsFound) {
  Behave("spins");
  EXPECT_EQ(Signatures(RunUntilFound()), std::vector<std::string>{"layer_norm-f32-hang"});
}

TEST_F(Hang, KernelThatIgnoresSignalsIsFound) {
  Behave("deaf");
  EXPECT_EQ(Signatures(RunUntilFound()), std::vector<std::string>{"layer_norm-f32-hang"});
}

TEST_F(Hang, InputThatSleptButEndsAloneIsNoFinding) {
  Behave("naps in company");
  const CampaignResult result = RunUntilFound(3);
  EXPECT_EQ(Signatures(result), std::vector<std::string>{});
  EXPECT_GE(result.restarts, 2u);  // the end of the first worker, and of the trial
  EXPECT_FALSE(fs::exists(Dir() / "workers/0.suspect"));
}

TEST_F(Hang, ProcessorTimeSpentOnlyAfterOtherCallsIsAFindingOfItsOwn) {
  Behave("spins in company");
  EXPECT_EQ(Signatures(RunUntilFound()), std::vector<std::string>{"layer_norm-f32-hang-after-other-calls"});
}

TEST_F(Hang, WorkerThatWasStoppedForLongerThanTheLimitMakesNone) {
  Behave("stopped");
  pid_t worker = 0;
  std::thread waker([&] {
    // The campaign's only child; its flight is under way when it has stopped itself.
    ASSERT_TRUE(Within(20, [&] { return (worker = AnyChild()) != 0 && StateOf(worker) == 'T'; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    EXPECT_EQ(StateOf(worker), 'T');
    kill(worker, SIGCONT);
  });
  const CampaignResult result = RunUntilFound(6);
  waker.join();
  EXPECT_EQ(Signatures(result), std::vector<std::string>{});
  EXPECT_EQ(result.restarts, 0u);
  EXPECT_GT(result.last.executions, 1u);
}

TEST_F(Hang, SuspectOfACampaignThatEndedIsTriedByTheNext) {
  Behave("spins");
  RunUntilFound(0.1);
  std::ofstream(Dir() / "workers/0.suspect") << "input";
  EXPECT_EQ(RunUntilFound().findings.size(), 1u);
}

TEST(StuckWatch, ProcessorTimeOfTheProcessAndItsChildrenCounts) {
  const auto before = properties::plug_in::ActivityOf(getpid());
  ASSERT_TRUE(before.has_value());
  EXPECT_FALSE(before->asleep);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto spent = [&] { return properties::plug_in::ActivityOf(getpid())->processor_seconds - before->processor_seconds; };
  while (spent() < 0.05) ASSERT_LT(std::chrono::steady_clock::now(), until);
  EXPECT_FALSE(properties::plug_in::ActivityOf(0x7ffffffe).has_value());
}

}  // namespace
}  // namespace normcheck::fuzz

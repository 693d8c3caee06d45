// Campaigns that are killed, starved and hung, with real processes and real file systems.
#include <gtest/gtest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fuzz/campaign_dir.h"
#include "fuzz/tests/campaign_fixture.h"
#include "fuzz/worker_stats.h"
#include "reference/case_json.h"

namespace normcheck::fuzz {
namespace {

pid_t Forked(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  body();
  _exit(0);
}

int CodeOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string TextOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Everything below a folder but the lock, the workers' own files and the summary.
std::map<std::string, std::string> Kept(const fs::path& dir) {
  std::map<std::string, std::string> files;
  for (const char* folder : {"corpus", "findings", "worst"})
    for (const auto& entry : fs::recursive_directory_iterator(dir / folder))
      if (entry.is_regular_file()) files[entry.path().string()] = TextOf(entry.path());
  return files;
}

class Kill : public Campaign {
 protected:
  std::uint64_t ExecutionsOnDisk() const {
    std::uint64_t sum = 0;
    for (const char* file : {"workers/0.json", "workers/1.json"}) {
      const auto stats = ReadWorkerStats((Dir() / file).string());
      sum += stats.ok() ? stats.value().executions : 0;
    }
    return sum;
  }

  // Short campaigns until there is one finding.
  void Begin() {
    Behave("crash");
    ASSERT_TRUE(Within(20, [&] {
      const auto first = RunCampaign(Options(0.3), {});
      EXPECT_TRUE(first.ok()) << first.error();
      return !first.ok() || first.value().findings.size() == 1;
    }));
    Behave("count");
  }

  // A campaign of workers that behave so ends with one finding, after more than one restart.
  void ExpectOneFinding(const char* behaviour, std::string_view signature) {
    Behave(behaviour);
    const auto result = RunCampaign(Options(1.5), {});
    ASSERT_TRUE(result.ok()) << result.error();
    ASSERT_EQ(result.value().findings.size(), 1u);
    EXPECT_EQ(result.value().findings.front().signature, signature);
    EXPECT_GT(result.value().restarts, 1u);
  }

  // Runs a campaign in a child and answers its error, empty where it went well.
  std::string ErrorInChild(const std::function<void()>& before) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = Forked([&] {
      before();
      const auto result = RunCampaign(Options(0.5), {});
      const std::string error = result.ok() ? "" : result.error();
      _exit(write(ends[1], error.data(), error.size()) == static_cast<ssize_t>(error.size()) ? 0 : 1);
    });
    close(ends[1]);
    std::string error(4096, 0);
    const ssize_t size = read(ends[0], error.data(), error.size());
    close(ends[0]);
    const int code = CodeOf(child);
    return code == 0 ? error.substr(0, static_cast<std::size_t>(size)) : "ended with " + std::to_string(code);
  }

  // What is there stays, and the next campaign goes on.
  void ExpectResumes(const std::map<std::string, std::string>& kept) {
    for (const auto& [file, text] : kept) EXPECT_EQ(TextOf(file), text) << file;
    const auto again = RunCampaign(Options(0.3), {});
    ASSERT_TRUE(again.ok()) << again.error();
    EXPECT_TRUE(again.value().resumed);
    EXPECT_EQ(again.value().findings.size(), 1u);
  }
};

TEST_F(Kill, CrashBecomesAFindingAndTheWorkerStartsAgain) {
  Behave("crash");
  const auto result = RunCampaign(Options(1.5), {});
  ASSERT_TRUE(result.ok()) << result.error();
  ASSERT_EQ(result.value().findings.size(), 1u);
  EXPECT_EQ(result.value().findings.front().signature, "layer_norm-f32-crash");
  const auto c = reference::ReadCaseFile(result.value().findings.front().file);
  ASSERT_TRUE(c.ok()) << c.error();
  EXPECT_EQ(c.value().width, 4u);
  EXPECT_GT(result.value().restarts, 1u);
}

TEST_F(Kill, WorkersThatNeverRunAreAnErrorThatNamesTheLog) {
  Behave("hollow");
  const auto result = RunCampaign(Options(5), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find(".log"), std::string::npos) << result.error();
}

TEST_F(Kill, InterruptEndsStubbornWorkersWithinTwoSeconds) {
  Behave("stubborn");
  std::chrono::steady_clock::time_point asked;
  std::thread killer([&] {
    Within(5, [&] { return WorkersSeen().size() == 2; });
    asked = std::chrono::steady_clock::now();
    kill(getpid(), SIGINT);
  });
  const auto result = RunCampaign(Options(30), {});
  const auto took = std::chrono::steady_clock::now() - asked;
  killer.join();
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_TRUE(result.value().interrupted);
  EXPECT_EQ(Summary().at("state"), "interrupted");
  EXPECT_LT(took, std::chrono::seconds(2));
  ASSERT_EQ(WorkersSeen().size(), 2u);
  for (const pid_t worker : WorkersSeen()) EXPECT_FALSE(Lives(worker)) << worker;
}

TEST_F(Kill, KilledCampaignLeavesNoOrphansAndResumes) {
  Behave("stubborn");
  const pid_t campaign = Forked([&] { static_cast<void>(RunCampaign(Options(30), {})); });
  ASSERT_TRUE(Within(5, [&] { return WorkersSeen().size() == 2 && ExecutionsOnDisk() > 20; }));
  const std::uint64_t executions = ExecutionsOnDisk();
  kill(campaign, SIGKILL);
  waitpid(campaign, nullptr, 0);
  for (const pid_t worker : WorkersSeen()) EXPECT_TRUE(Within(2, [&] { return !Lives(worker); })) << worker;
  EXPECT_EQ(Summary().at("state"), "running");
  Behave("mild");
  const auto again = RunCampaign(Options(0.3), {});
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_TRUE(again.value().resumed);
  EXPECT_GT(again.value().last.all_executions, executions);
  EXPECT_LT(again.value().last.executions, again.value().last.all_executions);
  EXPECT_EQ(again.value().last.worst_row_ulp, 3.0);
  EXPECT_EQ(Summary().at("sessions"), 2);
  EXPECT_EQ(again.value().last.corpus, 4u);
}

TEST_F(Kill, KilledWorkerIsNoFindingAndIsStartedAgain) {
  std::thread killer([&] {
    Within(5, [&] { return WorkersSeen().size() == 2 && ExecutionsOnDisk() > 10; });
    kill(WorkersSeen().front(), SIGKILL);
  });
  const auto result = RunCampaign(Options(1.5), {});
  killer.join();
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result.value().restarts, 1u);
  EXPECT_TRUE(result.value().findings.empty());
  EXPECT_EQ(WorkersSeen().size(), 3u);
}

TEST_F(Kill, KernelThatEndsTheProcessIsAFinding) {
  ExpectOneFinding("exit", "layer_norm-f32-exit");
}

TEST_F(Kill, KernelThatScribblesOverTheHeapIsAFindingAndTheCampaignGoesOn) {
  ASSERT_NO_FATAL_FAILURE(ExpectOneFinding("scribbles", "layer_norm-f32-crash"));
  Behave("count");
  const auto again = RunCampaign(Options(0.5), {});
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_GT(again.value().last.executions, 2u);
}

TEST_F(Kill, SecondCampaignIsRefusedWhileTheFirstGoesOn) {
  const pid_t first = Forked([&] {
    const auto result = RunCampaign(Options(1.5), {});
    _exit(result.ok() && result.value().last.executions > 2 ? 0 : 1);
  });
  ASSERT_TRUE(Within(5, [&] { return WorkersSeen().size() == 2; }));
  const auto second = RunCampaign(Options(0.2), {});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().find("another campaign is running"), std::string::npos) << second.error();
  EXPECT_EQ(CodeOf(first), 0);
}

TEST_F(Kill, FileLimitIsAClearErrorAndDamagesNothing) {
  Begin();
  const auto kept = Kept(Dir());
  const std::string summary = TextOf(Dir() / "summary.json");
  const std::string error = ErrorInChild([] {
    const rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  EXPECT_NE(error.find("summary.json: file: cannot write it: File too large"), std::string::npos) << error;
  EXPECT_EQ(TextOf(Dir() / "summary.json"), summary);
  ExpectResumes(kept);
}

TEST_F(Kill, WorkerThatCannotRecordEndsTheCampaignWithOneError) {
  Behave("unrecorded");
  const auto result = RunCampaign(Options(5), {});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("campaign: cannot be written"), std::string::npos) << result.error();
}

// A small file system of its own under the campaign's folder. Needs the right to mount.
class SmallDisk : public Kill {
 protected:
  void TearDown() override {
    umount2(Dir().c_str(), MNT_DETACH);
    Kill::TearDown();
  }
  bool Mount() {
    fs::create_directories(Dir());
    return mount("none", Dir().c_str(), "tmpfs", 0, "size=256k") == 0;
  }
};

TEST_F(SmallDisk, FullDiskIsAClearErrorAndDamagesNothing) {
  if (!Mount()) GTEST_SKIP() << "not checked: tmpfs cannot be mounted here";
  Begin();
  const auto kept = Kept(Dir());
  const std::string summary = TextOf(Dir() / "summary.json");
  std::ofstream(Dir() / "workers/filler") << std::string(1 << 20, 'x');
  const std::string error = ErrorInChild([] {});
  EXPECT_NE(error.find("No space left on device"), std::string::npos) << error;
  EXPECT_EQ(TextOf(Dir() / "summary.json"), summary);
  fs::remove(Dir() / "workers/filler");
  ExpectResumes(kept);
}

TEST_F(SmallDisk, ReadOnlyDirectoryIsAClearError) {
  if (!Mount()) GTEST_SKIP() << "not checked: tmpfs cannot be mounted here";
  Begin();
  const auto kept = Kept(Dir());
  ASSERT_EQ(mount("none", Dir().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=256k"), 0);
  const std::string error = ErrorInChild([] {});
  EXPECT_NE(error.find("cannot be written (Read-only file system)"), std::string::npos) << error;
  ASSERT_EQ(mount("none", Dir().c_str(), "tmpfs", MS_REMOUNT, "size=256k"), 0);
  ExpectResumes(kept);
}

}  // namespace
}  // namespace normcheck::fuzz

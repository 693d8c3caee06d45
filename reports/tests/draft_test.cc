// A report's folder appears whole or not at all, and a killed run's cells are taken over by the next.
#include "reports/draft.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;

class ReportDraftTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(::testing::TempDir()) / (std::string("normcheck-draft-") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string Target() const { return (root_ / "report").string(); }
  std::size_t Entries() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(root_), {})); }
  reference::Result<std::unique_ptr<ReportDraft>> Open(int identity = 1) const { return ReportDraft::Open(Target(), {{"id", identity}}); }

  static void PutOne(ReportDraft& draft, const std::string& key) {
    const std::string file = "worst/" + key + ".case.json";
    draft.Put(key, {{"judged", 3}, {"worst", {{"file", file}}}}, file, "text of " + key);
  }

  // What is left by a process that keeps a cell and is killed.
  void KillAfterOneCell() const {
    const pid_t child = fork();
    if (child == 0) {
      const auto draft = Open();
      PutOne(*draft.value(), "a");
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_FALSE(fs::exists(Target()));
  }

  fs::path root_;
};

TEST_F(ReportDraftTest, AppearsWholeAndLeavesNothingBeside) {
  for (int again = 0; again < 2; ++again) {
    const auto draft = Open();
    ASSERT_TRUE(draft.ok()) << draft.error();
    EXPECT_EQ(draft.value()->resumed(), 0u);
    PutOne(*draft.value(), "a");
    ASSERT_TRUE(draft.value()->Write("report.json", "{}").ok());
    ASSERT_TRUE(draft.value()->Publish(false).ok());
  }
  EXPECT_EQ(Entries(), 1u);
  EXPECT_TRUE(fs::exists(Target() + "/report.json"));
  EXPECT_TRUE(fs::exists(Target() + "/worst/a.case.json"));
  EXPECT_FALSE(fs::exists(Target() + "/.cells.jsonl"));
}

TEST_F(ReportDraftTest, GoesWithItsRunUnlessPublished) {
  PutOne(*Open().value(), "a");
  EXPECT_EQ(Entries(), 0u);
}

// An interrupted run whose cells have no case file, as kept wide ones, has no folder of them.
TEST_F(ReportDraftTest, TakesOverCellsWithoutCases) {
  {
    const auto draft = Open();
    draft.value()->Put("a", {{"judged", 3}, {"worst", {{"row", 0}}}}, "", "");
    ASSERT_TRUE(draft.value()->Publish(true).ok());
    ASSERT_FALSE(fs::exists(Target() + "/worst"));
  }
  EXPECT_EQ(Open().value()->resumed(), 1u);
}

TEST_F(ReportDraftTest, TakesOverTheCellsOfAKilledRun) {
  KillAfterOneCell();
  const auto draft = Open();
  ASSERT_TRUE(draft.ok()) << draft.error();
  EXPECT_EQ(draft.value()->resumed(), 1u);
  ASSERT_NE(draft.value()->Find("a"), nullptr);
  EXPECT_EQ(draft.value()->Find("a")->at("judged"), 3);
  EXPECT_EQ(draft.value()->Find("b"), nullptr);
}

TEST_F(ReportDraftTest, DropsTheCellsOfAnotherIdentity) {
  KillAfterOneCell();
  const auto draft = Open(2);
  ASSERT_TRUE(draft.ok()) << draft.error();
  EXPECT_EQ(draft.value()->resumed(), 0u);
  EXPECT_FALSE(fs::exists(root_ / ".report.partial" / "worst" / "a.case.json"));
}

// A5: laws are kept like cells, with the case that breaks them.
TEST_F(ReportDraftTest, KeepsLawsWithTheirCases) {
  for (const bool gone : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      const auto draft = Open();
      draft.value()->Put("k law a", {{"law", "a"}, {"file", "worst/a.case.json"}}, "worst/a.case.json", "text");
      draft.value()->Put("k law b", {{"law", "b"}}, "", "");
      raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (gone) fs::remove(root_ / ".report.partial" / "worst" / "a.case.json");
    EXPECT_EQ(Open().value()->resumed(), gone ? 1u : 2u);
  }
}

TEST_F(ReportDraftTest, DropsACellWhoseWorstRowIsGone) {
  KillAfterOneCell();
  fs::remove(root_ / ".report.partial" / "worst" / "a.case.json");
  EXPECT_EQ(Open().value()->resumed(), 0u);
}

TEST_F(ReportDraftTest, TakesOverAnInterruptedReport) {
  {
    const auto draft = Open();
    PutOne(*draft.value(), "a");
    ASSERT_TRUE(draft.value()->Write("report.json", "{}").ok());
    ASSERT_TRUE(draft.value()->Publish(true).ok());
  }
  const auto draft = Open();
  EXPECT_EQ(draft.value()->resumed(), 1u);
  EXPECT_TRUE(fs::exists(root_ / ".report.partial" / "worst" / "a.case.json"));
  EXPECT_TRUE(fs::exists(Target() + "/report.json"));
}

TEST_F(ReportDraftTest, RefusesASecondRunOnTheSameTarget) {
  const auto first = Open();
  ASSERT_TRUE(first.ok());
  const auto second = Open();
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().find("another run"), std::string::npos);
}

TEST_F(ReportDraftTest, RefusesAFileAndAFolderOfSomethingElse) {
  std::ofstream(root_ / "report") << "x";
  EXPECT_FALSE(Open().ok());
  fs::remove(root_ / "report");
  fs::create_directories(root_ / "report");
  std::ofstream(root_ / "report" / "precious.txt") << "keep";
  const auto draft = Open();
  ASSERT_FALSE(draft.ok());
  EXPECT_NE(draft.error().find("report"), std::string::npos);
  EXPECT_TRUE(fs::exists(root_ / "report" / "precious.txt"));
  EXPECT_EQ(Entries(), 1u);
}

}  // namespace
}  // namespace normcheck::reports

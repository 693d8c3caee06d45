// Campaigns and runs of the laws on plug-ins with state (D1, D2): whatever is found shows again by its own line, and says what it needs.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/campaign.h"
#include "fuzz/finding.h"
#include "fuzz/replay_steps.h"
#include "properties/kernels.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

// A kernel of kernel_with_state.c, and what is to be found of it.
struct Stateful {
  const char* name;
  const char* bucket;         // a bucket that must be there
  std::size_t most_before;    // calls that a finding may carry
};

class StateCampaign : public testing::TestWithParam<Stateful> {
 protected:
  StateCampaign() : dir_(fs::temp_directory_path() / ("normcheck-state-campaign-" + std::to_string(getpid()))) {}
  ~StateCampaign() override { fs::remove_all(dir_); }

  std::string Library() const { return std::string(NORMCHECK_STATE_PLUG_INS "/") + GetParam().name + ".so"; }

  CampaignResult Run() const {
    CampaignOptions options;
    options.kernel = properties::FindKernel(Library()).value();
    options.budget.executions = 2000;
    options.jobs = 2;
    options.dir = dir_.string();
    auto result = RunCampaign(options, {});
    EXPECT_TRUE(result.ok()) << result.error();
    return result.ok() ? result.value() : CampaignResult{};
  }

  fs::path dir_;
};

std::string TextOf(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The line as it is printed, with the program that is built in place of ./normcheck.
int ExitOf(const std::string& line) {
  const std::string lead = "./normcheck ";
  EXPECT_TRUE(line.starts_with(lead)) << line;
  const int status = std::system((std::string(NORMCHECK_TOOL) + " " + line.substr(lead.size()) + " >/dev/null 2>&1").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What the note of such a finding says; null: no such finding may be there.
const char* SentenceOf(const std::string& bucket) {
  if (bucket == kOnlyAfterOthers) return "needs earlier calls: the case is kept by itself";
  if (bucket == kNotRepeatable || bucket == "law-repeatable-not-repeatable") return "not repeatable: broken in ";
  if (bucket == "law-repeatable-only-after-other-calls") return "needs earlier calls: the case is kept by itself";
  return bucket == "law-repeatable" ? "breaks the law repeatable: the same call" : nullptr;
}

// A kernel of chance may have looked like one that counts its calls: its line gets three tries.
bool Shows(const std::string& line) {
  const int tries = line.find("random") == std::string::npos ? 1 : 3;
  for (int i = 0; i < tries; ++i)
    if (ExitOf(line) == 1) return true;
  return false;
}

TEST_P(StateCampaign, EveryFindingShowsByItsLineAndSaysWhatItNeeds) {
  const CampaignResult result = Run();
  ASSERT_FALSE(result.findings.empty());
  bool expected = false;
  for (const CampaignFinding& finding : result.findings) {
    EXPECT_TRUE(Shows(finding.replay)) << finding.replay;
    const std::string note = TextOf(dir_ / "findings" / (finding.signature + ".md"));
    EXPECT_NE(note.find(finding.replay), std::string::npos) << note;
    EXPECT_EQ(note.find("likely"), std::string::npos) << note;
    EXPECT_EQ(note.find("\nkept"), std::string::npos) << note;
    EXPECT_LE(BeforeFiles(finding.file).size(), GetParam().most_before) << finding.signature;
    ASSERT_NE(SentenceOf(finding.bucket), nullptr) << finding.signature;
    EXPECT_NE(note.find(SentenceOf(finding.bucket)), std::string::npos) << note;
    expected = expected || finding.bucket == GetParam().bucket;
  }
  EXPECT_TRUE(expected) << GetParam().bucket;
}

// Runs the command in the scratch folder and answers what it wrote to stdout.
std::string OutputOf(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>/dev/null").c_str(), "r");
  for (int ch = std::fgetc(pipe); ch != EOF; ch = std::fgetc(pipe)) text += static_cast<char>(ch);
  pclose(pipe);
  return text;
}

std::vector<std::string> ReplayLines(const std::string& text) {
  std::vector<std::string> lines;
  constexpr std::string_view kLead = "replay ./normcheck";
  for (std::size_t at = text.find(kLead); at != std::string::npos; at = text.find(kLead, at + 1))
    lines.push_back(text.substr(at + 7, text.find('\n', at) - at - 7));
  return lines;
}

TEST_P(StateCampaign, EveryBrokenLawShowsByItsLine) {
  fs::create_directories(dir_);
  const fs::path before = fs::current_path();
  fs::current_path(dir_);
  const std::string text = OutputOf(NORMCHECK_TOOL " properties --law judged --law monotonic --law batch-independence --law repeatable --all --cases 100 --junit laws.xml --kernel " + Library());
  const std::string junit = TextOf("laws.xml");
  const auto lines = ReplayLines(text);
  EXPECT_GE(lines.size(), 1u) << text;
  EXPECT_NE(text.find("--case "), std::string::npos) << text;
  for (const std::string& line : lines) {
    EXPECT_EQ(ExitOf(line), 1) << line;
    EXPECT_NE(junit.find("replay: " + line), std::string::npos) << line;
  }
  EXPECT_NE(text.find(GetParam().bucket == std::string(kNotRepeatable) ? "not repeatable" : "needs earlier calls"), std::string::npos) << text;
  fs::current_path(before);
}

// D2: of a law that needs no reference, the line asks that law of the case.
TEST(ReplayLines, OfALawNameTheLawAndTheCase) {
  const fs::path dir = fs::temp_directory_path() / ("normcheck-law-lines-" + std::to_string(getpid()));
  fs::create_directories(dir);
  const fs::path before = fs::current_path();
  fs::current_path(dir);
  for (const auto& [mutant, law] : {std::pair{"mutant:large-batch-path", "batch-size"}, {"mutant:second-call", "repeatable"}}) {
    const auto lines = ReplayLines(OutputOf(std::string(NORMCHECK_TOOL " properties --kernel ") + mutant + " --law " + law));
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_TRUE(lines[0].starts_with(std::string("./normcheck properties --kernel ") + mutant + " --law " + law + " --case ")) << lines[0];
    EXPECT_EQ(ExitOf(lines[0]), 1) << lines[0];
  }
  fs::current_path(before);
  fs::remove_all(dir);
}

INSTANTIATE_TEST_SUITE_P(Kernels, StateCampaign,
                         testing::Values(Stateful{"counter_10", "only-after-other-calls", 0}, Stateful{"counter_300", "only-after-other-calls", 0},
                                         Stateful{"sticky", "only-after-other-calls", 1}, Stateful{"cache", "only-after-other-calls", 1},
                                         Stateful{"random_5", "not-repeatable", 0}, Stateful{"random_100", "not-repeatable", 0}),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace normcheck::fuzz

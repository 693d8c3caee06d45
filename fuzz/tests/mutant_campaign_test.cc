// The real targets on real mutants and on libraries: a short campaign finds each, and every finding tells it from the production kernel.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "fuzz/campaign.h"
#include "fuzz/finding.h"
#include "properties/kernels.h"
#include "reference/case_json.h"
#include "reference/judge.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

class MutantCampaign : public testing::TestWithParam<const char*> {
 protected:
  MutantCampaign() : dir_(fs::temp_directory_path() / ("normcheck-mutant-campaign-" + std::to_string(getpid()))) {}
  ~MutantCampaign() override { fs::remove_all(dir_); }

  CampaignOptions Options() const {
    CampaignOptions options;
    const auto kernel = properties::FindKernel(GetParam());
    if (kernel.ok()) options.kernel = kernel.value();
    options.budget.executions = 400;
    options.jobs = 1;
    options.dir = dir_.string();
    return options;
  }

  fs::path dir_;
};

TEST_P(MutantCampaign, FindsCasesThatTell) {
  const auto result = RunCampaign(Options(), {});
  ASSERT_TRUE(result.ok()) << result.error();
  ASSERT_FALSE(result.value().findings.empty());
  for (const CampaignFinding& finding : result.value().findings) {
    const auto c = reference::ReadCaseFile(finding.file);
    ASSERT_TRUE(c.ok()) << c.error();
    EXPECT_FALSE(reference::Judge(Options().kernel, c.value(), {}).kept) << finding.replay;
    EXPECT_TRUE(ASoundKernelKeeps(c.value())) << finding.file;
  }
}

TEST_P(MutantCampaign, CountsEveryCaseForItsFamilyOrItsWayOfChange) {
  ASSERT_TRUE(RunCampaign(Options(), {}).ok());
  std::ifstream file(dir_ / "summary.json");
  const nlohmann::json summary = nlohmann::json::parse(file);
  std::map<std::string, std::uint64_t> judged;
  std::uint64_t sum = 0;
  for (const auto& entry : summary.at("coverage").at("families")) {
    judged[entry.at("family")] += entry.at("judged").get<std::uint64_t>();
    sum += entry.at("judged").get<std::uint64_t>();
  }
  EXPECT_EQ(sum, summary.at("judged"));
  for (const char* way : {"moves", "bytes", "crossover", "corpus"}) EXPECT_GT(judged[way], 0u) << way;
  EXPECT_GT(judged["moves"], judged["bytes"]);
  EXPECT_GT(judged.size(), 4u + 5u);  // families beside the ways: a share of 400 executions meets more than five of them
}

// Names and texts of the files in a folder.
std::map<std::string, std::string> FilesIn(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    files[entry.path().filename()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

using RepeatedCampaign = MutantCampaign;

TEST_P(RepeatedCampaign, KeepsTheSameInputsAndWorstRows) {
  std::vector<std::map<std::string, std::string>> corpora, worst;
  for (const char* run : {"first", "second"}) {
    CampaignOptions options = Options();
    options.op = norm::Op::kLayerNorm;
    options.budget.executions = 6000;
    options.dir = (dir_ / run).string();
    ASSERT_TRUE(RunCampaign(options, {}).ok());
    corpora.push_back(FilesIn(dir_ / run / "corpus/layer_norm"));
    worst.push_back(FilesIn(dir_ / run / "worst"));
  }
  EXPECT_GT(corpora[0].size(), 500u);
  EXPECT_GT(worst[0].size(), 50u);
  EXPECT_TRUE(corpora[0] == corpora[1]) << corpora[0].size() << " and " << corpora[1].size() << " inputs";
  EXPECT_TRUE(worst[0] == worst[1]) << worst[0].size() << " and " << worst[1].size() << " worst rows";
}

using PlugInCampaign = MutantCampaign;

TEST_P(PlugInCampaign, FindsAKernelThatCorruptsItsMemoryAndGoesOn) {
  CampaignOptions options = Options();
  options.budget.executions = 150;
  ASSERT_EQ(options.kernel.name, GetParam());
  const auto result = RunCampaign(options, {});
  ASSERT_TRUE(result.ok()) << result.error();
  ASSERT_FALSE(result.value().findings.empty());
  for (const CampaignFinding& finding : result.value().findings) EXPECT_EQ(finding.bucket, "the-kernel-crashed") << finding.replay;
  EXPECT_EQ(result.value().last.executions, 150u);
  EXPECT_EQ(result.value().restarts, 0u);
}

std::string NameOfMutant(const testing::TestParamInfo<const char*>& mutant) {
  std::string name = fs::path(mutant.param).stem();
  std::erase_if(name, [](char ch) { return ch == ':' || ch == '-'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Three, MutantCampaign,
                         testing::Values("mutant:one-pass-variance", "mutant:eps-after-root", "mutant:divisor-h-minus-1"),
                         NameOfMutant);
INSTANTIATE_TEST_SUITE_P(Production, RepeatedCampaign, testing::Values("layer_norm"), NameOfMutant);
INSTANTIATE_TEST_SUITE_P(Two, PlugInCampaign, testing::Values(NORMCHECK_TEST_PLUG_INS "/frees_often.so", NORMCHECK_TEST_PLUG_INS "/scribbles_often.so"),
                         NameOfMutant);

}  // namespace
}  // namespace normcheck::fuzz

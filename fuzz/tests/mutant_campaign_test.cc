// The real targets on real mutants: a short campaign finds each, and every finding tells it from the production kernel.
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
    EXPECT_TRUE(ProductionKeeps(c.value())) << finding.file;
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

std::string NameOfMutant(const testing::TestParamInfo<const char*>& mutant) {
  std::string name(mutant.param);
  std::erase_if(name, [](char ch) { return ch == ':' || ch == '-'; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Three, MutantCampaign,
                         testing::Values("mutant:one-pass-variance", "mutant:eps-after-root", "mutant:divisor-h-minus-1"),
                         NameOfMutant);

}  // namespace
}  // namespace normcheck::fuzz

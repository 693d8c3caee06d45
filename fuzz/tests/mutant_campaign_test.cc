// The real targets on real mutants: a short campaign finds each, and every finding tells it from the production kernel.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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

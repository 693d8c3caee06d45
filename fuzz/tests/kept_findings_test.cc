// Every finding that was kept (fuzz/findings): the production kernel keeps its contract on it, and the kernel on which it was
// found breaks the contract of that day in the same way.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/finding.h"
#include "properties/kernels.h"
#include "reference/case_json.h"
#include "reference/contract.h"
#include "reference/judge.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;

struct Origin {
  std::string kernel;
  std::string contract;
  std::string signature;
};

// "Found by normcheck fuzz on KERNEL (CONTRACT): SIGNATURE." as ExportFindings writes it.
Origin OriginOf(const std::string& source) {
  constexpr std::string_view kLead = "Found by normcheck fuzz on ";
  if (!source.starts_with(kLead)) return {};
  const std::size_t contract = source.find(" (", kLead.size()), signature = source.rfind("): ");
  if (contract == std::string::npos || signature == std::string::npos) return {};
  return {source.substr(kLead.size(), contract - kLead.size()), source.substr(contract + 2, signature - contract - 2),
          source.substr(signature + 3, source.size() - signature - 4)};
}

std::vector<fs::path> KeptFindings() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(KEPT_FINDINGS))
    if (entry.path().string().ends_with(".case.json")) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST(KeptFindings, TellTheKernelThatMadeThemFromTheProductionKernel) {
  const auto files = KeptFindings();
  ASSERT_GE(files.size(), 100u) << KEPT_FINDINGS;
  for (const fs::path& file : files) {
    const auto c = reference::ReadCaseFile(file.string());
    ASSERT_TRUE(c.ok()) << c.error();
    EXPECT_TRUE(ASoundKernelKeeps(c.value())) << "./normcheck judge " << file;
    const Origin origin = OriginOf(c.value().source);
    const auto kernel = properties::FindKernel(origin.kernel);
    ASSERT_TRUE(kernel.ok()) << file << ": " << kernel.error();
    const auto contract = reference::ParseContract(origin.contract);
    ASSERT_TRUE(contract.ok()) << file << ": " << contract.error();
    norm::Kernel as_found = kernel.value();
    as_found.contract = contract.value();
    const auto verdict = reference::Judge(as_found, c.value(), {});
    EXPECT_FALSE(verdict.kept) << ReplayLine(origin.kernel, file.string()) << " --contract " << origin.contract;
    EXPECT_TRUE(origin.signature.find(FaultClassOf(verdict)) != std::string::npos)
        << file << ": " << SignatureOf(c.value(), verdict) << " was " << origin.signature;
  }
}

}  // namespace
}  // namespace normcheck::fuzz

// What is done with a campaign that has run: its findings as regression cases, its corpus made small.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/campaign.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// True where the directory holds a campaign.
bool HoldsCampaign(const std::string& dir);

// Copies each finding to target/campaigns-KERNEL-SIGNATURE.case.json, a name that ReadRegressions takes, with kernel, contract
// and signature as source. Files that are there already stay as they are. Answers the paths. Creates the folder where missing.
// Errors: a finding that cannot be read, a file that cannot be written.
reference::Result<std::vector<std::string>> ExportFindings(const std::string& dir, const norm::Kernel& kernel, const std::string& target);

struct MinimizedCorpus {
  std::size_t before = 0;  // inputs
  std::size_t after = 0;
  bool interrupted = false;  // the corpus is as it was, for at least one op
};

// Replaces the corpus of each op by a smallest one that reaches as much (libFuzzer's -merge=1; error classes count as
// coverage), with every worst row in it. The old corpus stands until the new one is whole: they change places by a rename.
// Errors: no such campaign, in use, a target that fails; one line that names the thing and the mend.
reference::Result<MinimizedCorpus> MinimizeCorpus(const CampaignOptions& options);

}  // namespace normcheck::fuzz

// The directory of a campaign: ours, locked, and laid out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/campaign.h"
#include "norm/kernel_call.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// DIR/normcheck-campaign.json  marks the directory and names the kernel
//     lock                     held (flock) while a campaign runs; falls with the process, however it ends
//     corpus/OP/               inputs that reached something new, in byte form
//     findings/                SIGNATURE.case.json
//     workers/                 N.log, N.json (worker statistics), OP/ (inputs on which a worker died, until decoded)
class CampaignDir {
 public:
  // Creates or resumes. Errors: foreign, another kernel's, in use, unwritable.
  static reference::Result<CampaignDir> Open(const std::string& path, const std::string& kernel, const std::vector<norm::Op>& ops);

  CampaignDir(CampaignDir&& other) noexcept;
  CampaignDir& operator=(CampaignDir&& other) noexcept;
  ~CampaignDir();

  bool resumed() const { return resumed_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Corpus(norm::Op op) const { return path_ / "corpus" / NameOf(op); }
  std::filesystem::path Findings() const { return path_ / "findings"; }
  std::filesystem::path Workers() const { return path_ / "workers"; }
  std::filesystem::path Artifacts(norm::Op op) const { return Workers() / NameOf(op); }

  std::size_t CorpusSize() const;
  std::vector<CampaignFinding> ListFindings(const std::string& kernel) const;

 private:
  CampaignDir(std::filesystem::path path, int lock, bool resumed) : path_(std::move(path)), lock_(lock), resumed_(resumed) {}

  std::filesystem::path path_;
  int lock_ = -1;
  bool resumed_ = false;
};

}  // namespace normcheck::fuzz

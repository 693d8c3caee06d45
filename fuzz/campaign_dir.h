// The directory of a campaign: ours, locked, and laid out.
#pragma once

#include <filesystem>
#include <optional>
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
//     findings/                SIGNATURE.case.json or .mixed.json and what goes with it (finding_files.h)
//     worst/                   CELL.SCALE.row.json and its figures (worst_rows.h)
//     summary.json             the campaign so far (campaign_summary.h); summary.md and index.html are made from it
//     workers/                 N.log, N.json (statistics over all sessions), N.flight (flight_record.h), OP/N/ (inputs on
//                              which a worker died, until decoded)
class CampaignDir {
 public:
  // Creates or resumes; drafts that a killed process left are removed. Errors: foreign, another kernel's, in use, unwritable.
  static reference::Result<CampaignDir> Open(const std::string& path, const std::string& kernel, const std::vector<norm::Op>& ops);

  CampaignDir(CampaignDir&& other) noexcept;
  CampaignDir& operator=(CampaignDir&& other) noexcept;
  ~CampaignDir();

  // Like Open, of a campaign that is there already.
  static reference::Result<CampaignDir> OpenExisting(const std::string& path, const std::string& kernel,
                                                     const std::vector<norm::Op>& ops);

  // The kernel that the directory's marker names; nothing where it is no campaign's.
  static std::optional<std::string> KernelOf(const std::string& path);

  bool resumed() const { return resumed_; }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path Corpus(norm::Op op) const { return path_ / "corpus" / NameOf(op); }
  std::filesystem::path Findings() const { return path_ / "findings"; }
  std::filesystem::path Worst() const { return path_ / "worst"; }
  std::filesystem::path Summary() const { return path_ / "summary.json"; }
  std::filesystem::path Workers() const { return path_ / "workers"; }
  std::filesystem::path Artifacts(norm::Op op) const { return Workers() / NameOf(op); }

  // Removes the drafts of processes that have ended. Requires: no worker runs.
  void RemoveDrafts() const;
  std::size_t CorpusSize() const;
  std::vector<CampaignFinding> ListFindings(const std::string& kernel) const;

 private:
  CampaignDir(std::filesystem::path path, int lock, bool resumed) : path_(std::move(path)), lock_(lock), resumed_(resumed) {}

  std::optional<reference::Error> LayOut(const std::string& kernel, const std::vector<norm::Op>& ops) const;

  std::filesystem::path path_;
  int lock_ = -1;
  bool resumed_ = false;
};

}  // namespace normcheck::fuzz

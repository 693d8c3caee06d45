// Copying findings out of a campaign.
#include "fuzz/campaign_export.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "fuzz/campaign_dir.h"
#include "fuzz/finding.h"
#include "reference/case_json.h"
#include "reference/contract.h"
#include "reference/file_word.h"

namespace normcheck::fuzz {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

Result<std::vector<std::string>> ExportFindings(const std::string& dir, const norm::Kernel& kernel, const std::string& target) {
  const auto campaign = CampaignDir::OpenExisting(dir, kernel.name, {});
  if (!campaign.ok()) return Error{campaign.error()};
  std::error_code fault;
  fs::create_directories(target, fault);
  if (fault) return Error{target + ": cannot be written (" + fault.message() + "); choose another --export"};
  std::vector<std::string> written;
  for (const CampaignFinding& finding : campaign.value().ListFindings(kernel.name)) {
    const fs::path path = fs::path(target) / ("campaigns-" + reference::FileWord(kernel.name) + "-" + finding.signature + ".case.json");
    written.push_back(path.string());
    if (fs::exists(path)) continue;
    auto c = reference::ReadCaseFile(finding.file);
    if (!c.ok()) return Error{c.error()};
    reference::Case copy = std::move(c).value();
    copy.source = "Found by normcheck fuzz on " + kernel.name + " (" + reference::ContractText(kernel.contract) + "): " + finding.signature + ".";
    const auto done = reference::WriteFileAtomically(path.string(), reference::CaseText(copy));
    if (!done.ok()) return Error{done.error()};
  }
  return written;
}

}  // namespace normcheck::fuzz

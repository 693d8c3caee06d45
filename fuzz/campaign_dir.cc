// Creating, marking, locking and reading a campaign's directory.
#include "fuzz/campaign_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "fuzz/finding.h"
#include "reference/case_json.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

constexpr const char* kDirectorySchema = "normcheck/campaign-directory/1";
constexpr const char* kMarker = "normcheck-campaign.json";
constexpr const char* kLock = "lock";

Error Unwritable(const fs::path& path, const std::string& why) {
  return {path.string() + ": cannot be written (" + why + "); choose another --dir"};
}

// Nothing where there is no marker of ours.
std::optional<std::string> MarkedKernel(const fs::path& dir) {
  std::ifstream file(dir / kMarker);
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("schema") == kDirectorySchema) return json.at("kernel").get<std::string>();
  } catch (const nlohmann::json::exception&) {
  }
  return std::nullopt;
}

bool IsDraft(const fs::path& path) { return path.extension() == ".part"; }

// A lock, and a draft of the marker, are a campaign of ours that was killed before it wrote its marker.
bool HoldsForeignFiles(const fs::path& dir) {
  std::error_code fault;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    const bool ours = name == kLock || (name.starts_with(kMarker) && IsDraft(entry->path()));
    if (!ours) return true;
  }
  return false;
}

// Under the lock there is no other writer.
void RemoveDraftsIn(const fs::path& dir) {
  std::error_code fault;
  std::vector<fs::path> drafts;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault))
    if (IsDraft(entry->path())) drafts.push_back(entry->path());
  for (const fs::path& draft : drafts) fs::remove(draft, fault);
}

std::optional<Error> RefusalOf(const fs::path& dir, const std::string& kernel) {
  std::error_code fault;
  const fs::file_status status = fs::status(dir, fault);
  if (!fs::exists(status)) return std::nullopt;
  if (!fs::is_directory(status)) return Error{dir.string() + ": is no directory; choose another --dir"};
  const std::optional<std::string> owner = MarkedKernel(dir);
  if (!owner && HoldsForeignFiles(dir))
    return Error{dir.string() + ": holds files that are no campaign's; choose an empty or new --dir"};
  if (owner && *owner != kernel)
    return Error{dir.string() + ": holds a campaign of kernel " + *owner + "; choose another --dir"};
  return std::nullopt;
}

Result<int> Lock(const fs::path& dir) {
  const fs::path file = dir / kLock;
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock < 0) return Unwritable(dir, std::strerror(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  const bool busy = errno == EWOULDBLOCK;
  const std::string why = std::strerror(errno);
  ::close(lock);
  if (busy) return Error{dir.string() + ": another campaign is running on it; wait for it or choose another --dir"};
  return Error{file.string() + ": cannot be locked (" + why + "); choose another --dir"};
}

std::size_t CountFiles(const fs::path& dir) {
  std::size_t count = 0;
  std::error_code fault;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault)) ++count;
  return count;
}

}  // namespace

Result<CampaignDir> CampaignDir::Open(const std::string& path, const std::string& kernel, const std::vector<norm::Op>& ops) {
  const fs::path root(path);
  if (const auto refusal = RefusalOf(root, kernel)) return *refusal;
  std::error_code fault;
  fs::create_directories(root, fault);
  if (fault) return Unwritable(root, fault.message());
  const auto lock = Lock(root);
  if (!lock.ok()) return Error{lock.error()};
  CampaignDir dir(root, lock.value(), MarkedKernel(root).has_value());
  if (auto error = dir.LayOut(kernel, ops)) return *error;
  return dir;
}

Result<CampaignDir> CampaignDir::OpenExisting(const std::string& path, const std::string& kernel, const std::vector<norm::Op>& ops) {
  if (!MarkedKernel(path)) return Error{path + ": holds no campaign; run normcheck fuzz with --time first, or name its --dir"};
  return Open(path, kernel, ops);
}

std::optional<std::string> CampaignDir::KernelOf(const std::string& path) { return MarkedKernel(path); }

void CampaignDir::RemoveDrafts() const {
  for (const fs::path& written : {path_, Findings(), Worst(), Workers()}) RemoveDraftsIn(written);
}

std::optional<Error> CampaignDir::LayOut(const std::string& kernel, const std::vector<norm::Op>& ops) const {
  RemoveDrafts();
  const nlohmann::ordered_json marker = {{"schema", kDirectorySchema}, {"kernel", kernel}};
  if (!resumed_) {
    const auto marked = reference::WriteFileAtomically((path_ / kMarker).string(), reference::JsonText(marker) + "\n");
    if (!marked.ok()) return Error{marked.error()};
  }
  std::vector<fs::path> folders = {Findings(), Worst(), Workers()};
  for (const norm::Op op : ops) folders.insert(folders.end(), {Corpus(op), Artifacts(op)});
  for (const fs::path& folder : folders) {
    std::error_code fault;
    fs::create_directories(folder, fault);
    if (fault) return Unwritable(path_, fault.message());
  }
  return std::nullopt;
}

CampaignDir::CampaignDir(CampaignDir&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)), resumed_(other.resumed_) {}

CampaignDir& CampaignDir::operator=(CampaignDir&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(resumed_, other.resumed_);
  return *this;
}

CampaignDir::~CampaignDir() {
  if (lock_ >= 0) ::close(lock_);
}

std::size_t CampaignDir::CorpusSize() const {
  std::size_t count = 0;
  for (const norm::Op op : norm::kOps) count += CountFiles(Corpus(op));
  return count;
}

std::vector<CampaignFinding> CampaignDir::ListFindings(const std::string& kernel) const {
  std::vector<CampaignFinding> findings;
  std::error_code fault;
  for (fs::directory_iterator entry(Findings(), fault), end; !fault && entry != end; entry.increment(fault)) {
    const auto signature = StemOfFinding(entry->path().filename().string());
    if (!signature) continue;
    const std::string file = entry->path().string();
    findings.push_back({file, *signature, BucketOf(*signature), ReplayLine(kernel, file)});
  }
  std::ranges::sort(findings, {}, &CampaignFinding::signature);
  return findings;
}

}  // namespace normcheck::fuzz

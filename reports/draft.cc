// Keeps a growing report on disk and renames it into place.
#include "reports/draft.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "reference/case_json.h"
#include "reference/owned_folder.h"
#include "reference/visible_text.h"

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

constexpr const char* kJournal = ".cells.jsonl";

std::string Mend(const std::string& dir, const std::string& why) { return "--out " + dir + ": " + why + "; name another folder"; }

// The lines that end in a newline: a killed run may have left half of one.
std::vector<std::string> WholeLines(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && !in.eof();) lines.push_back(std::move(line));
  return lines;
}

void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string JournalLine(const std::string& key, const Json& cell) { return reference::JsonText(Json{{"key", key}, {"cell", cell}}) + "\n"; }

bool FileIsThere(const fs::path& folder, const Json& entry) {
  const std::string file = ReportDraft::FileOf(entry);
  if (file.empty()) return true;
  std::error_code error;
  const std::uintmax_t size = fs::file_size(folder / file, error);
  return !error && size > 0;
}

// The cells of a journal with this first line, as far as it can be read.
std::map<std::string, Json> ReadJournal(const fs::path& folder, const std::string& head) {
  std::map<std::string, Json> cells;
  const std::vector<std::string> lines = WholeLines(folder / kJournal);
  if (lines.empty() || lines.front() + "\n" != head) return cells;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Json entry = Json::parse(lines[i], nullptr, false);
    if (entry.is_discarded()) break;
    if (FileIsThere(folder, entry.at("cell"))) cells[entry.at("key").get<std::string>()] = entry.at("cell");
  }
  return cells;
}

}  // namespace

Result<bool> CheckTarget(const std::string& dir, std::string_view kind) {
  const fs::path target = reference::FolderNamed(dir);
  const std::string why = reference::WhyNotOwned(target, kind);
  if (!why.empty()) return Error{"--out " + dir + ": " + why};
  std::error_code error;
  fs::create_directories(target.parent_path(), error);
  if (error || access(target.parent_path().c_str(), W_OK | X_OK) != 0)
    return Error{Mend(dir, "cannot write in " + target.parent_path().string())};
  return true;
}

ReportDraft::ReportDraft(std::string dir, std::string_view kind, fs::path target, fs::path path)
    : dir_(std::move(dir)), kind_(kind), target_(std::move(target)), path_(std::move(path)) {}

Result<std::unique_ptr<ReportDraft>> ReportDraft::Open(const std::string& dir, const Json& identity, std::string_view kind) {
  const Result<bool> possible = CheckTarget(dir, kind);
  if (!possible.ok()) return Error{possible.error()};
  const fs::path target = reference::FolderNamed(dir);
  const fs::path path = target.parent_path() / ("." + target.filename().string() + ".partial");
  std::unique_ptr<ReportDraft> draft(new ReportDraft(dir, kind, target, path));
  const Result<bool> begun = draft->Begin(identity);
  if (!begun.ok()) return Error{begun.error()};
  return draft;
}

Result<bool> ReportDraft::Begin(const Json& identity) {
  std::error_code error;
  const bool foreign = fs::exists(fs::symlink_status(path_, error)) &&
                       (!fs::is_directory(fs::symlink_status(path_, error)) ||
                        (!fs::is_empty(path_, error) && !fs::exists(path_ / kJournal, error)));
  if (foreign) return Error{Mend(dir_, path_.string() + " is in the way and no draft of ours")};
  fs::create_directories(path_ / "worst", error);
  const int file = error ? -1 : open((path_ / kJournal).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return Error{Mend(dir_, "cannot make " + path_.string())};
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    close(file);
    return Error{Mend(dir_, "another run is writing this report")};
  }
  journal_ = file;
  const std::string head = reference::JsonText(identity) + "\n";
  if (TakeOver(path_, head) || TakeOver(target_, head)) resumed_ = cells_.size();
  return StartAfresh(head);
}

// Cells of a folder, their files brought here.
bool ReportDraft::TakeOver(const fs::path& from, const std::string& head) {
  cells_ = ReadJournal(from, head);
  if (cells_.empty() || from == path_) return !cells_.empty();
  std::error_code error;
  if (!fs::exists(from / "worst", error)) return true;  // none of its cells has a case
  fs::copy(from / "worst", path_ / "worst", fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
  if (error) cells_.clear();
  return !cells_.empty();
}

// Writes the journal anew with the cells that were taken over, and clears what belongs to none of them.
Result<bool> ReportDraft::StartAfresh(const std::string& head) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored))
    if (entry.path().filename() != kJournal && (entry.path().filename() != "worst" || cells_.empty())) fs::remove_all(entry, ignored);
  fs::create_directories(path_ / "worst", ignored);
  try {
    if (ftruncate(journal_, 0) != 0) throw std::system_error(errno, std::generic_category());
    WriteAll(journal_, head);
    for (const auto& [key, cell] : cells_) WriteAll(journal_, JournalLine(key, cell));
  } catch (const std::system_error& error) {
    return Error{Mend(dir_, path_.string() + ": " + error.code().message())};
  }
  return true;
}

ReportDraft::~ReportDraft() {
  if (journal_ < 0) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(journal_);
}

std::string ReportDraft::FileOf(const Json& entry) {
  const Json& holder = entry.contains("worst") ? entry.at("worst") : entry;
  return holder.is_object() ? holder.value("file", std::string()) : "";
}

const Json* ReportDraft::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = cells_.find(key);
  return found == cells_.end() ? nullptr : &found->second;
}

void ReportDraft::Put(const std::string& key, Json cell, const std::string& file, const std::string& text) {
  if (!file.empty()) {
    std::ofstream out(path_ / file, std::ios::binary);
    if (!(out << text).flush()) throw std::system_error(errno, std::generic_category(), (path_ / file).string());
  }
  const std::lock_guard lock(mutex_);
  WriteAll(journal_, JournalLine(key, cell));
  cells_[key] = std::move(cell);
}

Result<bool> ReportDraft::Write(const std::string& name, std::string_view text) const {
  const Result<std::string> written = reference::WriteFileAtomically((path_ / name).string(), reference::VisibleText(text));
  if (!written.ok()) return Error{written.error()};
  return true;
}

Result<bool> ReportDraft::Publish(bool interrupted) {
  std::error_code ignored;
  if (!interrupted) fs::remove(path_ / kJournal, ignored);
  if (fs::is_empty(path_ / "worst", ignored)) fs::remove(path_ / "worst", ignored);
  const std::error_code error = reference::PutFiles(path_, target_, kind_);
  if (error == std::errc::file_exists)
    return Error{Mend(dir_, "holds a file that is not ours under a name of the report's")};
  if (error) return Error{Mend(dir_, error.message())};
  return true;
}

}  // namespace normcheck::reports

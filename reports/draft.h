// A report's folder while it grows, hidden beside its target: a run that is killed leaves it for the next one to go on with.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

inline constexpr std::string_view kReportKind = "report";
inline constexpr std::string_view kComparisonKind = "comparison";

// Nothing when `dir` may become a report: it does not exist and its parent can be written, is empty, or holds a report that lists
// its files (reference/owned_folder.h). Errors: a file, a folder of something else, a parent that cannot be made or written.
reference::Result<bool> CheckTarget(const std::string& dir, std::string_view kind = kReportKind);

// DIR/../.NAME.partial/  .cells.jsonl   who began it, then a line per finished cell; locked (flock) while a run writes
//                        worst/         the worst case of each finished cell
// Publish puts its files into the target, where only files of an earlier report are replaced or removed. Destroyed before that, the folder goes; only a killed process leaves it.
class ReportDraft {
 public:
  // `identity`: all that decides the figures (program, kernels, mode, seed, ...). Cells of a draft, or of an interrupted report at
  // `dir`, are taken over where their identity is the same, else dropped.
  // Errors: those of CheckTarget; another run is writing to the same target; the folder cannot be made.
  static reference::Result<std::unique_ptr<ReportDraft>> Open(const std::string& dir, const Json& identity,
                                                             std::string_view kind = kReportKind);

  ~ReportDraft();
  ReportDraft(const ReportDraft&) = delete;
  ReportDraft& operator=(const ReportDraft&) = delete;

  std::size_t resumed() const { return resumed_; }

  // The cell put under this key, by this run or an earlier one; null where there is none.
  const Json* Find(const std::string& key) const;

  // The case file that a cell or law names; empty where there is none.
  static std::string FileOf(const Json& entry);

  // Keeps a finished cell or law: its worst case's text goes to `file` below the folder (empty: there is none). Any thread may call.
  // Throws std::system_error where it cannot be written.
  void Put(const std::string& key, Json cell, const std::string& file, const std::string& text);

  // Writes one more file of the report.
  reference::Result<bool> Write(const std::string& name, std::string_view text) const;

  // The files become those of the target; an earlier report's are replaced, and everything else there stays. An interrupted report keeps its
  // list of cells, from which the next run goes on.
  reference::Result<bool> Publish(bool interrupted);

 private:
  ReportDraft(std::string dir, std::string_view kind, std::filesystem::path target, std::filesystem::path path);
  reference::Result<bool> Begin(const Json& identity);
  bool TakeOver(const std::filesystem::path& from, const std::string& head);
  reference::Result<bool> StartAfresh(const std::string& head);

  std::string dir_;  // the target as the user wrote it
  std::string_view kind_;
  std::filesystem::path target_;
  std::filesystem::path path_;
  int journal_ = -1;
  std::size_t resumed_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, Json> cells_;
};

}  // namespace normcheck::reports

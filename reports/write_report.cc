// Writes a report's folder under a temporary name and renames it into place.
#include "reports/write_report.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "reference/case_json.h"
#include "reports/page.h"
#include "reports/plot.h"
#include "reports/report_text.h"

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;

fs::path Clean(const std::string& dir) {
  fs::path path = fs::absolute(dir).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

// The folder while it is being written; removed unless it was renamed.
class Draft {
 public:
  explicit Draft(const fs::path& target)
      : path_(target.parent_path() / ("." + target.filename().string() + ".partial-" + std::to_string(getpid()))) {}
  ~Draft() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string Why(const std::error_code& error) { return error.message(); }

// The first failure of several writes.
class Writes {
 public:
  explicit Writes(const fs::path& dir) : dir_(dir) {}
  void Write(const std::string& name, const std::string& text) {
    if (error_) return;
    const Result<std::string> written = reference::WriteFileAtomically((dir_ / name).string(), text);
    if (!written.ok()) error_ = written.error();
  }
  const std::optional<std::string>& error() const { return error_; }

 private:
  fs::path dir_;
  std::optional<std::string> error_;
};

std::string SourceOf(const Report& report, const CellResult& cell) {
  return "worst of cell " + CellId(cell.cell) + ", seed " + std::to_string(report.seed.value);
}

void WriteWorstCases(const Report& report, Writes& writes) {
  for (const KernelResult& kernel : report.kernels) {
    for (const CellResult& cell : kernel.cells) {
      if (!cell.worst) continue;
      Case c = cell.worst->c;
      c.source = SourceOf(report, cell);
      writes.Write(WorstFile(kernel, cell.cell), reference::CaseText(c));
    }
  }
}

// Exchanges draft and target in one step; file systems that cannot do that move the old report aside first. Either way
// the old report ends up at the draft's name or beside it, and goes with it.
std::error_code PutInPlace(const fs::path& draft, const fs::path& target) {
  if (!fs::exists(target)) {
    std::error_code error;
    fs::rename(draft, target, error);
    return error;
  }
  if (renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) return {};
  const fs::path aside = draft.string() + "-old";
  std::error_code error, ignored;
  fs::rename(target, aside, error);
  if (error) return error;
  fs::rename(draft, target, error);
  if (error) fs::rename(aside, target, ignored);
  fs::remove_all(aside, ignored);
  return error;
}

}  // namespace

Result<bool> CheckTarget(const std::string& dir) {
  const fs::path target = Clean(dir);
  std::error_code error;
  if (fs::exists(target, error)) {
    if (!fs::is_directory(target, error)) return Error{"--out " + dir + ": is a file; name a folder"};
    const bool ours = fs::is_empty(target, error) || fs::exists(target / "report.json", error);
    if (!ours) return Error{"--out " + dir + ": holds something that is no report; name a new folder"};
  }
  fs::create_directories(target.parent_path(), error);
  if (error || access(target.parent_path().c_str(), W_OK | X_OK) != 0)
    return Error{"--out " + dir + ": cannot write in " + target.parent_path().string() + "; name another folder"};
  return true;
}

Result<WrittenReport> WriteReport(const Report& report, const Json& json, const std::string& dir) {
  const Result<bool> possible = CheckTarget(dir);
  if (!possible.ok()) return Error{possible.error()};
  const fs::path target = Clean(dir);
  const Draft draft(target);
  std::error_code error;
  fs::create_directories(draft.path() / "worst", error);
  if (error) return Error{draft.path().string() + ": " + Why(error) + "; name another folder with --out"};
  const auto plot = PlotErrors(json);
  Writes writes(draft.path());
  WriteWorstCases(report, writes);
  writes.Write("report.md", ReportMarkdown(json));
  writes.Write("index.html", ReportPage(json, plot));
  writes.Write("report.json", json.dump(1) + "\n");
  if (writes.error()) return Error{*writes.error()};
  error = PutInPlace(draft.path(), target);
  if (error) return Error{dir + ": " + Why(error) + "; name another folder with --out"};
  return WrittenReport{dir + "/index.html", plot.has_value()};
}

}  // namespace normcheck::reports

// Keeping and reading worst rows.
#include "fuzz/worst_rows.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "fuzz/held_coverage.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/visible_text.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Case;
using reference::UlpQ20;
using reference::Verdict;
using Json = nlohmann::ordered_json;

constexpr const char* kWorstRowSchema = "normcheck/worst-row/1";
constexpr const char* kRecordLock = "lock";
constexpr std::string_view kFiguresSuffix = ".figures.json";
// Not .case.json: what bears that name in a campaign breaks a promise, which the worst row of a sound kernel does not.
constexpr std::string_view kRowSuffix = ".row.json";
constexpr std::size_t kMostRowsTried = 16;

std::string Stem(const WorstRow& row) { return NameOf(row.cell).append(".").append(NameOf(row.scale)); }

int KeyOf(const StatsCell& cell, Scale scale) { return 2 * cell.Index() + static_cast<int>(scale); }

// Held for the length of a comparison; the kernel lets go of it however the process ends.
class Locked {
 public:
  explicit Locked(int lock) : lock_(lock) {
    while (::flock(lock_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~Locked() { ::flock(lock_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int lock_;
};

// A reader waits for a writer, but not for ever: that one may be stopped, and what it replaces is then read as it is.
class LockedForReading {
 public:
  explicit LockedForReading(const fs::path& file) : lock_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    for (int tries = 0; lock_ >= 0 && tries < 20 && ::flock(lock_, LOCK_SH | LOCK_NB) != 0; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ~LockedForReading() {
    if (lock_ >= 0) ::close(lock_);
  }
  LockedForReading(const LockedForReading&) = delete;
  LockedForReading& operator=(const LockedForReading&) = delete;

 private:
  int lock_;
};

// The draft as a whole; what it held before goes.
bool WriteDraft(const fs::path& draft, const std::string& text) {
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  std::size_t written = 0;
  ssize_t count = 0;
  while (written < text.size() && (count = ::write(file, text.data() + written, text.size() - written)) > 0)
    written += static_cast<std::size_t>(count);
  const bool whole = written == text.size() && ::ftruncate(file, static_cast<off_t>(written)) == 0;
  return ::close(file) == 0 && whole;
}

// Draft and record change places, so that the next draft needs no new file: a file system may take half a millisecond for one.
// Without fsync, unlike WriteFileAtomically: a worst row must outlive every kill, and there are many; a power cut may take it.
bool Replace(const fs::path& draft, const fs::path& path, const std::string& text) {
  if (WriteDraft(draft, text) && (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0 ||
                                  ::rename(draft.c_str(), path.c_str()) == 0))
    return true;
  const int why = errno;
  ::unlink(draft.c_str());
  errno = why;
  return false;
}

Json FigureOrNull(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

std::optional<double> OptionalNumber(const nlohmann::json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

Json FiguresJson(const WorstRow& row) {
  return {{"schema", kWorstRowSchema},
          {"op", NameOf(row.cell.op)},
          {"x_format", norm::TraitsOf(row.cell.formats.x).name},
          {"param_format", norm::TraitsOf(row.cell.formats.params).name},
          {"y_format", norm::TraitsOf(row.cell.formats.y).name},
          {"class", NameOf(row.cell.row_class)},
          {"scale", NameOf(row.scale)},
          {"row_ulp_q20", row.row_ulp},
          {"bound_ratio_q20", row.bound_ratio},
          {"rows", row.rows},
          {"width", row.width},
          {"epsilon", row.epsilon},
          {"mean_over_sigma", FigureOrNull(row.mean_over_sigma)},
          {"var_over_eps", FigureOrNull(row.var_over_eps)}};
}

std::optional<WorstRow> RowFromJson(const nlohmann::json& json) {
  WorstRow row;
  const auto row_class = RowClassNamed(json.at("class").get<std::string>());
  const auto op = norm::OpNamed(json.at("op").get<std::string>());
  const auto x = norm::FormatNamed(json.at("x_format").get<std::string>());
  const auto params = norm::FormatNamed(json.at("param_format").get<std::string>());
  const auto y = norm::FormatNamed(json.at("y_format").get<std::string>());
  if (json.at("schema") != kWorstRowSchema || !row_class || !op || !x || !params || !y) return std::nullopt;
  row.cell = {*op, {*x, *params, *y}, *row_class};
  row.scale = json.at("scale") == NameOf(Scale::kBoundRatio) ? Scale::kBoundRatio : Scale::kRowUlp;
  row.row_ulp = json.at("row_ulp_q20");
  row.bound_ratio = json.at("bound_ratio_q20");
  row.rows = json.at("rows");
  row.width = json.at("width");
  row.epsilon = json.at("epsilon");
  row.mean_over_sigma = OptionalNumber(json.at("mean_over_sigma"));
  row.var_over_eps = OptionalNumber(json.at("var_over_eps"));
  return row;
}

std::optional<WorstRow> ReadFigures(const fs::path& path) {
  std::ifstream file(path);
  try {
    return RowFromJson(nlohmann::json::parse(file));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

Case OnlyRow(const Case& c, std::size_t row) {
  Case one = c;
  one.rows = 1;
  const auto first = c.x.begin() + static_cast<std::ptrdiff_t>(row * c.width);
  one.x.assign(first, first + static_cast<std::ptrdiff_t>(c.width));
  return one;
}

// The verdict on a case, with the figures that a record shows.
Verdict JudgeAlone(const norm::Kernel& kernel, const Case& c) {
  return reference::Judge(kernel, c, {.contract = {}, .diagnose = false});
}

void TakeFigures(const Verdict& verdict, const Case& c, WorstRow& record) {
  record.row_ulp = verdict.tally.max_row_ulp;
  record.bound_ratio = verdict.tally.max_bound_ratio;
  record.rows = c.rows;
  record.width = c.width;
  record.epsilon = c.epsilon;
  if (!verdict.row) return;
  record.mean_over_sigma = verdict.row->mean_over_sigma;
  record.var_over_eps = verdict.row->var_over_eps;
}

// The single row on which the kernel is as wrong as on the whole case; the case where there is none, or it has many rows.
Case CutToRow(const norm::Kernel& kernel, const Case& c, WorstRow& record) {
  const UlpQ20 figure = record.figure();
  for (std::size_t row = 0; c.rows > 1 && row < std::min(c.rows, kMostRowsTried); ++row) {
    const Case one = OnlyRow(c, row);
    WorstRow cut = record;
    TakeFigures(JudgeAlone(kernel, one), one, cut);
    if (cut.figure() < figure) continue;
    record = cut;
    return one;
  }
  TakeFigures(JudgeAlone(kernel, c), c, record);
  return c;
}

}  // namespace

WorstRows::WorstRows(std::string dir) : dir_(std::move(dir)) {
  if (dir_.empty()) return;
  lock_ = ::open((dir_ / kRecordLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  for (const WorstRow& row : ReadWorstRows(dir_.string())) known_[KeyOf(row.cell, row.scale)] = row.figure();
}

WorstRows::~WorstRows() {
  if (lock_ >= 0) ::close(lock_);
}

bool WorstRows::Offer(const norm::Kernel& kernel, const Case& c, const Verdict& verdict, const StatsCell& cell) {
  if (dir_.empty()) return true;
  WorstRow record;
  record.cell = cell;
  record.row_ulp = verdict.tally.max_row_ulp;
  record.bound_ratio = verdict.tally.max_bound_ratio;
  const bool one_scale = kernel.contract.kind == norm::ContractKind::kRowUlp;
  for (const Scale scale : {Scale::kRowUlp, Scale::kBoundRatio}) {
    record.scale = scale;
    UlpQ20& known = known_[KeyOf(cell, scale)];
    if (record.figure() <= known || (one_scale && scale == Scale::kBoundRatio)) continue;
    known = record.figure();
    if (!Keep(kernel, c, record)) return false;
  }
  return true;
}

bool WorstRows::Keep(const norm::Kernel& kernel, const Case& c, WorstRow record) {
  const HeldCoverage held;
  Case kept = CutToRow(kernel, c, record);
  kept.expected.clear();
  kept.source = "normcheck fuzz: " + kernel.name + ", worst row of " + Stem(record);
  const fs::path figures = dir_ / Stem(record).append(kFiguresSuffix);
  const fs::path file = dir_ / Stem(record).append(kRowSuffix);
  const Locked locked(lock_);
  const auto earlier = ReadFigures(figures);
  UlpQ20& known = known_[KeyOf(record.cell, record.scale)];
  if (earlier) known = std::max(known, earlier->figure());
  if (earlier && earlier->figure() >= record.figure()) return true;
  const fs::path draft = dir_ / (std::to_string(getpid()) + ".part");
  if (Replace(draft, file, reference::CaseText(kept)) && Replace(draft, figures, reference::JsonText(FiguresJson(record)) + "\n")) return true;
  error_ = file.string() + ": file: cannot write it: " + std::strerror(errno) + "; free the space or name another place";
  return false;
}

std::vector<WorstRow> ReadWorstRows(const std::string& dir) {
  const LockedForReading locked(fs::path(dir) / kRecordLock);
  std::vector<WorstRow> rows;
  std::error_code fault;
  for (fs::directory_iterator entry(dir, fault), end; !fault && entry != end; entry.increment(fault)) {
    const std::string name = entry->path().filename().string();
    if (!name.ends_with(kFiguresSuffix)) continue;
    auto row = ReadFigures(entry->path());
    if (!row) continue;
    row->file = entry->path().string().substr(0, entry->path().string().size() - kFiguresSuffix.size()).append(kRowSuffix);
    if (fs::exists(row->file)) rows.push_back(*row);
  }
  std::ranges::sort(rows, {}, [](const WorstRow& row) { return KeyOf(row.cell, row.scale); });
  return rows;
}

}  // namespace normcheck::fuzz

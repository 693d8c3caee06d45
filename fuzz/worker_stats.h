// What a worker tells its campaign while it runs: counts and worst errors, in a small file that is replaced whole.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/row_class.h"
#include "reference/result.h"
#include "reference/tally.h"
#include "reference/verdict.h"

namespace normcheck::fuzz {

// Where a judged case counts: op, formats, and the class of its worst row.
struct StatsCell {
  norm::Op op = norm::Op::kLayerNorm;
  norm::Formats formats;
  RowClass row_class = RowClass::kPlain;

  friend bool operator==(const StatsCell&, const StatsCell&) = default;
  friend bool operator<(const StatsCell& a, const StatsCell& b) { return a.Index() < b.Index(); }
  int Index() const;  // dense, from 0
};

// Row 0 where no element was scored.
StatsCell CellOf(const reference::Case& c, const reference::Verdict& verdict);

// "layer_norm-f32-f32-f32": op and formats of x, parameters, y.
std::string NameOf(norm::Op op, const norm::Formats& formats);
// "layer_norm-f32-f32-f32-plain".
std::string NameOf(const StatsCell& cell);

struct CellStats {
  std::uint64_t judged = 0;
  reference::UlpQ20 worst_row_ulp = 0;
  reference::UlpQ20 worst_bound_ratio = 0;

  void Merge(const CellStats& other);
  friend bool operator==(const CellStats&, const CellStats&) = default;
};

// What a case may also be, counted one by one: properties::CaseClasses, and bands of its width.
inline constexpr std::string_view kConditions[] = {
    "nan", "infinite", "negative-zero", "subnormal", "near-overflow", "constant-row", "var-below-eps", "var-near-eps", "var-above-eps",
    "tail", "pitched", "several-rows", "width-1-3", "width-4-16", "width-17-256", "width-257-4096", "width-4097+"};

// By origin (origin.h) and class of the worst row.
using OriginStats = std::map<std::pair<std::size_t, RowClass>, CellStats>;

struct WorkerStats {
  std::uint64_t executions = 0;
  std::uint64_t judged = 0;                   // executions that were not skipped by a cap or an unsupported case
  std::uint64_t not_checked = 0;              // of the skipped ones: this program could not run or judge them
  std::string why_not_checked;                // the first reason
  reference::UlpQ20 worst_row_ulp = 0;        // over judged executions
  reference::UlpQ20 worst_bound_ratio = 0;
  std::map<StatsCell, CellStats> cells;
  OriginStats origins;
  std::array<std::uint64_t, std::size(kConditions)> conditions{};

  // A case that this program could not run or judge.
  void CountNotChecked(const std::string& why);
  // One judged case.
  void Count(const reference::Case& c, const reference::Verdict& verdict, const StatsCell& cell, std::size_t origin);
  // Counts add up, worst errors are the larger ones.
  void Merge(const WorkerStats& other);

  friend bool operator==(const WorkerStats&, const WorkerStats&) = default;
};

// JSON {"schema":"normcheck/worker/1", ...}, written by a temporary file and a rename.
reference::Result<std::string> WriteWorkerStats(const std::string& path, const WorkerStats& stats);

// Errors: missing file, not this schema.
reference::Result<WorkerStats> ReadWorkerStats(const std::string& path);

}  // namespace normcheck::fuzz

// The worst row of each op, formats and class of rows, on disk as a case from the moment it is found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "fuzz/worker_stats.h"
#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/result.h"
#include "reference/verdict.h"

namespace normcheck::fuzz {

// What "worst" means: row ulps, or the share of the contract's bound. Where the bound is a number of row ulps, both are one.
enum class Scale : std::uint8_t { kRowUlp, kBoundRatio };

constexpr std::string_view NameOf(Scale scale) { return scale == Scale::kRowUlp ? "row-ulp" : "bound"; }

struct WorstRow {
  StatsCell cell;
  Scale scale = Scale::kRowUlp;
  std::string file;                      // DIR/worst/CELL.SCALE.row.json
  reference::UlpQ20 row_ulp = 0;         // figures of the case in the file
  reference::UlpQ20 bound_ratio = 0;
  std::size_t rows = 0;
  std::size_t width = 0;
  double epsilon = 0;
  std::optional<double> mean_over_sigma;
  std::optional<double> var_over_eps;

  reference::UlpQ20 figure() const { return scale == Scale::kRowUlp ? row_ulp : bound_ratio; }
};

// Keeps the record. Several processes may share a folder: each record is compared and replaced under its lock.
class WorstRows {
 public:
  explicit WorstRows(std::string dir);  // empty: nothing is kept
  WorstRows(const WorstRows&) = delete;
  WorstRows& operator=(const WorstRows&) = delete;
  ~WorstRows();

  // Writes the case where it is worse than the one on disk, cut to its worst row where the kernel is as wrong on that alone:
  // case first, figures second, each by a rename, so that the figures never claim what the case does not show.
  // Answers false where the folder cannot be written; error() says why.
  bool Offer(const norm::Kernel& kernel, const reference::Case& c, const reference::Verdict& verdict, const StatsCell& cell);

  const std::string& error() const { return error_; }

 private:
  bool Keep(const norm::Kernel& kernel, const reference::Case& c, WorstRow record);

  std::filesystem::path dir_;
  int lock_ = -1;
  std::unordered_map<int, reference::UlpQ20> known_;  // by cell and scale: what is on disk, or was
  std::string error_;
};

// All of a folder, sorted by cell and scale. Figures without a case are left out.
std::vector<WorstRow> ReadWorstRows(const std::string& dir);

}  // namespace normcheck::fuzz

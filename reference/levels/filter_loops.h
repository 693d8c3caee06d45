// The loops of the double filter, compiled once for each instruction set, and the plain data they pass on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normcheck::reference::levels {

// Sums run in this many lanes on every machine, and no multiply-add is fused, so that every loop gives the same bits everywhere.
inline constexpr std::size_t kLanes = 8;

// Elements of one call of `elements`; arrays are padded to a multiple of kLanes.
inline constexpr std::size_t kBlock = 512;

// Bins as UlpHistogram has them, and one more for elements that the filter does not decide.
inline constexpr std::size_t kUndecidedBin = 1 + 8 * 64;

enum class Storage : std::uint8_t { kF32, kF16, kBf16 };

struct RowScan {
  double sum[kLanes];  // not finite where the row is not
  double min[kLanes];
  double max[kLanes];
};

// Sums of x - pivot and of fl(x - pivot)^2 by lane: rounded sums, and what their additions (and x - pivot) lost.
struct Residuals {
  double sum[kLanes];
  double sum_lost[kLanes];
  double squares[kLanes];
  double squares_lost[kLanes];
};

// What the element loop needs of its row: xhat = ((x - pivot) - shift)*inv_std_dev within alpha*|xhat| + tau.
struct FilterRow {
  double pivot = 0;
  double shift = 0;
  double inv_std_dev = 0;
  double alpha = 0;
  double tau = 0;
  double max_xhat = 0;        // max|xhat|, within
  double max_xhat_doubt = 0;
  double inverse_ulp = 0;     // 1/ulp of max|xhat|, sure: used without gamma and beta alone
};

enum class Affine : std::uint8_t { kAbsent, kPresent };

// What an output may be off by: k element ulps, k row ulps, or what is not for the loop to decide.
enum class PromisedUnit : std::uint8_t { kUlps, kRowUlps, kElsewhere };

// What the element loop needs of format and contract.
struct FilterLimits {
  double min_normal = 0;
  double max_finite = 0;
  std::int64_t precision = 0;
  Affine affine = Affine::kPresent;
  PromisedUnit promised = PromisedUnit::kElsewhere;
  double k = 0;                 // of the promise in ulps: 0.5 where it is correct rounding
  std::int64_t pass_broken = 0; // -1: outputs that break the promise are passed on
};

struct FilterBlock {
  const double* x;
  const double* gamma;
  const double* beta;
  const double* got;
  std::size_t count;            // a multiple of kLanes, at most kBlock
  double* ulp;                  // out: the error in element ulps
  double* row_ulp;              // out: in row ulps, where those are promised
  std::int64_t* bin;            // out: kUndecidedBin where not decided
  std::int64_t* row_bin;        // out
};

// Over the decided elements of a block; sums in units of 2^-20 ulp, largest errors in ulps.
struct FilterCounts {
  std::int64_t decided = 0;
  std::int64_t correctly_rounded = 0;
  std::int64_t beyond_element = 0;
  std::int64_t broken = 0;
  std::int64_t row_ulp_sum = 0;
  std::int64_t bias_sum = 0;
  double max_ulp = 0;
  double max_row_ulp = 0;
};

struct FilterLoops {
  const char* name;
  void (*values)(const std::uint32_t* bits, Storage storage, std::size_t count, double* values);
  void (*scan)(const double* x, std::size_t count, RowScan& scan);
  void (*residuals)(const double* x, std::size_t count, double pivot, Residuals& sums);
  void (*elements)(const FilterRow& row, const FilterLimits& limits, const FilterBlock& block, FilterCounts& counts);
};

// All that this machine can run, the fastest first.
struct FilterLoopsList {
  const FilterLoops* loops[3];
  std::size_t count;
};
FilterLoopsList AllFilterLoops();

}  // namespace normcheck::reference::levels

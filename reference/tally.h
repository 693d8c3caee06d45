// Figures of judged elements as integers, so that they add up to the same totals in any order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace normcheck::reference {

// An error in units of 2^-20 ulp, rounded down, saturating at 2^63 - 1.
using UlpQ20 = std::uint64_t;

UlpQ20 ToQ20(double ulp);
double FromQ20(UlpQ20 value);

// 8 bins an octave from 2^-20 ulp on, bin 0 for exactly zero; percentiles are upper bin edges.
class UlpHistogram {
 public:
  static constexpr int kBins = 1 + 8 * 64;
  void Add(UlpQ20 value);
  void AddTo(std::size_t bin, std::uint64_t count) { bins_[bin] += count; }
  void Merge(const UlpHistogram& other);
  std::uint64_t total() const;
  std::optional<double> Percentile(double share) const;  // 0 < share < 1, in ulps; nothing where empty
  const std::array<std::uint64_t, kBins>& bins() const { return bins_; }

 private:
  std::array<std::uint64_t, kBins> bins_{};
};

struct Tally {
  std::uint64_t judged = 0;             // outputs with a verdict in ulps or by class
  std::uint64_t correctly_rounded = 0;
  std::uint64_t class_faults = 0;
  std::uint64_t undefined = 0;          // Q = 0: never scored
  std::uint64_t no_promise = 0;         // the contract promises nothing
  std::uint64_t not_checked = 0;        // unsupported or skipped outputs
  std::uint64_t broken = 0;             // outputs that break the contract, class faults included
  std::uint64_t beyond_element = 0;     // finite outputs beyond 0.501 element ulps
  std::uint64_t scored = 0;             // finite outputs that entered the ulp figures
  UlpQ20 max_ulp = 0;
  UlpQ20 max_row_ulp = 0;
  UlpQ20 max_bound_ratio = 0;           // observed / promised, in 2^-20
  unsigned __int128 row_ulp_sum = 0;    // of UlpQ20
  __int128 bias_sum = 0;                // of sign(Y)*(got - Y)/ulp(Y), in 2^-20, saturated at +-2^40 an element
  UlpHistogram ulp;
  UlpHistogram row_ulp;
  std::array<std::uint64_t, 3> levels{};  // decided by filter, double-double, exact; not a figure

  void Merge(const Tally& other);
  double MeanRowUlp() const;
  double BiasUlp() const;
};

}  // namespace normcheck::reference

// Histogram bins, percentiles and the sums that make reports the same in any order.
#include "reference/tally.h"

#include <bit>
#include <cmath>
#include <limits>

namespace normcheck::reference {
namespace {

constexpr double kQ20 = 0x1p20;
constexpr int kBinsPerOctave = 8;

// Bin 1 + 8*o + s holds 2^o*(1 + s/8) <= value < 2^o*(1 + (s+1)/8).
int BinOf(UlpQ20 value) {
  if (value == 0) return 0;
  const int octave = static_cast<int>(std::bit_width(value)) - 1;
  const UlpQ20 step = octave >= 3 ? value >> (octave - 3) : value << (3 - octave);
  return 1 + kBinsPerOctave * octave + static_cast<int>(step - kBinsPerOctave);
}

double UpperEdge(int bin) {
  if (bin == 0) return 0;
  const int octave = (bin - 1) / kBinsPerOctave;
  const int step = (bin - 1) % kBinsPerOctave;
  return std::ldexp(kBinsPerOctave + step + 1, octave - 3) / kQ20;
}

}  // namespace

UlpQ20 ToQ20(double ulp) {
  const double scaled = std::floor(ulp * kQ20);
  return scaled < 0x1p63 ? static_cast<UlpQ20>(scaled) : static_cast<UlpQ20>(std::numeric_limits<std::int64_t>::max());
}

double FromQ20(UlpQ20 value) { return static_cast<double>(value) / kQ20; }

void UlpHistogram::Add(UlpQ20 value) { ++bins_[static_cast<std::size_t>(BinOf(value))]; }

void UlpHistogram::Merge(const UlpHistogram& other) {
  for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
}

std::uint64_t UlpHistogram::total() const {
  std::uint64_t sum = 0;
  for (std::uint64_t count : bins_) sum += count;
  return sum;
}

std::optional<double> UlpHistogram::Percentile(double share) const {
  const std::uint64_t count = total();
  if (count == 0) return std::nullopt;
  const double wanted = share * static_cast<double>(count);
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen > 0 && static_cast<double>(seen) >= wanted) return UpperEdge(static_cast<int>(bin));
  }
  return UpperEdge(kBins - 1);
}

void Tally::Merge(const Tally& other) {
  judged += other.judged;
  correctly_rounded += other.correctly_rounded;
  class_faults += other.class_faults;
  undefined += other.undefined;
  no_promise += other.no_promise;
  not_checked += other.not_checked;
  broken += other.broken;
  beyond_element += other.beyond_element;
  scored += other.scored;
  if (max_ulp < other.max_ulp) max_ulp = other.max_ulp;
  if (max_row_ulp < other.max_row_ulp) max_row_ulp = other.max_row_ulp;
  if (max_bound_ratio < other.max_bound_ratio) max_bound_ratio = other.max_bound_ratio;
  row_ulp_sum += other.row_ulp_sum;
  bias_sum += other.bias_sum;
  ulp.Merge(other.ulp);
  row_ulp.Merge(other.row_ulp);
  for (std::size_t i = 0; i < levels.size(); ++i) levels[i] += other.levels[i];
}

double Tally::MeanRowUlp() const {
  return scored == 0 ? 0 : static_cast<double>(row_ulp_sum) / kQ20 / static_cast<double>(scored);
}

double Tally::BiasUlp() const {
  return scored == 0 ? 0 : static_cast<double>(bias_sum) / kQ20 / static_cast<double>(scored);
}

}  // namespace normcheck::reference

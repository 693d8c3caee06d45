// Sums of the lanes and the constants of the filter; derivation in reference/README.md, Levels.
#include "reference/levels/filter_row.h"

#include <algorithm>
#include <cmath>

namespace normcheck::reference::levels {
namespace {

constexpr double kU = 0x1p-53;
constexpr std::size_t kMaxWidth = std::size_t{1} << 26;
constexpr double kMaxEpsilon = 0x1p900;

double PlainSum(const double (&lanes)[kLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// sum + lost over the lanes, one rounding apart from what `lost` itself rounded.
double CompensatedSum(const double (&sums)[kLanes], const double (&lost)[kLanes]) {
  double sum = 0, rest = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const DoubleDouble next = ExactSumOf(sum, sums[l]);
    sum = next.high;
    rest += next.low + lost[l];
  }
  return sum + rest;
}

// sum(x - pivot) and sum((x - pivot)^2), with s2 = m^2 u^2, the second-order error of compensated sums.
struct Moments {
  double residual = 0;
  double squares = 0;
  double s2 = 0;
};

Moments MomentsAround(double pivot, std::span<const double> x, const FilterLoops& loops) {
  Residuals sums;
  loops.residuals(x.data(), x.size(), pivot, sums);
  const double m = static_cast<double>(x.size() / kLanes + 21);
  return {CompensatedSum(sums.sum, sums.sum_lost), CompensatedSum(sums.squares, sums.squares_lost), m * m * kU * kU};
}

double NormalizedAt(const FilterRow& row, double x) { return ((x - row.pivot) - row.shift) * row.inv_std_dev; }

}  // namespace

std::optional<FilteredRow> FilterOf(norm::Op op, std::span<const double> x, double epsilon, const FilterLoops& loops) {
  if (x.size() > kMaxWidth || epsilon > kMaxEpsilon) return std::nullopt;
  RowScan scan;
  loops.scan(x.data(), x.size(), scan);
  const double sum = PlainSum(scan.sum);
  if (!std::isfinite(sum)) return std::nullopt;
  const double width = static_cast<double>(x.size());
  const bool centred = op == norm::Op::kLayerNorm;
  FilteredRow out;
  out.row.pivot = centred ? sum / width : 0;
  const Moments moments = MomentsAround(out.row.pivot, x, loops);
  const double deviation = std::sqrt(moments.squares / width);
  const double shift = centred ? moments.residual / width : 0;
  if (!(deviation > 0) || !(std::abs(shift) <= 0x1p-10 * deviation)) return std::nullopt;

  const double var = (moments.squares - (centred ? moments.residual * shift : 0)) / width;
  out.row.shift = shift;
  out.row.inv_std_dev = 1 / std::sqrt(var + epsilon);
  out.row.alpha = 11 * kU + 0.8 * moments.s2;
  if (centred) out.row.tau = out.row.inv_std_dev * (3.4 * kU * std::abs(shift) + 1.3 * moments.s2 * deviation);
  const double low = *std::min_element(scan.min, scan.min + kLanes), high = *std::max_element(scan.max, scan.max + kLanes);
  out.row.max_xhat = std::max(std::abs(NormalizedAt(out.row, low)), std::abs(NormalizedAt(out.row, high)));
  out.max_magnitude = std::max(std::abs(low), std::abs(high));

  const double mean = out.row.pivot + shift;
  out.mean = {{mean, 0}, 1.1 * kU * std::abs(mean) + 2.3 * kU * std::abs(shift) + 1.3 * moments.s2 * deviation};
  out.inv_std_dev = {{out.row.inv_std_dev, 0}, out.row.inv_std_dev * (6.4 * kU + 0.8 * moments.s2)};
  return out;
}

}  // namespace normcheck::reference::levels

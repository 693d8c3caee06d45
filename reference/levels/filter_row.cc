// Sums of the lanes and the constants of the filter; derivation in reference/README.md, Levels.
#include "reference/levels/filter_row.h"

#include <algorithm>
#include <cmath>

namespace normcheck::reference::levels {
namespace {

constexpr std::size_t kMaxWidth = std::size_t{1} << 26;
constexpr double kMaxEpsilon = 0x1p900;

double PlainSum(const double (&lanes)[kLanes]) {
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

DoubleDouble CompensatedSum(const double (&sums)[kLanes], const double (&lost)[kLanes]) {
  double sum = 0, rest = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const DoubleDouble next = ExactSumOf(sum, sums[l]);
    sum = next.high;
    rest += next.low + lost[l];
  }
  return ExactSumOf(sum, rest);
}

// xhat = 0 without a doubt; 1/sqrt(epsilon) is rounded twice.
std::optional<FilteredRow> RowWithoutSpread(double value, double epsilon) {
  if (!(epsilon > 0)) return std::nullopt;
  FilteredRow out;
  out.row.pivot = value;
  out.row.inv_std_dev = 1 / std::sqrt(epsilon);
  out.mean = {{value, 0}, 0};
  out.inv_std_dev = {{out.row.inv_std_dev, 0}, out.row.inv_std_dev * 2.1 * kU};
  out.extremes = {value, value};
  out.max_magnitude = std::abs(value);
  return out;
}

double NormalizedAt(const FilterRow& row, double x) { return ((x - row.pivot) - row.shift) * row.inv_std_dev; }

}  // namespace

Extremes ExtremesOf(const RowScan& scan) {
  return {*std::min_element(scan.min, scan.min + kLanes), *std::max_element(scan.max, scan.max + kLanes)};
}

CompensatedSums SumsAround(double pivot, std::span<const double> x, const FilterLoops& loops) {
  Residuals sums;
  loops.residuals(x.data(), x.size(), pivot, sums);
  const double m = static_cast<double>(x.size() / kLanes + 21);
  return {CompensatedSum(sums.sum, sums.sum_lost), CompensatedSum(sums.squares, sums.squares_lost), m * m};
}

std::optional<FilteredRow> FilterOf(const Operation& operation, std::span<const double> x, double epsilon, const FilterLoops& loops) {
  if (x.size() > kMaxWidth || epsilon > kMaxEpsilon) return std::nullopt;
  RowScan scan;
  loops.scan(x.data(), x.size(), scan);
  const double sum = PlainSum(scan.sum);
  if (!std::isfinite(sum)) return std::nullopt;
  const double width = static_cast<double>(x.size());
  const double count = CountOf(operation.squares_over, x.size());
  const bool centred = operation.centred();
  const Extremes extremes = ExtremesOf(scan);
  if (extremes.low == extremes.high && (centred || extremes.low == 0)) return RowWithoutSpread(extremes.low, epsilon);
  FilteredRow out;
  out.row.pivot = centred ? sum / width : 0;
  const CompensatedSums sums = SumsAround(out.row.pivot, x, loops);
  const double residual = sums.sum.high, squares = sums.squares.high, second_order = sums.second_order * kU * kU;
  const double deviation = std::sqrt(squares / count);
  const double shift = centred ? residual / width : 0;
  if (!(deviation > 0) || !(std::abs(shift) <= 0x1p-10 * deviation)) return std::nullopt;

  const double var = (squares - (centred ? residual * shift : 0)) / count;
  out.row.shift = shift;
  out.row.inv_std_dev = 1 / std::sqrt(var + epsilon);
  out.row.alpha = 11 * kU + 0.8 * second_order;
  if (centred) out.row.tau = out.row.inv_std_dev * (3.4 * kU * std::abs(shift) + 1.3 * second_order * deviation);
  out.extremes = extremes;
  const auto [low, high] = extremes;
  out.row.max_xhat = std::max(std::abs(NormalizedAt(out.row, low)), std::abs(NormalizedAt(out.row, high)));
  out.row.max_xhat_doubt = out.row.alpha * out.row.max_xhat + out.row.tau;
  out.max_magnitude = std::max(std::abs(low), std::abs(high));

  const double mean = out.row.pivot + shift;
  out.mean = {{mean, 0}, 1.1 * kU * std::abs(mean) + 2.3 * kU * std::abs(shift) + 1.3 * second_order * deviation};
  out.inv_std_dev = {{out.row.inv_std_dev, 0}, out.row.inv_std_dev * (6.4 * kU + 0.8 * second_order)};
  return out;
}

}  // namespace normcheck::reference::levels

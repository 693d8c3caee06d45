// The scalar end of a row's statistics.
#include "norm/row_stage.h"

#include <cmath>
#include <limits>

namespace normcheck::norm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnit = 0x1p-53;
constexpr double kSlack = 1.03;

RowStage StatisticsAlone(RowKind kind, double mean, double inv_std_dev) {
  return {.kind = kind, .mean = mean, .inv_std_dev = inv_std_dev};
}

}  // namespace

double RadicandOf(const StageInputs& inputs, const Moments& about_pivot) {
  const double correction = about_pivot.sum * inputs.inverse_width;
  return about_pivot.squares * inputs.inverse_width - correction * correction + inputs.epsilon;
}

double InvStdDevOf(const StageInputs& inputs, const Moments& about_pivot) { return 1 / std::sqrt(RadicandOf(inputs, about_pivot)); }

// RMSNorm's sum is 0.
void SetOrdinaryStage(const StageInputs& inputs, const Moments& about_pivot, double pivot, double inv_std_dev, RowStage& stage) {
  constexpr double h = kAdditionsPerTerm;
  const double r = inv_std_dev;
  const double mean_square = about_pivot.squares * inputs.inverse_width;
  const double correction = about_pivot.sum * inputs.inverse_width;
  const double variance = mean_square - correction * correction;
  const double kappa2 = mean_square * r * r;
  const double kappa = 0.5 * (kappa2 + 1);
  const double m = std::fabs(correction) * r;
  const double er = 0.51 * kUnit * ((h + 7) * kappa2 + 2 * (h + 3) * m * kappa + 2) + 2 * kUnit;
  const double tau = inputs.op == Op::kRmsNorm ? 0 : kUnit * ((h + 3) * kappa + 3 * m);
  const bool known = kappa2 <= 2 && inputs.width <= kMaxStageWidth;
  stage.kind = known ? RowKind::kOrdinary : RowKind::kExact;
  stage.spread = variance > 0x1p-46 * mean_square;  // equal values: 0, computed to within 2(h + 7)u of the mean square
  stage.pivot = pivot;
  stage.scale = r;
  stage.shift = -correction * r;
  stage.mean = pivot + correction;
  stage.inv_std_dev = r;
  stage.error = {kSlack * (er + 6 * kUnit), kSlack * (er + 4 * kUnit), kSlack * tau};
  stage.mean_error = kSlack * kUnit * ((h + 3) * kappa * ((variance + inputs.epsilon) * r) + 2 * std::fabs(stage.mean));
  stage.inv_std_dev_error = kSlack * (er + kUnit) * r;
  if (!known) stage.error = {kNan, kNan, kNan};  // no group passes the rounding test
}

RowStage ConstantStage(double value, double epsilon) {
  if (epsilon == 0) return StatisticsAlone(RowKind::kNan, value, kInfinity);
  RowStage stage = StatisticsAlone(RowKind::kOrdinary, value, 1 / std::sqrt(epsilon));
  stage.inv_std_dev_error = 3 * kUnit * stage.inv_std_dev;
  return stage;
}

RowStage NonFiniteStage(Op op, const NonFinite& found) {
  if (op == Op::kRmsNorm) return StatisticsAlone(found.nan ? RowKind::kNan : RowKind::kZero, 0, found.nan ? kNan : 0);
  const bool undefined = found.nan || (found.positive && found.negative);
  return StatisticsAlone(RowKind::kNan, undefined ? kNan : found.positive ? kInfinity : -kInfinity, kNan);
}

}  // namespace normcheck::norm

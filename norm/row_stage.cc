// The scalar end of a row's statistics.
#include "norm/row_stage.h"

#include <cmath>
#include <limits>

namespace normcheck::norm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

RowStage StatisticsAlone(RowKind kind, double mean, double inv_std_dev) {
  return {.kind = kind, .mean = mean, .inv_std_dev = inv_std_dev};
}

}  // namespace

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

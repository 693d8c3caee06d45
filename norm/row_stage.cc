// The scalar end of a row's statistics.
#include "norm/row_stage.h"

#include <cmath>
#include <limits>

namespace normcheck::norm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// V - r*c is positive but for rounding: a row that is not constant has sigma >= 2^-25*max|x|/sqrt(H).
RowStage CentredStage(const Moments& about_pivot, double pivot, std::size_t width, double epsilon) {
  const auto count = static_cast<double>(width);
  const double correction = about_pivot.sum / count;
  const double variance = (about_pivot.squares - about_pivot.sum * correction) / count;
  return {RowKind::kOrdinary, pivot, correction, pivot + correction, 1 / std::sqrt(variance + epsilon)};
}

RowStage ConstantStage(double value, double epsilon) {
  if (epsilon == 0) return {RowKind::kNan, 0, 0, value, kInfinity};
  return {RowKind::kZero, 0, 0, value, 1 / std::sqrt(epsilon)};
}

RowStage RmsStage(double squares, std::size_t width, double epsilon) {
  if (squares == 0 && epsilon == 0) return {RowKind::kNan, 0, 0, 0, kInfinity};
  return {RowKind::kOrdinary, 0, 0, 0, 1 / std::sqrt(squares / static_cast<double>(width) + epsilon)};
}

RowStage NonFiniteStage(Op op, const NonFinite& found) {
  if (op == Op::kRmsNorm) return found.nan ? RowStage{RowKind::kNan, 0, 0, 0, kNan} : RowStage{RowKind::kZero, 0, 0, 0, 0};
  const bool undefined = found.nan || (found.positive && found.negative);
  return {RowKind::kNan, 0, 0, undefined ? kNan : found.positive ? kInfinity : -kInfinity, kNan};
}

}  // namespace normcheck::norm

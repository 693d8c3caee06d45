// The double-double estimate of an exact quotient, and the exact comparisons that settle it.
#include "norm/exact_row.h"

#include <bit>
#include <cmath>
#include <limits>

#include "norm/format_key.h"

namespace normcheck::norm {
namespace {

// Cut to two doubles: relative error below 2^-105.
DoubleDouble Cut(const WideNumber& number) {
  const double high = number.Truncated();
  return FastTwoSum(high, (number - WideNumber::FromDouble(high)).Truncated());
}

WideNumber Square(const WideNumber& number) { return number * number; }

WideNumber Radicand(const WideNumber& count, const WideNumber& sum, const WideNumber& squares, double epsilon) {
  return count * squares - Square(sum) + Square(count) * WideNumber::FromDouble(epsilon);
}

double PowerOfTwo(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// The number y = a/sqrt(Q) + b, against which midpoints are held.
struct Quotient {
  const WideNumber& a;
  const WideNumber& radicand;
  double b;

  // Sign of y - m.
  int Against(double m) const {
    const WideNumber difference = WideNumber::FromDouble(m) - WideNumber::FromDouble(b);
    if (a.Sign() != difference.Sign()) return a.Sign() > difference.Sign() ? 1 : -1;
    if (a.IsZero()) return 0;
    return a.Sign() * CompareMagnitudes(Square(a), Square(difference) * radicand);
  }
};

struct KeyRange {
  std::int32_t low;
  std::int32_t high;
};

// Bisection; monotone, since keys are in the order of their values.
std::int32_t Settle(const Quotient& y, KeyRange range, Format format) {
  while (range.low < range.high) {
    const auto middle = static_cast<std::int32_t>((std::int64_t{range.low} + range.high) >> 1);
    const int sign = y.Against(MidpointAbove(format, middle));
    if (sign > 0 || (sign == 0 && (middle & 1) != 0)) range.low = middle + 1;
    else range.high = middle;
  }
  return range.low;
}

// Sign of estimate - m where it is certain for every y within `error` of the estimate, else 0. s + e = high - m exactly;
// the two last sums lose at most 2^-52 of |e + low| and of the result.
int CertainSign(const DoubleDouble& estimate, double m, double error) {
  const DoubleDouble difference = TwoSum(estimate.high, -m);
  const double rest = difference.low + estimate.low;
  const double total = difference.high + rest;
  if (!(std::fabs(total) > 1.001 * (error + 0x1p-52 * std::fabs(rest)))) return 0;
  return total > 0 ? 1 : -1;
}

// y lies within `error` of the pair, within `reach` of its high part.
struct Estimate {
  DoubleDouble value;
  double error;
  double reach;
};

Estimate EstimateOf(const DoubleDouble& t, double b) {
  const DoubleDouble value = Plus(t, b);
  const double error = 0x1p-99 * std::fabs(t.high) + 0x1p-104 * std::fabs(value.high) + 0x1p-1000;
  return {value, error, 0x1p-51 * std::fabs(value.high) + 1.01 * error};
}

DoubleDouble Scaled(const DoubleDouble& value, int exponent) {
  const double unit = PowerOfTwo(exponent);
  return {value.high * unit, value.low * unit};
}

// sqrt(Q) if it is a double, else 0. One Newton step on 1/inverse, whose error is below 2^-100: a root that is a double is found.
double RootOf(const ExactRoot& root) {
  const double first = 1 / root.inverse.high;
  const DoubleDouble product = Times(root.inverse, first);
  const double nearest = first + first * Plus({-product.high, -product.low}, 1).high;
  const bool exact = CompareMagnitudes(Square(WideNumber::FromDouble(nearest)).TimesPowerOfTwo(2 * root.scale), root.radicand) == 0;
  return exact ? nearest * PowerOfTwo(root.scale) : 0;
}

// In the default floating-point environment.
double RoundedTo(Format format, double value) {
  return format == Format::kF32 ? double{static_cast<float>(value)} : std::copysign(ValueOfKey(format, KeyOf(format, value)), value);
}

}  // namespace

ExactRoot::ExactRoot(const WideNumber& exact_radicand) : radicand(exact_radicand), scale((exact_radicand.TopBit() + 1) >> 1) {
  const DoubleDouble q = Cut(radicand.TimesPowerOfTwo(-2 * scale));
  const double first = 1 / std::sqrt(q.high);
  const DoubleDouble product = Times(q, TwoProduct(first, first));
  const double e = Plus({-product.high, -product.low}, 1).high;
  inverse = FastTwoSum(first, first * (e * (0.5 + 0.375 * e)));
}

double RoundedQuotient(const WideNumber& a, const ExactRoot& root, double b, Format format) {
  const auto [estimate, error, reach] = EstimateOf(Scaled(Times(Cut(a), root.inverse), -root.scale), b);
  KeyRange range = {KeyOf(format, estimate.high - reach), KeyOf(format, estimate.high + reach)};
  if (range.high - 1 == range.low) {
    const int sign = CertainSign(estimate, MidpointAbove(format, range.low), error);
    if (sign != 0) range.low = range.high = sign > 0 ? range.high : range.low;
  }
  const Quotient y = {a, root.radicand, b};
  const bool sign_known = std::fabs(estimate.high) > reach;
  const double sign = sign_known ? estimate.high : y.Against(0);
  if (sign == 0) return 0;
  const double value = ValueOfKey(format, Settle(y, range, format));
  return std::copysign(value, sign);
}

NarrowRow::NarrowRow(const WideNumber& wide_count, const WideNumber& wide_sum, const ExactRoot& root_of_radicand)
    : count(wide_count.Truncated()), sum(Cut(wide_sum)), inverse(Scaled(root_of_radicand.inverse, -root_of_radicand.scale)) {
  const WideNumber rest = wide_sum - WideNumber::FromDouble(sum.high) - WideNumber::FromDouble(sum.low);
  fits = rest.IsZero() && count < 0x1p29;
  root = RootOf(root_of_radicand);
}

std::optional<double> NarrowRow::Element(double x, double gamma, double beta, Format format) const {
  const DoubleDouble difference = Plus(TwoSum(count * x, -sum.high), -sum.low);
  const Estimate y = EstimateOf(Times(Times(difference, gamma), inverse), beta);
  const double low = RoundedTo(format, y.value.high - y.reach);
  const double high = RoundedTo(format, y.value.high + y.reach);
  if (low == high && low != 0) return low;
  return std::nullopt;
}

ExactRow::ExactRow(Op op, std::size_t width, double epsilon, const ExactMoments& moments)
    : width_(width),
      sum_(op == Op::kLayerNorm ? moments.Sum() : WideNumber()),
      root_(Radicand(WideNumber::FromInteger(width), sum_, moments.Squares(), epsilon)),
      narrow_(WideNumber::FromInteger(width), sum_, root_) {}

WideNumber ExactRow::Deviation(double x) const { return WideNumber::FromInteger(width_) * WideNumber::FromDouble(x) - sum_; }

// Where gamma is finite beta is not, and the finite product has no say in the sum.
double ExactRow::Element(double x, double gamma, double beta, Format format) const {
  if (std::isfinite(gamma) && std::isfinite(beta)) {
    const std::optional<double> near = narrow_.fits ? narrow_.Element(x, gamma, beta, format) : std::nullopt;
    return near ? *near : RoundedQuotient(Deviation(x) * WideNumber::FromDouble(gamma), root_, beta, format);
  }
  const double sign = std::isinf(gamma) ? Deviation(x).Sign() : 0;
  const double value = gamma * sign + beta;
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

double ExactRow::Mean() const { return RoundedQuotient(sum_, ExactRoot(Square(WideNumber::FromInteger(width_))), 0, Format::kF32); }

double ExactRow::InvStdDev() const { return RoundedQuotient(WideNumber::FromInteger(width_), root_, 0, Format::kF32); }

}  // namespace normcheck::norm

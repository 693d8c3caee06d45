// Finishes exact or compensated sums in double-double; errors in reference/README.md, Levels.
#include "reference/levels/double_double_row.h"

#include <cmath>

namespace normcheck::reference::levels {
namespace {

constexpr double kU2 = 0x1p-106;
constexpr double kProductDoubt = 0x1p-99;  // relative to gamma*xhat
constexpr double kSumDoubt = 0x1p-103;     // relative to y
constexpr double kWidest = 0x1p26;
constexpr double kLargestEpsilon = 0x1p600;
constexpr double kMaxRootDoubt = 0x1p-80;
constexpr double kSmallestRadicand = 0x1p-600;  // below, H^2*epsilon might not be exact in two doubles

DoubleDouble Rounded(__int128 integer) {
  const double high = static_cast<double>(integer);
  return {high, static_cast<double>(integer - static_cast<__int128>(high))};
}

// 1/sqrt(q): one step of third order from the double, relative error below 2^-102.
DoubleDouble InverseRoot(const DoubleDouble& q) {
  const double start = 1 / std::sqrt(q.high);
  const DoubleDouble e = -(q * ExactProductOf(start, start) + -1.0);
  const double correction = e.high * (0.5 + 0.375 * e.high) + 0.5 * e.low;
  return Normalized(start, start * correction);
}

// Q = n*sum(x^2) - S^2 + n^2*epsilon.
DoubleDouble RadicandOf(double n, const DoubleDouble& squares, const DoubleDouble& shift, double epsilon) {
  return squares * n + -(shift * shift) + ExactProductOf(n * n, epsilon);
}

}  // namespace

DoubleDoubleRow::DoubleDoubleRow(const ExactRow& row) : exact_(&row) {
  const DoubleDouble inverse = ToDoubleDouble(row.radicand().InverseRoot());
  max_xhat_ = ToDoubleDouble(ToQuad(row.MaxNumerator())) * inverse;
  const double scale = row.fixed() ? std::ldexp(1.0, row.fixed()->exponent) : 1;
  inverse_root_ = {inverse.high * scale, inverse.low * scale};
}

std::optional<DoubleDoubleRow> DoubleDoubleRow::Compensated(const Operation& operation, std::span<const double> x, const Extremes& extremes,
                                                            double epsilon, const FilterLoops& loops) {
  DoubleDoubleRow row;
  row.x_ = x;
  row.count_ = CountOf(operation.squares_over, x.size());
  if (static_cast<double>(x.size()) > kWidest || epsilon > kLargestEpsilon) return std::nullopt;
  const CompensatedSums sums = SumsAround(0, x, loops);
  if (operation.centred()) row.shift_ = sums.sum;
  const DoubleDouble q = RadicandOf(row.count_, sums.squares, row.shift_, epsilon);
  const double spread = row.count_ * sums.squares.high;
  const double doubt = ((3.5 * sums.second_order + 24) * spread + 12 * q.high) * kU2;
  if (!(doubt <= kMaxRootDoubt * q.high) || !(q.high > kSmallestRadicand)) return std::nullopt;
  row.inverse_root_ = InverseRoot(q);
  row.root_doubt_ = 0.6 * doubt / q.high;
  if (operation.centred())
    row.numerator_doubt_ = 1.2 * (sums.second_order + 4) * kU2 * std::sqrt(spread) * row.inverse_root_.high;
  const auto xhat_at = [&](double value) { return Magnitude((-row.shift_ + row.count_ * value) * row.inverse_root_); };
  const DoubleDouble at_low = xhat_at(extremes.low);
  const DoubleDouble at_high = xhat_at(extremes.high);
  row.max_xhat_ = at_low.high < at_high.high || (at_low.high == at_high.high && at_low.low < at_high.low) ? at_high : at_low;
  return row;
}

DoubleDouble DoubleDoubleRow::Numerator(std::size_t i) const {
  if (exact_ == nullptr) return -shift_ + count_ * x_[i];
  return exact_->fixed() ? Rounded(exact_->FixedNumerator(i)) : ToDoubleDouble(ToQuad(exact_->Numerator(i)));
}

Estimate DoubleDoubleRow::Affine(const DoubleDouble& xhat, double gamma, double beta) const {
  const DoubleDouble product = xhat * gamma;
  const double own_doubt = numerator_doubt_ * std::abs(gamma);
  const DoubleDouble y = product + beta;
  if (product.high == 0 && own_doubt == 0) return {{beta, 0}, 0};
  return {y, (kProductDoubt + root_doubt_) * std::abs(product.high) + own_doubt + kSumDoubt * std::abs(y.high)};
}

Estimate DoubleDoubleRow::Xhat(std::size_t i) const { return Element(i, 1, 0); }

Estimate DoubleDoubleRow::Element(std::size_t i, double gamma, double beta) const {
  return Affine(Numerator(i) * inverse_root_, gamma, beta);
}

Estimate DoubleDoubleRow::Scale(double gamma, double beta) const { return Affine(max_xhat_, std::abs(gamma), std::abs(beta)); }

}  // namespace normcheck::reference::levels

// Finishes exact sums in double-double; errors in reference/README.md, Levels.
#include "reference/levels/double_double_row.h"

#include <cmath>

namespace normcheck::reference::levels {
namespace {

constexpr double kProductDoubt = 0x1p-99;  // relative to gamma*xhat
constexpr double kSumDoubt = 0x1p-103;     // relative to y

DoubleDouble Rounded(__int128 integer) {
  const double high = static_cast<double>(integer);
  return {high, static_cast<double>(integer - static_cast<__int128>(high))};
}

Estimate Affine(const DoubleDouble& xhat, double gamma, double beta) {
  const DoubleDouble product = xhat * gamma;
  const DoubleDouble y = product + beta;
  if (product.high == 0) return {{beta, 0}, 0};
  return {y, kProductDoubt * std::abs(product.high) + kSumDoubt * std::abs(y.high)};
}

}  // namespace

DoubleDoubleRow::DoubleDoubleRow(const ExactRow& row) : row_(&row) {
  const DoubleDouble inverse = ToDoubleDouble(row.radicand().inverse_root);
  max_xhat_ = ToDoubleDouble(ToQuad(row.MaxNumerator())) * inverse;
  const double scale = row.fixed() ? std::ldexp(1.0, row.fixed()->exponent) : 1;
  inverse_root_ = {inverse.high * scale, inverse.low * scale};
}

Estimate DoubleDoubleRow::Xhat(std::size_t i) const { return Element(i, 1, 0); }

Estimate DoubleDoubleRow::Element(std::size_t i, double gamma, double beta) const {
  const DoubleDouble numerator = row_->fixed() ? Rounded(row_->FixedNumerator(i)) : ToDoubleDouble(ToQuad(row_->Numerator(i)));
  return Affine(numerator * inverse_root_, gamma, beta);
}

Estimate DoubleDoubleRow::Scale(double gamma, double beta) const { return Affine(max_xhat_, std::abs(gamma), std::abs(beta)); }

}  // namespace normcheck::reference::levels

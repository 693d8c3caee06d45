// Double-double numbers: high + low with |low| <= ulp(high)/2, about 106 bits; no multiply-add is fused.
#pragma once

#include <cmath>

#include "reference/quad.h"

namespace normcheck::reference::levels {

inline constexpr double kU = 0x1p-53;

struct DoubleDouble {
  double high = 0;
  double low = 0;
};

// a + b exactly (Knuth).
inline DoubleDouble ExactSumOf(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// a + b exactly. Requires |a| >= |b| or a = 0 (Dekker).
inline DoubleDouble Normalized(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a*b exactly, for 2^-900 < |a*b| and |a|, |b| < 2^900, or a product of zero (Dekker; Veltkamp's splitting).
inline DoubleDouble ExactProductOf(double a, double b) {
  constexpr double kSplit = 0x1p27 + 1;
  const auto upper = [](double value) { const double c = kSplit * value; return c - (c - value); };
  const double product = a * b;
  const double a1 = upper(a), b1 = upper(b), a2 = a - a1, b2 = b - b1;
  return {product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

// Relative error at most 5*2^-106 (Joldes, Muller, Popescu 2017, DWTimesDW1, 5u^2 + O(u^3) with u^2 = 2^-106).
inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = ExactProductOf(a.high, b.high);
  return Normalized(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// Relative error at most 3*2^-106 (DWTimesFP2).
inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble product = ExactProductOf(a.high, b);
  return Normalized(product.high, product.low + a.low * b);
}

// Relative error of the result at most 2*2^-106 (DWPlusFP).
inline DoubleDouble operator+(const DoubleDouble& a, double b) {
  const DoubleDouble sum = ExactSumOf(a.high, b);
  return Normalized(sum.high, a.low + sum.low);
}

// Error at most 3*2^-106*(|a| + |b|).
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble high = ExactSumOf(a.high, b.high), low = ExactSumOf(a.low, b.low);
  const DoubleDouble sum = Normalized(high.high, high.low + low.high);
  return Normalized(sum.high, sum.low + low.low);
}

inline DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
inline DoubleDouble Magnitude(const DoubleDouble& a) { return a.high < 0 ? -a : a; }

// Rounded to about 2^-106.
inline DoubleDouble ToDoubleDouble(const Quad& value) {
  const double high = static_cast<double>(value);
  return {high, static_cast<double>(Quad(value - high))};
}

}  // namespace normcheck::reference::levels

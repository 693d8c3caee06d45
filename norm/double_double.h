// Double-double numbers: high + low, |low| <= ulp(high)/2, about 106 bits. No fused operation, so that bits are the same everywhere.
#pragma once

namespace normcheck::norm {

struct DoubleDouble {
  double high = 0;
  double low = 0;
};

// a + b without error (Knuth).
inline DoubleDouble TwoSum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// a + b without error. Requires |a| >= |b|, or a = 0 (Dekker).
inline DoubleDouble FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a*b without error (Dekker, Veltkamp). Requires |a|, |b| < 2^990, |a*b| < 2^1000 and a product's last bit not below 2^-1074.
inline DoubleDouble TwoProduct(double a, double b) {
  constexpr double kSplitter = 0x1p27 + 1;
  const auto high_part = [](double value) {
    const double scaled = kSplitter * value;
    return scaled - (scaled - value);
  };
  const double a_high = high_part(a), b_high = high_part(b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// Relative errors below in units of 2^-106 (Joldes, Muller, Popescu 2017).
// At most 2.
inline DoubleDouble Plus(DoubleDouble a, double b) {
  const DoubleDouble sum = TwoSum(a.high, b);
  return FastTwoSum(sum.high, a.low + sum.low);
}

// At most 3.
inline DoubleDouble Times(DoubleDouble a, double b) {
  const DoubleDouble product = TwoProduct(a.high, b);
  return FastTwoSum(product.high, a.low * b + product.low);
}

// At most 7.
inline DoubleDouble Times(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = TwoProduct(a.high, b.high);
  return FastTwoSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

}  // namespace normcheck::norm

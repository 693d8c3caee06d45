// ExactSum: adds doubles without rounding, in any order, whatever their range.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "reference/dyadic.h"

namespace normcheck::reference {

// A superaccumulator: chunk k collects multiples of 2^(32k - 1074), each term below 2^84 there, so that more than 2^42
// terms fit before a chunk of 128 bits could overflow (Neal 2015, "Fast exact summation using small and large superaccumulators").
class ExactSum {
 public:
  void Add(double value);  // finite
  Dyadic Total() const;

 private:
  static constexpr int kChunks = (1074 + 1024) / 32 + 1;
  std::array<__int128, kChunks> chunks_{};
};

// Values as integers of one exponent: x = integer*2^exponent, where the row's sums and products fit in 127 bits.
struct CommonExponent {
  int exponent = 0;
  std::int64_t Integer(double value) const { return static_cast<std::int64_t>(value * inverse); }
  double inverse = 1;  // 2^-exponent
};

// Nothing where 24 + emax - emin bits, twice, and those of the count exceed 127, or 24 + emax - emin exceeds 62, emax and
// emin being the largest and smallest exponents of the values. Requires: normal or zero, at most 24 significant bits.
std::optional<CommonExponent> CommonExponentOf(std::span<const double> values);

struct ExactMoments {
  Dyadic sum;
  Dyadic squares;
};

// sum(x), sum(x^2) in 128-bit integers with a common exponent (3 ns an element), or in superaccumulators.
ExactMoments MomentsOf(std::span<const double> values, const std::optional<CommonExponent>& common);

Dyadic SumOf(std::span<const double> values);

// Requires: every square exact in double (values of at most 26 significant bits, |value| in 2^-511..2^511 or zero).
Dyadic SumOfSquares(std::span<const double> values);

}  // namespace normcheck::reference

// ExactSum: adds doubles without rounding, in any order, whatever their range.
#pragma once

#include <array>
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

Dyadic SumOf(std::span<const double> values);

// Requires: every square exact in double (values of at most 26 significant bits, |value| in 2^-511..2^511 or zero).
Dyadic SumOfSquares(std::span<const double> values);

}  // namespace normcheck::reference

// The exact sum and sum of squares of a row of floats, for the questions that must not be rounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "norm/wide_number.h"

namespace normcheck::norm {

// sum x and sum x^2 of finite floats, in digits of 32 bits that lie in 64: a digit takes 2^30 additions before a carry.
// Units: 2^-149 and 2^-298. Width: |x| < 2^128 and at most 2^62 terms, so |sum x| < 2^339 units, in 12 digits; sum x^2
// < 2^616 units, in 21 digits. Pieces whose values have exponents close together are summed as integers of a common unit first.
class ExactMoments {
 public:
  // Values must be floats. Fastest in pieces of some hundred.
  void Add(std::span<const double> values);

  WideNumber Sum() const { return common_sum_ + Total(sum_, -149); }
  WideNumber Squares() const { return common_squares_ + Total(squares_, -298); }

 private:
  static constexpr std::size_t kAddsPerCarry = std::size_t{1} << 30;

  void AddOne(float value);
  void AddCommon(std::span<const double> values, int unit);
  void Carry();
  static WideNumber Total(std::span<const std::int64_t> digits, int unit);

  std::array<std::int64_t, 12> sum_ = {};
  std::array<std::int64_t, 21> squares_ = {};
  std::size_t pending_ = 0;
  WideNumber common_sum_;
  WideNumber common_squares_;
};

}  // namespace normcheck::norm

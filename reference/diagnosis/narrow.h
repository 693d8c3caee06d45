// Sums as narrow arithmetic gives them, operation by operation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "reference/number.h"

namespace normcheck::reference::diagnosis {

// value rounded once to the format; exact products and sums of 16-bit numbers are innocuous in double first.
inline double RoundedTo(double value, Format format) { return ValueOf(BitsOf(value, format), format); }

// Sum of term(value) in f32: one accumulator a lane, lanes halved onto each other. lanes: a power of two.
template <typename Term>
float SumInLanes(std::span<const double> values, std::size_t lanes, Term term) {
  std::vector<float> sums(lanes, 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % lanes] += term(static_cast<float>(values[i]));
  for (std::size_t half = lanes / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) sums[lane] += sums[lane + half];
  return sums[0];
}

// Sum of term(value) with every addition rounded to the format.
template <typename Term>
double SumRounded(std::span<const double> values, Format format, Term term) {
  double sum = 0;
  for (const double value : values) sum = RoundedTo(sum + term(value), format);
  return sum;
}

}  // namespace normcheck::reference::diagnosis

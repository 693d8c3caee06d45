// Cases from doubles, for tests of the judge.
#pragma once

#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "reference/case.h"
#include "reference/number.h"

namespace normcheck::reference {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline std::vector<Bits> BitsOfAll(const std::vector<double>& values, Format format) {
  std::vector<Bits> bits;
  for (double value : values) bits.push_back(BitsOf(value, format));
  return bits;
}

// One row; every value must be exact in its format. gamma, beta: empty = absent.
inline Case RowCase(Op op, const std::vector<double>& x, double epsilon, const std::vector<double>& gamma = {},
                    const std::vector<double>& beta = {}, Formats formats = {}) {
  Case c = MakeCase(op, formats, 1, x.size(), epsilon);
  c.x = BitsOfAll(x, formats.x);
  if (!gamma.empty()) c.gamma = BitsOfAll(gamma, formats.params);
  if (!beta.empty()) c.beta = BitsOfAll(beta, formats.params);
  return c;
}

}  // namespace normcheck::reference

// The double-double level: xhat, y and the row's scale from exact sums, with an error of about 2^-100.
#pragma once

#include "reference/exact_row.h"
#include "reference/levels/estimate.h"

namespace normcheck::reference::levels {

// Requires: a finite row with Q > 0, which must outlive this.
class DoubleDoubleRow {
 public:
  explicit DoubleDoubleRow(const ExactRow& row);
  Estimate Xhat(std::size_t i) const;
  Estimate Element(std::size_t i, double gamma, double beta) const;  // gamma, beta finite
  Estimate Scale(double gamma, double beta) const;                   // |gamma|*max|xhat| + |beta|

 private:
  const ExactRow* row_;
  DoubleDouble inverse_root_;  // of Q, times 2^exponent where the row has a common exponent
  DoubleDouble max_xhat_;
};

}  // namespace normcheck::reference::levels

// The double-double level: xhat, y and the row's scale from exact sums, with an error of about 2^-100.
#pragma once

#include "reference/exact_row.h"
#include "reference/levels/filter_row.h"

namespace normcheck::reference::levels {

// xhat_i = N_i/sqrt(Q), where N_i and Q come from exact sums, or from compensated ones with doubts of their own.
class DoubleDoubleRow {
 public:
  // From exact sums. Requires: a finite row with Q > 0, which must outlive this.
  explicit DoubleDoubleRow(const ExactRow& row);

  // From compensated sums, 1 ns an element. Nothing where Q is not sure to 2^-80: little spread at a large mean, very wide
  // rows. Requires: x finite, exact values of a storage format, outliving this; its extremes; epsilon finite, >= 0.
  static std::optional<DoubleDoubleRow> Compensated(const Operation& operation, std::span<const double> x, const Extremes& extremes, double epsilon,
                                                    const FilterLoops& loops);

  Estimate Xhat(std::size_t i) const;
  Estimate Element(std::size_t i, double gamma, double beta) const;  // gamma, beta finite
  Estimate Scale(double gamma, double beta) const;                   // |gamma|*max|xhat| + |beta|

 private:
  DoubleDoubleRow() = default;
  DoubleDouble Numerator(std::size_t i) const;
  Estimate Affine(const DoubleDouble& xhat, double gamma, double beta) const;

  const ExactRow* exact_ = nullptr;
  std::span<const double> x_;  // where exact_ is null
  double count_ = 0;           // n
  DoubleDouble shift_;         // S
  DoubleDouble inverse_root_;  // of Q, times 2^exponent where the exact row has a common exponent
  DoubleDouble max_xhat_;
  double numerator_doubt_ = 0;  // of N_i/sqrt(Q) by that of S
  double root_doubt_ = 0;       // relative, by that of Q
};

}  // namespace normcheck::reference::levels

// ExactRow: one row's sums in integers, from which every element, scale and statistic follows without rounding.
#pragma once

#include <optional>
#include <vector>

#include "reference/exact_element.h"
#include "reference/exact_sum.h"
#include "reference/operations/operation.h"

namespace normcheck::reference {

enum class RowClass : std::uint8_t { kFinite, kInfinity, kNan };  // kNan where the row has both

// With S = sum x (0 where nothing is subtracted), n = H (1 where the squares are summed, not averaged),
// N_i = n*x_i - S, Q = n*sum(x^2) - S^2 + n^2*epsilon:
//   xhat_i = N_i/sqrt(Q), y_i = gamma_i*xhat_i + beta_i, inv_std_dev = n/sqrt(Q), mean = sum(x)/sqrt(H^2).
// RMSNorm row with an infinity: xhat_i is 0 where x_i is finite (N_i := 0, Q := 1), NaN at the infinity.
// Of other rows that are not finite only the class and the values are known.
class ExactRow {
 public:
  // values: exact values of a storage format, at least one; epsilon: finite, >= 0.
  ExactRow(norm::Op op, std::vector<double> values, double epsilon);
  ExactRow(const ExactRow&) = delete;
  ExactRow& operator=(const ExactRow&) = delete;

  const Operation& operation() const { return *operation_; }
  RowClass row_class() const { return class_; }
  const std::vector<double>& values() const { return values_; }
  bool Undefined() const { return class_ == RowClass::kFinite && !q_; }  // Q = 0

  // All below: rows with a Q > 0 (Mean, Variance, MaxMagnitude: any finite row).
  Dyadic Numerator(std::size_t i) const;  // N_i
  ExactElement Element(std::size_t i, double gamma, double beta) const;
  ExactElement Scale(double gamma, double beta) const;  // |gamma|*max_j|xhat_j| + |beta|
  ExactElement Mean() const;
  ExactElement InvStdDev() const;
  const Radicand& radicand() const { return *q_; }
  Dyadic Variance() const;     // Q without epsilon: n^2*var
  double MaxMagnitude() const;  // max|x|
  const Dyadic& MaxNumerator() const { return max_numerator_; }  // max|N_i|

  // Where the row's values share an exponent: N_i = FixedNumerator(i)*2^(fixed()->exponent).
  const std::optional<CommonExponent>& fixed() const { return fixed_; }
  __int128 FixedNumerator(std::size_t i) const;

 private:
  Dyadic width() const { return Dyadic(static_cast<double>(values_.size())); }
  Dyadic count() const { return Dyadic(CountOf(operation_->squares_over, values_.size())); }  // n

  const Operation* operation_;
  std::vector<double> values_;
  RowClass class_;
  double min_ = 0;
  double max_ = 0;
  Dyadic sum_;
  Dyadic shift_;  // S
  Dyadic sum_squares_;
  Dyadic max_numerator_;
  std::optional<CommonExponent> fixed_;
  __int128 fixed_shift_ = 0;
  Radicand width_squared_;
  std::optional<Radicand> q_;
};

}  // namespace normcheck::reference

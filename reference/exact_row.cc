// The exact sums of one row.
#include "reference/exact_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/exact_sum.h"
#include "reference/operations/operations.h"

namespace normcheck::reference {
namespace {

RowClass ClassOf(const std::vector<double>& values) {
  const auto is_nan = [](double value) { return std::isnan(value); };
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (std::any_of(values.begin(), values.end(), is_nan)) return RowClass::kNan;
  return std::all_of(values.begin(), values.end(), is_finite) ? RowClass::kFinite : RowClass::kInfinity;
}

Dyadic Larger(Dyadic a, Dyadic b) { return Compare(a, b) < 0 ? b : a; }

}  // namespace

ExactRow::ExactRow(norm::Op op, std::vector<double> values, double epsilon)
    : operation_(&OperationOf(op)), values_(std::move(values)), class_(ClassOf(values_)), width_squared_(width() * width()) {
  if (operation_->infinite_row == InfiniteRow::kOthersZero && class_ == RowClass::kInfinity) q_.emplace(Dyadic(1));
  if (class_ != RowClass::kFinite) return;
  const auto [low, high] = std::minmax_element(values_.begin(), values_.end());
  min_ = *low;
  max_ = *high;
  fixed_ = CommonExponentOf(values_);
  ExactMoments moments = MomentsOf(values_, fixed_);
  sum_ = std::move(moments.sum);
  sum_squares_ = std::move(moments.squares);
  if (operation_->centred()) shift_ = sum_;
  if (fixed_) fixed_shift_ = static_cast<__int128>(shift_.integer());
  const Dyadic at_min = count() * Dyadic(min_) - shift_;
  const Dyadic at_max = count() * Dyadic(max_) - shift_;
  max_numerator_ = Larger(at_min.Abs(), at_max.Abs());
  const Dyadic q = Variance() + count() * count() * Dyadic(epsilon);
  if (q.Sign() > 0) q_.emplace(q);
}

Dyadic ExactRow::Variance() const { return count() * sum_squares_ - shift_ * shift_; }

double ExactRow::MaxMagnitude() const { return std::abs(min_) < std::abs(max_) ? std::abs(max_) : std::abs(min_); }

Dyadic ExactRow::Numerator(std::size_t i) const {
  return class_ == RowClass::kFinite ? count() * Dyadic(values_[i]) - shift_ : Dyadic();
}

__int128 ExactRow::FixedNumerator(std::size_t i) const {
  const auto n = static_cast<__int128>(CountOf(operation_->squares_over, values_.size()));
  return static_cast<__int128>(fixed_->Integer(values_[i])) * n - fixed_shift_;
}

ExactElement ExactRow::Element(std::size_t i, double gamma, double beta) const {
  return ExactElement(Dyadic(gamma) * Numerator(i), Dyadic(beta), *q_);
}

ExactElement ExactRow::Scale(double gamma, double beta) const {
  return ExactElement(Dyadic(std::abs(gamma)) * max_numerator_, Dyadic(std::abs(beta)), *q_);
}

ExactElement ExactRow::Mean() const { return ExactElement(sum_, Dyadic(), width_squared_); }

ExactElement ExactRow::InvStdDev() const { return ExactElement(count(), Dyadic(), *q_); }

}  // namespace normcheck::reference

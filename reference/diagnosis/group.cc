// Exact sums of a group, and its moments from them.
#include "reference/diagnosis/group.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/exact_sum.h"

namespace normcheck::reference::diagnosis {

Group::Group(std::vector<double> values, SquaresOver over)
    : values_(std::move(values)), width_(static_cast<double>(values_.size())) {
  const Dyadic width(static_cast<double>(values_.size()));
  const double count = CountOf(over, values_.size());
  const Dyadic sum = SumOf(values_);
  const Dyadic squares = SumOfSquares(values_);
  mean_ = ToQuad(sum) / width_;
  mean_square_ = ToQuad(squares) / count;
  var_ = ToQuad(width * squares - sum * sum) / width_ / width_;
  ExactSum magnitudes;
  for (const double value : values_) magnitudes.Add(std::abs(value));
  moments_.width = values_.size();
  moments_.count = count;
  moments_.mean_abs = static_cast<double>(Quad(ToQuad(magnitudes.Total()) / width_));
  moments_.mean_square = static_cast<double>(mean_square_);
  moments_.mean = static_cast<double>(mean_);
  moments_.var = static_cast<double>(var_);
  for (const double value : values_) moments_.max_abs = std::max(moments_.max_abs, std::abs(value));
}

}  // namespace normcheck::reference::diagnosis

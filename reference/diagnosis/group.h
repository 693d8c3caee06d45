// Group: the elements over which a statistic is taken, with exact sums.
#pragma once

#include <vector>

#include "reference/profile_bounds.h"
#include "reference/quad.h"

namespace normcheck::reference::diagnosis {

// Values of 1 to 2^53 finite elements of a storage format; each Quad is an exact sum, divided and rounded to 113 bits.
class Group {
 public:
  Group(std::vector<double> values, SquaresOver over);
  const std::vector<double>& values() const { return values_; }
  const Quad& width() const { return width_; }
  const Quad& mean() const { return mean_; }
  const Quad& mean_square() const { return mean_square_; }
  const Quad& var() const { return var_; }
  double max_abs() const { return moments_.max_abs; }
  const RowMoments& moments() const { return moments_; }  // both epsilons 0

 private:
  std::vector<double> values_;
  Quad width_;
  Quad mean_;
  Quad mean_square_;
  Quad var_;
  RowMoments moments_;
};

}  // namespace normcheck::reference::diagnosis

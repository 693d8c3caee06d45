// Moments of a row from its exact sums.
#include "reference/row_moments.h"

#include <cmath>

#include "reference/exact_sum.h"

namespace normcheck::reference {
namespace {

double Divided(const Dyadic& sum, double by) { return static_cast<double>(Quad(ToQuad(sum) / by)); }

Dyadic SumOfMagnitudes(const std::vector<double>& values) {
  ExactSum sum;
  for (const double value : values) sum.Add(std::abs(value));
  return sum.Total();
}

}  // namespace

RowMoments MomentsOf(const ExactRow& row, double epsilon, double kernel_epsilon) {
  const double width = static_cast<double>(row.values().size());
  RowMoments moments;
  moments.width = row.values().size();
  moments.mean_abs = Divided(SumOfMagnitudes(row.values()), width);
  moments.count = CountOf(row.operation().squares_over, row.values().size());
  moments.mean_square = Divided(SumOfSquares(row.values()), moments.count);
  moments.mean = Divided(SumOf(row.values()), width);
  moments.var = static_cast<double>(Quad(ToQuad(row.Variance()) / moments.count / moments.count));
  moments.max_abs = row.MaxMagnitude();
  moments.epsilon = epsilon;
  moments.kernel_epsilon = kernel_epsilon;
  return moments;
}

}  // namespace normcheck::reference

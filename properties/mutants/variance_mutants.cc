// Mistakes in how the variance is summed.
#include <cmath>

#include "properties/mutants/families_of_mistakes.h"
#include "properties/mutants/row_engine.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

// var = E[x^2] - E[x]^2 with f32 sums: cancels where the mean exceeds the deviation, and may come out negative.
// Cited: CASES.md rows 1-13, 16-20 (A1).
RowStatistics OnePassVariance(norm::Op, double epsilon, std::span<const double> x) {
  float sum = 0;
  float squares = 0;
  for (double value : x) {
    const float narrow = static_cast<float>(value);
    sum += narrow;
    squares += narrow * narrow;
  }
  const float width = static_cast<float>(x.size());
  const float mean = sum / width;
  const float var = squares / width - mean * mean;
  return {static_cast<double>(mean), 1 / std::sqrt(static_cast<double>(var) + epsilon)};
}

}  // namespace

std::vector<norm::Kernel> VarianceMutants() {
  const std::vector<norm::Op> centred = reference::CentredOps();
  return {
      EngineKernel(norm::Kind::kMutant, "mutant:one-pass-variance",
                   "variance as E[x^2] - E[x]^2 in f32 (CASES.md 1-13, 16-20)", centred, OnePassVariance),
  };
}

}  // namespace normcheck::properties

// Mistakes in epsilon: where it stands.
#include <cmath>

#include "properties/mutants/families_of_mistakes.h"
#include "properties/mutants/row_engine.h"

namespace normcheck::properties {
namespace {

// 1/(sqrt(var) + epsilon) instead of 1/sqrt(var + epsilon): differs most where var is near epsilon.
// Cited: CASES.md row 47 (D3), FACTS.md F18.
RowStatistics EpsAfterRoot(norm::Op op, double epsilon, std::span<const double> x) {
  const double mean = op == norm::Op::kLayerNorm ? MeanOf(x) : 0;
  return {mean, 1 / (std::sqrt(MeanSquareAround(mean, x)) + epsilon)};
}

}  // namespace

std::vector<norm::Kernel> EpsilonMutants() {
  return {EngineKernel(norm::Kind::kMutant, "mutant:eps-after-root",
                       "epsilon added to the standard deviation instead of the variance (CASES.md 47)",
                       {norm::Op::kLayerNorm, norm::Op::kRmsNorm}, EpsAfterRoot)};
}

}  // namespace normcheck::properties

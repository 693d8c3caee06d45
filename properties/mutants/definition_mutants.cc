// Mistakes in the definition: what is centred, and which root is taken.
#include <cmath>

#include "properties/mutants/families_of_mistakes.h"
#include "properties/mutants/row_engine.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using Row = std::span<const double>;

RowStatistics NoCentring(norm::Op, double epsilon, Row x) { return HonestStatistics(norm::Op::kRmsNorm, epsilon, x); }

RowStatistics Centring(norm::Op, double epsilon, Row x) { return HonestStatistics(norm::Op::kLayerNorm, epsilon, x); }

// (var + epsilon)**2 for (var + epsilon)**0.5: the same only at variance 1.
RowStatistics ExponentTwo(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  const double v = MeanSquareAround(mean, x) + epsilon;
  return {mean, 1 / (v * v)};
}

RowStatistics MissingRoot(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  return {mean, 1 / (MeanSquareAround(mean, x) + epsilon)};
}

}  // namespace

std::vector<norm::Kernel> DefinitionMutants() {
  using norm::Op;
  const auto mutant = [](std::string id, std::string about, std::vector<Op> ops, Statistics statistics) {
    return EngineKernel(norm::Kind::kMutant, "mutant:" + id, std::move(about), std::move(ops), std::move(statistics));
  };
  return {
      mutant("no-centring", "RMSNorm for LayerNorm: the mean is not subtracted (FACTS.md F16)", reference::CentredOps(), NoCentring),
      mutant("centring-in-rms", "LayerNorm for RMSNorm: a mean is subtracted (FACTS.md F16)", {Op::kRmsNorm}, Centring),
      mutant("exponent-two", "(var + epsilon)^2 in the place of its root (CASES.md 54)", reference::AllOps(), ExponentTwo),
      mutant("missing-root", "divided by var + epsilon, the root forgotten (CASES.md 54, D9)", reference::AllOps(), MissingRoot),
  };
}

}  // namespace normcheck::properties

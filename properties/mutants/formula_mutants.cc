// Mutants of the mistakes that a formula can say: their texts in double, on the row engine.
#include <algorithm>
#include <cmath>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"
#include "reference/operations/affine_norm/mistakes.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using reference::Centre;
using reference::Centres;
using reference::Mistake;
using Row = std::span<const double>;

double MeanFor(Centre centre, Row x) { return centre == Centre::kMean ? MeanOf(x) : 0; }

double LargestMagnitude(Row x) {
  double largest = 0;
  for (const double value : x) largest = std::abs(value) > largest ? std::abs(value) : largest;
  return largest;
}

Centres CentresOf(const Mistake& mistake, norm::Op op) {
  const Centre own = reference::OperationOf(op).centre;
  return mistake.centres.empty() ? Centres{own, own} : mistake.centres.front();
}

double DivisorOf(const Mistake& mistake, const reference::RowFigures<double>& row) {
  if (mistake.divisor.in_double) return mistake.divisor.in_double(row);
  return std::sqrt(row.spread + (mistake.epsilon == nullptr ? row.epsilon : mistake.epsilon(row)));
}

RowStatistics StatisticsBy(const Mistake& mistake, norm::Op op, double epsilon, Row x) {
  const Centres centres = CentresOf(mistake, op);
  const double spread = SpreadAround(op, MeanFor(centres.spread, x), x);
  const double width = static_cast<double>(x.size());
  return {MeanFor(centres.subtracted, x), 1 / DivisorOf(mistake, {spread, epsilon, width, LargestMagnitude(x)})};
}

bool HasParameters(const norm::KernelCall& call, reference::Needs needs) {
  const bool gamma = needs != reference::Needs::kBeta, beta = needs != reference::Needs::kGamma;
  return (!gamma || call.gamma != nullptr) && (!beta || call.beta != nullptr);
}

double ElementBy(const Mistake& mistake, const norm::KernelCall& call, const RowStatistics& s, const Element& e) {
  const double xhat = (e.x - s.mean) * s.inv_root;
  if (!HasParameters(call, mistake.needs)) return e.gamma * xhat + e.beta;
  const auto taken = mistake.affine.in_double({e.gamma, e.beta});
  return taken.gamma * xhat + taken.beta;
}

std::vector<norm::Op> OpsOf(const Mistake& mistake) {
  std::vector<norm::Op> ops = reference::AllOps();
  std::erase_if(ops, [&](norm::Op op) { return !reference::AppliesTo(mistake, reference::OperationOf(op)); });
  return ops;
}

norm::Kernel MutantOf(const Mistake& mistake) {
  const std::string about = std::string(mistake.text) + " (" + std::string(mistake.source) + ")";
  norm::Kernel kernel =
      EngineKernel(norm::Kind::kMutant, "mutant:" + std::string(mistake.id), about, OpsOf(mistake),
                   [&mistake](norm::Op op, double epsilon, Row x) { return StatisticsBy(mistake, op, epsilon, x); });
  if (!mistake.affine.in_double) return kernel;
  kernel.run = [&mistake](const norm::KernelCall& call) {
    return RunElements(call, [&](const norm::KernelCall& c, const RowStatistics& s, const Element& e) {
      return ElementBy(mistake, c, s, e);
    });
  };
  return kernel;
}

std::vector<norm::Kernel> MutantsOf(const std::vector<Mistake>& mistakes) {
  std::vector<norm::Kernel> kernels;
  for (const Mistake& mistake : mistakes) kernels.push_back(MutantOf(mistake));
  return kernels;
}

}  // namespace

std::vector<norm::Kernel> EpsilonMutants() { return MutantsOf(reference::affine_norm::EpsilonMistakes()); }
std::vector<norm::Kernel> DefinitionMutants() { return MutantsOf(reference::affine_norm::DefinitionMistakes()); }
std::vector<norm::Kernel> ParameterMutants() { return MutantsOf(reference::affine_norm::ParameterMistakes()); }

}  // namespace normcheck::properties

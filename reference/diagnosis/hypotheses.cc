// All hypotheses, family by family.
#include <algorithm>
#include <iterator>

#include "reference/diagnosis/families.h"

namespace normcheck::reference::diagnosis {
namespace {

std::vector<Hypothesis> MadeHypotheses() {
  std::vector<Hypothesis> all;
  for (auto* family : {EpsilonHypotheses, DefinitionHypotheses, ElementHypotheses, ParameterHypotheses, WriteHypotheses,
                       NarrowHypotheses, ApproximationHypotheses, RoundingHypotheses})
    std::ranges::move(family(), std::back_inserter(all));
  return all;
}

}  // namespace

const std::vector<Hypothesis>& Hypotheses() {
  static const std::vector<Hypothesis> kAll = MadeHypotheses();
  return kAll;
}

}  // namespace normcheck::reference::diagnosis

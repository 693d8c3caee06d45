// Rows whose difficulty lies in their relation to epsilon or to beta.
#include <cmath>

#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "properties/parameters.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// N(0,1) * sqrt(epsilon) * 2^-3..2^3: variances from epsilon/64 to 64*epsilon; epsilon 0 counts as the smallest, 1e-12.
void FillVarNearEps(const RowTask& task, Random& random) {
  const double epsilon = task.epsilon > 0 ? task.epsilon : 1e-12;
  const double scale = std::sqrt(epsilon) * PowerOfTwo(static_cast<int>(random.Between(-3, 3)));
  for (Bits& x : task.x) x = reference::BitsOf(scale * random.Gaussian(), task.formats.x);
}

void CancellingParameters(Case& c, Random& random) {
  DrawGamma(c, random);
  CancelBeta(c);
}

}  // namespace

const Family kVarNearEps = {"var-near-eps", "variance within a factor 64 of epsilon", FillVarNearEps};
const Family kBetaCancels = {"beta-cancels", "beta is -gamma*xhat of the first row, rounded",
                             [](const RowTask& task, Random& random) { kGaussian.fill(task, random); }, CancellingParameters};

}  // namespace normcheck::properties

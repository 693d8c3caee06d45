// Gamma and beta of a drawn case: absent, plain, spread over decades, negative, with zeros, cancelling.
#pragma once

#include <vector>

#include "properties/random.h"
#include "reference/case.h"

namespace normcheck::properties {

// Sets or removes c.gamma (c.beta), finite values only.
void DrawGamma(reference::Case& c, Random& random);
void DrawBeta(reference::Case& c, Random& random);

// xhat of the first row, in binary64.
std::vector<double> XhatOfFirstRow(const reference::Case& c);

// beta_i = -gamma_i*xhat_i of the first row, in binary64 and rounded to the parameters' format; 0 where that is not finite.
void CancelBeta(reference::Case& c);

}  // namespace normcheck::properties

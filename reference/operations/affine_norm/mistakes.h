// Mistakes of LayerNorm and RMSNorm that a formula can say.
#pragma once

#include <vector>

#include "reference/operations/mistake.h"

namespace normcheck::reference::affine_norm {

const std::vector<Mistake>& EpsilonMistakes();     // where epsilon stands, and which number it is
const std::vector<Mistake>& DefinitionMistakes();  // divisor, centring, exponent
const std::vector<Mistake>& ParameterMistakes();   // gamma and beta

}  // namespace normcheck::reference::affine_norm

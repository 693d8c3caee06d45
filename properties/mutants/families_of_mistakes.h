// The mutants by family of mistakes; kernels.cc lists them.
#pragma once

#include <vector>

#include "norm/kernel.h"

namespace normcheck::properties {

std::vector<norm::Kernel> VarianceMutants();
std::vector<norm::Kernel> EpsilonMutants();

}  // namespace normcheck::properties

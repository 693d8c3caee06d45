// Kernels that compute nothing, and the one that computes something else: what a configuration must tell from a norm.
#pragma once

#include <vector>

#include "norm/kernel.h"

namespace normcheck::properties {

// null:zeros, ones, x, beta, previous-output, nothing. A configuration of cases that one of them passes proves nothing.
std::vector<norm::Kernel> NullKernels();

// contrast:batch-norm: LayerNorm's statistics taken down each column, over the rows of the call (FACTS.md F6). Formats and
// contract are those of the mutants' engine; epsilon stands under the root; a single row gives beta, and NaN at epsilon 0.
norm::Kernel BatchNormKernel();

}  // namespace normcheck::properties

// The standard sweep: one case of every family, width and epsilon, by which kernels and tolerances are compared.
#pragma once

#include <vector>

#include "norm/kernel.h"
#include "properties/families.h"

namespace normcheck::properties {

// Families() x widths 1, 2, 3, 17, 64, 255, 768 x epsilons 1e-12, 1e-5, 1e-3; two rows, some with a pitch. The same cases everywhere.
std::vector<Case> StandardSweep(Op op, const Formats& formats);

// The triple to try first: all f32 where the kernel takes it.
Formats PreferredFormats(const norm::Kernel& kernel);

}  // namespace normcheck::properties

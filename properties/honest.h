// Honest kernels: sound plain C++ kernels, one for each profile of reference/profile_bounds.h, all ops and formats.
#pragma once

#include <vector>

#include "norm/kernel.h"

namespace normcheck::properties {

// honest:ALGORITHM-ORDER[-scale-bias]-f32, -f64 or -f64-f32 (sums in f64, elements in f32); contract kProfile. f32 sums take epsilon in f32.
// Special values as IEEE arithmetic gives them, which are the documented classes; Welford's mean of a row with an
// infinity is NaN, so its contract is finite_only. var + epsilon = 0: NaN, or whatever the rounded mean leaves.
std::vector<norm::Kernel> HonestKernels();

// The same kernels compiled with multiply-adds fused wherever the compiler likes, names with "-fma"; empty where this
// machine has no fused multiply-add.
std::vector<norm::Kernel> FusedHonestKernels();

}  // namespace normcheck::properties

// The fuzz target of a user's kernel.
#include "../consumer/my_rms_norm.h"
#include "fuzz/fuzz_kernel.h"

#ifndef WITH_FAULT
#define WITH_FAULT false
#endif

NORMCHECK_FUZZ_TARGET(normcheck::norm::Op::kRmsNorm, MyKernel(RmsNorm<WITH_FAULT>))

// The loops that everyone writes, by two compilers at -O3 -march=native -ffast-math, in objects that leave the process alone.
#pragma once

#include <stddef.h>

// Rows of LayerNorm (rms 0) or RMSNorm, two passes: mean, then the mean of squared deviations, all in float; gamma, beta f32.
// format: 0 f32, 1 f16, 2 bf16.
#define NORMCHECK_PLAIN_LOOPS(NAME) \
  extern "C" void NAME(int rms, int format, const void* x, const float* gamma, const float* beta, void* y, size_t rows, size_t width, float epsilon)

NORMCHECK_PLAIN_LOOPS(normcheck_plain_gcc);
NORMCHECK_PLAIN_LOOPS(normcheck_plain_clang);

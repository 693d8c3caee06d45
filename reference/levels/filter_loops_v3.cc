// The filter's loops on vectors of 4 doubles of x86-64-v3.
#define NORMCHECK_FILTER_LANES 4
#define NORMCHECK_FILTER_NAME kFilterLoopsV3
#define NORMCHECK_FILTER_TARGET "v3"
#include "reference/levels/filter_loops-inl.h"

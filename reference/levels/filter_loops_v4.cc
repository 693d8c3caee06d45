// The filter's loops on vectors of 8 doubles of x86-64-v4.
#define NORMCHECK_FILTER_LANES 8
#define NORMCHECK_FILTER_NAME kFilterLoopsV4
#define NORMCHECK_FILTER_TARGET "v4"
#include "reference/levels/filter_loops-inl.h"

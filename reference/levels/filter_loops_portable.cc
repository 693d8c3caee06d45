// The filter's loops on vectors of 2 doubles, for every machine.
#define NORMCHECK_FILTER_LANES 2
#define NORMCHECK_FILTER_NAME kFilterLoopsPortable
#define NORMCHECK_FILTER_TARGET "portable"
#include "reference/levels/filter_loops-inl.h"

// The facts of an exact row that the a-priori bounds need.
#pragma once

#include "reference/exact_row.h"
#include "reference/profile_bounds.h"

namespace normcheck::reference {

// Every moment from exact sums, rounded once (relative error at most 2^-52).
// Requires: a finite row; epsilon as the row was made with; kernel_epsilon as the kernel takes it.
RowMoments MomentsOf(const ExactRow& row, double epsilon, double kernel_epsilon);

}  // namespace normcheck::reference

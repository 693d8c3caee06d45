// Shrinks large failing cases by their size: where the neighbours of shrink.h would cost too much, halves and ends of rows and columns.
#pragma once

#include <functional>

#include "reference/case.h"

namespace normcheck::properties {

// The case with as few rows and columns as bisection from either end finds, and plainer parameters and numbers; then, where few
// elements are left, the descent of Shrink. About 100 evaluations of large cases, at most max_steps in all.
reference::Case ShrinkSize(reference::Case c, const std::function<bool(const reference::Case&)>& fails, int max_steps);

}  // namespace normcheck::properties

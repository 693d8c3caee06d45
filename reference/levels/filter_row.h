// The double filter's row: mean and 1/sqrt(var + epsilon) from compensated sums, with proved errors.
#pragma once

#include <optional>
#include <span>

#include "norm/kernel_call.h"
#include "reference/levels/estimate.h"
#include "reference/levels/filter_loops.h"

namespace normcheck::reference::levels {

struct FilteredRow {
  FilterRow row;
  Estimate mean;         // of LayerNorm
  Estimate inv_std_dev;
  double max_magnitude = 0;  // max|x|, exact
};

// Nothing where the row is not finite, has no spread that the filter can see (constant rows, zeros), or is too wide.
// Requires: x not empty, exact values of a storage format; epsilon finite, >= 0.
std::optional<FilteredRow> FilterOf(norm::Op op, std::span<const double> x, double epsilon, const FilterLoops& loops);

}  // namespace normcheck::reference::levels

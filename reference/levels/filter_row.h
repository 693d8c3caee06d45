// The double filter's row: mean and 1/sqrt(var + epsilon) from compensated sums, with proved errors.
#pragma once

#include <optional>
#include <span>

#include "reference/levels/estimate.h"
#include "reference/levels/filter_loops.h"
#include "reference/operations/operation.h"

namespace normcheck::reference::levels {

struct Extremes {
  double low = 0;
  double high = 0;
};
Extremes ExtremesOf(const RowScan& scan);

struct FilteredRow {
  FilterRow row;
  Estimate mean;         // of LayerNorm
  Estimate inv_std_dev;
  Extremes extremes;     // of x
  double max_magnitude = 0;  // max|x|, exact
};

// Sums over the lanes of `sums`, about 2^-106 of themselves apart from second_order*u^2 of their terms' sum.
struct CompensatedSums {
  DoubleDouble sum;
  DoubleDouble squares;
  double second_order = 0;  // m^2: what the compensations themselves rounded
};
CompensatedSums SumsAround(double pivot, std::span<const double> x, const FilterLoops& loops);

// A row of equal values (RMSNorm: of zeros) has mean and xhat = 0 exactly.
// Nothing where the row is not finite, has Q = 0 or less spread than the filter can see, or is too wide.
// Requires: x not empty, exact values of a storage format; epsilon finite, >= 0.
std::optional<FilteredRow> FilterOf(const Operation& operation, std::span<const double> x, double epsilon, const FilterLoops& loops);

}  // namespace normcheck::reference::levels

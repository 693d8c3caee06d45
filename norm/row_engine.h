// The row loops of one instruction set, compiled once per Highway target, and the list of those that this machine runs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "norm/format.h"
#include "norm/kernel_call.h"
#include "norm/row_stage.h"

namespace normcheck::norm {

struct RowEngine {
  std::string_view name;

  // All rows of a call that passed CheckCall. Requires the default MXCSR.
  void (*normalize_rows)(const KernelCall& call, const BoundScales& bound_scales);

  // The same by the fast tier. guard_scale multiplies the limits of its guard (fast_stage.h): 1, but in the test that shows
  // what they are for.
  void (*normalize_rows_fast)(const KernelCall& call, double guard_scale);

  // What the binary64 stage makes of the first row of such a call, for the test of its bound: y before rounding, and E. False
  // where the row is not its own (not finite, equal values, no useful bound).
  bool (*estimate_row)(const KernelCall& call, double* y, double* error);

  // The conversions of the row loops, for their tests: exact up to binary64, and one rounding down; NaN must be canonical.
  void (*widen)(Format format, const void* from, std::size_t count, double* to);
  void (*narrow)(Format format, const double* from, std::size_t count, void* to);
};

// Best first, scalar last. The list is made once.
std::span<const RowEngine> RowEngines();

}  // namespace normcheck::norm

// Curves: how a kernel's error grows along offset/sigma, width and var/epsilon, on rows in which nothing else changes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "norm/kernel.h"
#include "properties/random.h"
#include "reference/contract.h"
#include "reference/tally.h"

namespace normcheck::reports {

struct CurvePoint {
  double at = 0;                      // where on the axis
  reference::Tally tally;
  std::optional<double> bound_row_ulp;  // the largest error that the contract promises on the point's rows; nothing: no promise
};

// Ids are stable: offset-over-sigma, width, var-over-epsilon.
struct Curve {
  std::string_view id;
  norm::Op op = norm::Op::kLayerNorm;
  norm::Formats formats;
  double epsilon = 0;
  std::vector<CurvePoint> points;
};

// The kernel's first op, in its first plain format triple (its first one, where it has no plain one), without gamma and beta:
//   offset-over-sigma  rows of 256, x = offset + N(0,1), offset = 1, 2, 4, ... while sigma is two ulps of it or more
//   width              N(0,1), widths 2^k - 1, 2^k, 2^k + 1 up to 4097
//   var-over-epsilon   rows of 64, N(0, var), var/epsilon = 2^-20 ... 2^20
// Epsilon is 1e-5. The rows depend on the seed and the point alone, so the figures are the same for all threads and shards.
std::vector<Curve> MeasureCurves(const norm::Kernel& kernel, const std::optional<reference::Contract>& contract,
                                 properties::Seed seed);

}  // namespace normcheck::reports

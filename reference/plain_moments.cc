// Two passes over the row.
#include "reference/plain_moments.h"

#include <cmath>

#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::reference {

PlainMoments PlainMomentsOf(Op op, std::span<const Bits> row, Format format) {
  const Operation& operation = OperationOf(op);
  const double width = static_cast<double>(row.size()), n = CountOf(operation.squares_over, row.size());
  PlainMoments moments;
  for (const Bits bits : row) {
    const double x = ValueOf(bits, format);
    moments.finite = moments.finite && std::isfinite(x);
    moments.largest = std::abs(x) > moments.largest ? std::abs(x) : moments.largest;
    if (operation.centred()) moments.mean += x / width;
  }
  for (const Bits bits : row) {
    const double distance = ValueOf(bits, format) - moments.mean, share = distance * distance / n;
    moments.spread += share;
    moments.farthest = share > moments.farthest ? share : moments.farthest;
  }
  return moments;
}

}  // namespace normcheck::reference

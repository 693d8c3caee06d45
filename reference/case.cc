// Builds plain cases and states their limits.
#include "reference/case.h"

#include <algorithm>

namespace normcheck::reference {

Case MakeCase(Op op, const Formats& formats, std::size_t rows, std::size_t width, double epsilon) {
  Case c;
  c.op = op;
  c.formats = formats;
  c.rows = rows;
  c.width = width;
  c.epsilon = epsilon;
  c.x.assign(rows * width, Bits{0});
  c.x_pitch = width;
  c.y_pitch = width;
  return c;
}

std::size_t MaxPitch(std::size_t rows, std::size_t width) {
  if (rows <= 1) return kCountLimit - 1;
  return std::min(kCountLimit - 1, (kMaxPitchedElements - std::min(width, kMaxPitchedElements)) / (rows - 1));
}

}  // namespace normcheck::reference

// Builds plain cases.
#include "reference/case.h"

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

}  // namespace normcheck::reference

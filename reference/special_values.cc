// The table of special values.
#include "reference/special_values.h"

#include <cmath>

#include "reference/number.h"

namespace normcheck::reference {
namespace {

Ideal ClassOf(double value) {
  if (std::isnan(value)) return Ideal::kNan;
  if (std::isfinite(value)) return Ideal::kFinite;
  return value > 0 ? Ideal::kPositiveInfinity : Ideal::kNegativeInfinity;
}

bool IsZeroedByInfinity(const ExactRow& row) {
  return row.operation().infinite_row == InfiniteRow::kOthersZero && row.row_class() == RowClass::kInfinity;
}

}  // namespace

Ideal IdealOf(const ExactRow& row, std::size_t i, double gamma, double beta) {
  if (IsZeroedByInfinity(row)) return std::isinf(row.values()[i]) ? Ideal::kNan : ClassOf(gamma * 0 + beta);
  if (row.row_class() != RowClass::kFinite) return Ideal::kNan;
  if (row.Undefined()) return Ideal::kUndefined;
  const double product = std::isfinite(gamma) ? 0 : gamma * row.Numerator(i).Sign();
  return ClassOf(product + beta);
}

Bits BitsOf(Ideal ideal, Format format) {
  switch (ideal) {
    case Ideal::kPositiveInfinity: return InfinityBits(format, false);
    case Ideal::kNegativeInfinity: return InfinityBits(format, true);
    default: return CanonicalNan(format);
  }
}

}  // namespace normcheck::reference

// Dyadic arithmetic: alignment, comparison by leading bits first, and doubles taken apart.
#include "reference/dyadic.h"

#include <bit>
#include <cmath>

namespace normcheck::reference {
namespace {

Integer ShiftedTo(const Dyadic& value, std::int64_t exponent) {
  return value.integer() << static_cast<std::size_t>(value.exponent() - exponent);
}

}  // namespace

Dyadic::Dyadic(double value) {
  if (value == 0) return;
  int exponent = 0;
  const auto scaled = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  const int zeros = std::countr_zero(static_cast<std::uint64_t>(scaled));
  integer_ = scaled >> zeros;
  exponent_ = exponent - 53 + zeros;
}

std::int64_t Dyadic::FloorLog2() const {
  const auto& limbs = integer_.backend();
  const std::size_t top = limbs.size() - 1;
  const auto top_bits = static_cast<std::int64_t>(std::bit_width(limbs.limbs()[top]));
  return exponent_ + static_cast<std::int64_t>(top * 64) + top_bits - 1;
}

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.Sign() == 0) return b;
  if (b.Sign() == 0) return a;
  if (a.exponent_ >= b.exponent_) return Dyadic(ShiftedTo(a, b.exponent_) + b.integer_, b.exponent_);
  return Dyadic(a.integer_ + ShiftedTo(b, a.exponent_), a.exponent_);
}

int Compare(const Dyadic& a, const Dyadic& b) {
  const int sign = a.Sign();
  if (sign != b.Sign()) return sign < b.Sign() ? -1 : 1;
  if (sign == 0) return 0;
  const std::int64_t length_a = a.FloorLog2();
  const std::int64_t length_b = b.FloorLog2();
  if (length_a != length_b) return length_a < length_b ? -sign : sign;
  const int order = a.exponent() >= b.exponent() ? ShiftedTo(a, b.exponent()).compare(b.integer())
                                                 : a.integer().compare(ShiftedTo(b, a.exponent()));
  return order < 0 ? -1 : order > 0;
}

}  // namespace normcheck::reference

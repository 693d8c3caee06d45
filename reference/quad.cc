// From exact integers to 113 bits in one rounding.
#include "reference/quad.h"

namespace normcheck::reference {

Quad Scaled(const Quad& value, std::int64_t exponent) { return ldexp(value, static_cast<int>(exponent)); }

int FloorLog2(const Quad& value) { return ilogb(value); }

// The top 128 bits, with everything below them ORed into the last one, are two exact 64-bit halves; their sum is the one
// rounding, and it sees the same side of every 113-bit midpoint as the whole integer.
Quad ToQuad(const Dyadic& value) {
  if (value.Sign() == 0) return Quad(0);
  const Integer magnitude = abs(value.integer());
  const auto length = static_cast<std::int64_t>(msb(magnitude)) + 1;
  const auto dropped = static_cast<std::size_t>(length > 128 ? length - 128 : 0);
  const Integer top = magnitude >> dropped;
  const bool sticky = lsb(magnitude) < dropped;
  const auto high = static_cast<std::uint64_t>(top >> 64);
  const auto low = static_cast<std::uint64_t>(top & ~std::uint64_t{0}) | (sticky ? 1U : 0U);
  const Quad sum = ldexp(Quad(high), 64) + Quad(low);
  return Scaled(value.Sign() < 0 ? Quad(-sum) : sum, value.exponent() + static_cast<std::int64_t>(dropped));
}

}  // namespace normcheck::reference

// Builds single values from bits and exact powers of two.
#include "properties/families/values.h"

#include <algorithm>
#include <bit>

#include "reference/number.h"

namespace normcheck::properties {
namespace {

Bits SignBit(Format format) { return Bits{1} << (8 * norm::TraitsOf(format).bytes - 1); }

}  // namespace

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

int ExponentOf(double value) {
  return static_cast<int>((std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff) - 1023;
}

double SpacingAt(double value, Format format) {
  const auto traits = norm::TraitsOf(format);
  const int exponent = value == 0 ? traits.emin : std::max(ExponentOf(value), traits.emin);
  return PowerOfTwo(exponent - traits.precision + 1);
}

double EitherSign(double value, Random& random) { return random.OneIn(2) ? -value : value; }

Bits WithExponent(int exponent, Format format, Random& random) {
  const int fraction_bits = norm::TraitsOf(format).precision - 1;
  const double steps = static_cast<double>(random.Below(std::uint64_t{1} << fraction_bits));
  const double significand = 1 + steps * PowerOfTwo(-fraction_bits);
  return reference::BitsOf(EitherSign(significand * PowerOfTwo(exponent), random), format);
}

Bits Neighbour(Bits bits, int steps, Format format) {
  const Bits sign = bits & SignBit(format);
  const auto magnitude = static_cast<std::int64_t>(bits ^ sign) + steps;
  const auto largest = static_cast<std::int64_t>(reference::MaxFinite(format, false));
  return sign | static_cast<Bits>(std::clamp<std::int64_t>(magnitude, 0, largest));
}

Bits AnyFinite(Format format, Random& random) {
  const Bits magnitude = static_cast<Bits>(random.Below(std::uint64_t{reference::MaxFinite(format, false)} + 1));
  return random.OneIn(2) ? magnitude | SignBit(format) : magnitude;
}

}  // namespace normcheck::properties

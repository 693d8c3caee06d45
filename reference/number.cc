// Bits to value and value to bits, by integer operations on the encodings.
#include "reference/number.h"

#include <bit>
#include <cmath>
#include <limits>

namespace normcheck::reference {
namespace {

// Fields of an encoding: one sign bit, the exponent field, `fraction_bits` of fraction.
struct Encoding {
  int fraction_bits;
  int bias;
  Bits sign;
  Bits exponent_mask;
  Bits fraction_mask;
};

constexpr Encoding EncodingOf(Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const int fraction_bits = traits.precision - 1;
  const int total_bits = static_cast<int>(traits.bytes) * 8;
  const Bits sign = Bits{1} << (total_bits - 1);
  const Bits fraction_mask = (Bits{1} << fraction_bits) - 1;
  return {fraction_bits, traits.emax, sign, (sign - 1) & ~fraction_mask, fraction_mask};
}

// value / 2^shift, to nearest, ties to even; 0 <= shift.
std::uint64_t ShiftRounded(std::uint64_t value, int shift) {
  if (shift == 0) return value;
  if (shift > 63) return 0;
  const std::uint64_t whole = value >> shift;
  const std::uint64_t rest = value & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1) ? 1 : 0);
}

// A finite double that is not below binary64's normal range, as significand * 2^exponent with 53 bits.
struct Unpacked {
  std::uint64_t significand;
  int exponent;
};

Unpacked Unpack(std::uint64_t bits) {
  return {(bits & 0xfffffffffffffu) | 0x10000000000000u, static_cast<int>(bits >> 52 & 0x7ff) - 1075};
}

}  // namespace

double ValueOf(Bits bits, Format format) {
  const Encoding e = EncodingOf(format);
  const Bits fraction = bits & e.fraction_mask;
  const int field = static_cast<int>((bits & e.exponent_mask) >> e.fraction_bits);
  double magnitude = 0;
  if (IsNan(bits, format))
    magnitude = std::numeric_limits<double>::quiet_NaN();
  else if (IsInfinite(bits, format))
    magnitude = std::numeric_limits<double>::infinity();
  else if (field == 0)
    magnitude = std::ldexp(static_cast<double>(fraction), 1 - e.bias - e.fraction_bits);
  else
    magnitude = std::ldexp(static_cast<double>(fraction + e.fraction_mask + 1), field - e.bias - e.fraction_bits);
  return IsNegative(bits, format) ? -magnitude : magnitude;
}

bool IsNan(Bits bits, Format format) {
  const Encoding e = EncodingOf(format);
  return (bits & e.exponent_mask) == e.exponent_mask && (bits & e.fraction_mask) != 0;
}

bool IsInfinite(Bits bits, Format format) {
  const Encoding e = EncodingOf(format);
  return (bits & e.exponent_mask) == e.exponent_mask && (bits & e.fraction_mask) == 0;
}

bool IsFinite(Bits bits, Format format) {
  const Encoding e = EncodingOf(format);
  return (bits & e.exponent_mask) != e.exponent_mask;
}

bool IsNegative(Bits bits, Format format) { return (bits & EncodingOf(format).sign) != 0; }

Bits CanonicalNan(Format format) {
  const Encoding e = EncodingOf(format);
  return e.exponent_mask | Bits{1} << (e.fraction_bits - 1);
}

Bits InfinityBits(Format format, bool negative) {
  const Encoding e = EncodingOf(format);
  return e.exponent_mask | (negative ? e.sign : 0);
}

Bits MaxFinite(Format format, bool negative) { return InfinityBits(format, negative) - 1; }

// A carry out of the fraction runs into the exponent field, up to infinity, by the addition alone.
Bits BitsOf(double value, Format format) {
  const Encoding e = EncodingOf(format);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const Bits sign = magnitude == bits ? 0 : e.sign;
  if (magnitude > 0x7ff0000000000000u) return CanonicalNan(format);
  if (magnitude == 0x7ff0000000000000u) return InfinityBits(format, sign != 0);
  if (magnitude < 0x10000000000000u) return sign;  // below 2^-1022, far below half of any format's smallest subnormal
  const Unpacked unpacked = Unpack(magnitude);
  const int exponent = unpacked.exponent + 52;
  if (exponent > e.bias) return InfinityBits(format, sign != 0);
  const int emin = 1 - e.bias;
  const int shift = 52 - e.fraction_bits + std::max(0, emin - exponent);
  const auto rounded = static_cast<Bits>(ShiftRounded(unpacked.significand, shift));
  const Bits field_below = exponent < emin ? 0 : static_cast<Bits>(exponent - emin);
  return sign | (rounded + (field_below << e.fraction_bits));
}

}  // namespace normcheck::reference

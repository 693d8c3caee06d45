// Rounding of f32 and f64 into the storage formats in integers alone, so that MXCSR has no say in it.
#include "norm/rounding.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace normcheck::norm {
namespace {

// |value| = significand * 2^(exponent - 52), significand in [2^52, 2^53); or zero, infinity, NaN.
struct Unpacked {
  enum class Class { kZero, kFinite, kInfinite, kNan };
  bool negative;
  Class kind;
  int exponent;
  std::uint64_t significand;
};

// `fraction_bits` stored bits below an exponent of `exponent_bits`; `magnitude` is the bit pattern without the sign.
Unpacked Unpack(bool negative, std::uint64_t magnitude, int fraction_bits, int exponent_bits) {
  const int biased = static_cast<int>(magnitude >> fraction_bits);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << fraction_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (biased == 2 * bias + 1) return {negative, fraction == 0 ? Unpacked::Class::kInfinite : Unpacked::Class::kNan, 0, 0};
  if (magnitude == 0) return {negative, Unpacked::Class::kZero, 0, 0};
  const std::uint64_t integer = biased == 0 ? fraction : fraction | (std::uint64_t{1} << fraction_bits);
  const int up = std::countl_zero(integer) - 11;
  return {negative, Unpacked::Class::kFinite, std::max(biased, 1) - bias - fraction_bits + 52 - up, integer << up};
}

Unpacked Unpack(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return Unpack(bits >> 63 != 0, bits & 0x7fffffffffffffff, 52, 11);
}

Unpacked Unpack(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return Unpack(bits >> 31 != 0, bits & 0x7fffffff, 23, 8);
}

// significand * 2^-shift to an integer, ties to even. From shift 54 on the value is below one half.
std::uint64_t ShiftRightToNearest(std::uint64_t significand, int shift) {
  if (shift >= 54) return 0;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return kept + ((rest > half || (rest == half && (kept & 1) != 0)) ? 1 : 0);
}

// The bits of `value` in a format. The significand's leading bit adds one to the exponent field, and so does a carry:
// subnormals, binade edges and overflow need no case of their own.
template <Format kFormat>
std::uint32_t Encode(const Unpacked& value) {
  constexpr FormatTraits traits = TraitsOf(kFormat);
  constexpr int fraction_bits = traits.precision - 1;
  constexpr std::uint64_t infinity = static_cast<std::uint64_t>(traits.emax - traits.emin + 2) << fraction_bits;
  const std::uint64_t sign = std::uint64_t{value.negative} << (8 * traits.bytes - 1);
  switch (value.kind) {
    case Unpacked::Class::kNan: return static_cast<std::uint32_t>(infinity | (std::uint64_t{1} << (fraction_bits - 1)));
    case Unpacked::Class::kInfinite: return static_cast<std::uint32_t>(sign | infinity);
    case Unpacked::Class::kZero: return static_cast<std::uint32_t>(sign);
    case Unpacked::Class::kFinite: break;
  }
  const int binade = std::max(value.exponent, traits.emin);
  const std::uint64_t rounded = ShiftRightToNearest(value.significand, binade - fraction_bits - value.exponent + 52);
  const std::uint64_t magnitude = rounded + (static_cast<std::uint64_t>(binade - traits.emin) << fraction_bits);
  return static_cast<std::uint32_t>(sign | std::min(magnitude, infinity));
}

template <Format kFormat, typename Real>
std::uint16_t Encode16(Real value) {
  return static_cast<std::uint16_t>(Encode<kFormat>(Unpack(value)));
}

}  // namespace

float ToFloat(Float16 value) {
  const Unpacked unpacked = Unpack(value.bits >> 15 != 0, value.bits & 0x7fff, 10, 5);
  return std::bit_cast<float>(Encode<Format::kF32>(unpacked));
}

float ToFloat(BFloat16 value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }

Float16 ToFloat16(float value) { return {Encode16<Format::kF16>(value)}; }
Float16 ToFloat16(double value) { return {Encode16<Format::kF16>(value)}; }
BFloat16 ToBFloat16(float value) { return {Encode16<Format::kBf16>(value)}; }
BFloat16 ToBFloat16(double value) { return {Encode16<Format::kBf16>(value)}; }
float ToFloat32(double value) { return std::bit_cast<float>(Encode<Format::kF32>(Unpack(value))); }

}  // namespace normcheck::norm

// Keys from the formats' bits.
#include "norm/format_key.h"

#include <bit>
#include <cmath>

#include "norm/rounding.h"

namespace normcheck::norm {
namespace {

constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

double FiniteValueOfKey(Format format, std::int32_t key) {
  const double value = ValueOfKey(format, key);
  return std::isinf(value) ? std::copysign(PowerOfTwo(TraitsOf(format).emax + 1), value) : value;
}

}  // namespace

std::int32_t KeyOf(Format format, double value) {
  const double magnitude = std::fabs(value);
  const auto key = static_cast<std::int32_t>(format == Format::kF32   ? std::bit_cast<std::uint32_t>(ToFloat32(magnitude))
                                             : format == Format::kF16 ? ToFloat16(magnitude).bits
                                                                      : ToBFloat16(magnitude).bits);
  return value < 0 ? -key : key;
}

double ValueOfKey(Format format, std::int32_t key) {
  const auto bits = static_cast<std::uint32_t>(key < 0 ? -key : key);
  const float magnitude = format == Format::kF32   ? std::bit_cast<float>(bits)
                          : format == Format::kF16 ? ToFloat(Float16{static_cast<std::uint16_t>(bits)})
                                                   : ToFloat(BFloat16{static_cast<std::uint16_t>(bits)});
  return key < 0 ? -double{magnitude} : double{magnitude};
}

double MidpointAbove(Format format, std::int32_t key) {
  return (FiniteValueOfKey(format, key) + FiniteValueOfKey(format, key + 1)) / 2;
}

}  // namespace normcheck::norm

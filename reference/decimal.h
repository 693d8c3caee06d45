// Decimal and hexadecimal literals as exact values, and their one rounding to a binary format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "norm/format.h"

namespace normcheck::reference {

// A binary format of p bits, normal exponents emin..emax, with subnormals; p <= 53 and within binary64's range.
struct BinaryShape {
  int precision;
  int emin;
  int emax;
};

inline constexpr BinaryShape kBinary64 = {53, -1022, 1023};

constexpr BinaryShape ShapeOf(norm::Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  return {traits.precision, traits.emin, traits.emax};
}

// (-1)^negative * 0.d1d2d3... * 10^magnitude, d1 != 0, no trailing zero; no digits: zero.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t magnitude = 0;
};

// (-1)^negative * significand * 2^exponent, significand odd or zero. `wide`: more than 61 significant bits, which no format holds.
struct HexValue {
  bool negative = false;
  bool wide = false;
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
};

// "-12.5e-3", ".5", "5."; nothing for any other text. An exponent beyond +-10^15 counts as +-10^15.
std::optional<Decimal> ReadDecimal(std::string_view text);

// "-0x1.8p+3"; the exponent is needed, so that nobody's bits ("0x3f800000") are taken for a value.
std::optional<HexValue> ReadHex(std::string_view text);

// The value nearest the exact decimal, ties to even, in one rounding; nothing where it overflows to infinity.
// Bounded work: digits beyond the 1,000th only say whether anything follows (a midpoint of binary64 has at most 768), and
// a decimal far outside binary64's range is decided by its magnitude.
std::optional<double> RoundDecimal(const Decimal& decimal, BinaryShape shape);

// The value, where the format holds it exactly.
std::optional<double> FitHex(const HexValue& value, BinaryShape shape);

}  // namespace normcheck::reference

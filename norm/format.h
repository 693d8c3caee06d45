// The storage formats of normcheck, their parameters and the types that hold their bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace normcheck::norm {

// binary32, binary16 and bfloat16, all of IEEE 754's shape: sign, exponent, fraction, subnormals, infinities, NaN.
enum class Format : std::uint8_t { kF32, kF16, kBf16 };

inline constexpr Format kFormats[] = {Format::kF32, Format::kF16, Format::kBf16};

// p bits of significand, normal exponents emin..emax, bytes of storage, and the name used in files and on the command line.
struct FormatTraits {
  int precision;
  int emin;
  int emax;
  std::size_t bytes;
  std::string_view name;
};

constexpr FormatTraits TraitsOf(Format format) {
  switch (format) {
    case Format::kF16: return {11, -14, 15, 2, "f16"};
    case Format::kBf16: return {8, -126, 127, 2, "bf16"};
    case Format::kF32: break;
  }
  return {24, -126, 127, 4, "f32"};
}

constexpr std::optional<Format> FormatNamed(std::string_view name) {
  for (Format format : kFormats)
    if (TraitsOf(format).name == name) return format;
  return std::nullopt;
}

// Storage only; arithmetic never happens in these types.
struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

// Formats of x, of gamma and beta, and of y.
struct Formats {
  Format x = Format::kF32;
  Format params = Format::kF32;
  Format y = Format::kF32;

  friend constexpr bool operator==(const Formats&, const Formats&) = default;
};

}  // namespace normcheck::norm

// The conversions, scalar and of every target, against definitions that share nothing with them: ldexp and nearbyint.
#include "norm/rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "norm/row_engine.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

constexpr Format kSmallFormats[] = {Format::kF16, Format::kBf16};
constexpr std::uint32_t kSign16 = 0x8000;

// The value of a 16-bit pattern, from the definition; the pattern of infinity counts as 2^(emax+1).
double ValueOf(Format format, std::uint32_t pattern) {
  const FormatTraits traits = TraitsOf(format);
  const int fraction_bits = traits.precision - 1;
  const auto magnitude = static_cast<int>(pattern & 0x7fff);
  const int biased = magnitude >> fraction_bits;
  const int fraction = magnitude & ((1 << fraction_bits) - 1);
  const int integer = biased == 0 ? fraction : fraction + (1 << fraction_bits);
  const double value = std::ldexp(integer, (biased == 0 ? 1 : biased) - 1 + traits.emin - fraction_bits);
  return (pattern & kSign16) != 0 ? -value : value;
}

std::uint32_t InfinityOf(Format format) { return format == Format::kF16 ? 0x7c00 : 0x7f80; }

// Nearest-even from the definition: |value| in units of the format, made an integer by the C library.
double RoundedValue(Format format, double value) {
  const FormatTraits traits = TraitsOf(format);
  if (value == 0) return value;
  const int quantum = std::max(std::ilogb(value), traits.emin) - traits.precision + 1;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -quantum)), quantum);
  return std::fabs(rounded) >= std::ldexp(1.0, traits.emax + 1) ? std::copysign(kInf, value) : rounded;
}

std::uint32_t Encode(Format format, double value) {
  return format == Format::kF16 ? ToFloat16(value).bits : ToBFloat16(value).bits;
}

// Every midpoint of two neighbours with its double neighbours, both signs, and the pattern that each must round to.
void MidpointInputs(Format format, std::vector<double>& inputs, std::vector<std::uint32_t>& wanted) {
  for (std::uint32_t low = 0; low < InfinityOf(format); ++low) {
    const double middle = (ValueOf(format, low) + ValueOf(format, low + 1)) / 2;
    const std::uint32_t even = low % 2 == 0 ? low : low + 1;
    const double values[] = {std::nextafter(middle, 0.0), middle, std::nextafter(middle, kInf)};
    const std::uint32_t patterns[] = {low, even, low + 1};
    for (int i = 0; i < 3; ++i)
      for (std::uint32_t sign : {0u, kSign16}) {
        inputs.push_back(sign != 0 ? -values[i] : values[i]);
        wanted.push_back(patterns[i] | sign);
      }
  }
}

TEST(Rounding, WidensEverySixteenBitPatternExactly) {
  for (Format format : kSmallFormats)
    for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
      const auto bits = static_cast<std::uint16_t>(pattern);
      const double got = format == Format::kF16 ? ToFloat(Float16{bits}) : ToFloat(BFloat16{bits});
      if ((pattern & 0x7fff) > InfinityOf(format)) {
        ASSERT_TRUE(std::isnan(got)) << std::hex << pattern;
      } else {
        const bool infinite = (pattern & 0x7fff) == InfinityOf(format);
        const double want = infinite ? std::copysign(kInf, ValueOf(format, pattern)) : ValueOf(format, pattern);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want)) << std::hex << pattern;
      }
    }
}

TEST(Rounding, EveryTargetWidensEverySixteenBitPatternExactly) {
  std::vector<std::uint16_t> patterns(0x10000);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  std::vector<double> got(patterns.size());
  for (const RowEngine& engine : RowEngines())
    for (Format format : kSmallFormats) {
      engine.widen(format, patterns.data(), patterns.size(), got.data());
      for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
        const std::uint32_t magnitude = pattern & 0x7fff;
        if (magnitude > InfinityOf(format)) ASSERT_TRUE(std::isnan(got[pattern])) << engine.name << std::hex << pattern;
        else if (magnitude == InfinityOf(format)) ASSERT_EQ(got[pattern], std::copysign(kInf, ValueOf(format, pattern))) << engine.name;
        else ASSERT_EQ(std::bit_cast<std::uint64_t>(got[pattern]), std::bit_cast<std::uint64_t>(ValueOf(format, pattern))) << engine.name << std::hex << pattern;
      }
    }
}

TEST(Rounding, MidpointsAndTheirNeighboursGoToNearestEven) {
  for (Format format : kSmallFormats) {
    std::vector<double> inputs;
    std::vector<std::uint32_t> wanted;
    MidpointInputs(format, inputs, wanted);
    for (std::size_t i = 0; i < inputs.size(); ++i) ASSERT_EQ(Encode(format, inputs[i]), wanted[i]) << std::hexfloat << inputs[i];
    std::vector<std::uint16_t> got(inputs.size());
    for (const RowEngine& engine : RowEngines()) {
      engine.narrow(format, inputs.data(), inputs.size(), got.data());
      for (std::size_t i = 0; i < inputs.size(); ++i) ASSERT_EQ(got[i], wanted[i]) << engine.name << std::hexfloat << inputs[i];
    }
  }
}

// Exponents from below the smallest subnormal's half to beyond overflow; every fourth significand is short, so that ties occur.
std::vector<double> RandomDoubles(Format format, std::size_t count, std::uint64_t seed) {
  const FormatTraits traits = TraitsOf(format);
  const int low = traits.emin - traits.precision - 3;
  const int span = traits.emax + 3 - low;
  Lcg lcg(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    const std::uint64_t bits = lcg.Next();
    const auto exponent = static_cast<std::uint64_t>(1023 + low + static_cast<int>((bits >> 53) % static_cast<std::uint64_t>(span)));
    const std::uint64_t fraction = lcg.Next() >> 12;
    const std::uint64_t kept = (bits & 3) == 0 ? fraction & ~((std::uint64_t{1} << (52 - traits.precision)) - 1) : fraction;
    value = std::bit_cast<double>((bits & 4) << 61 | exponent << 52 | kept);
  }
  return values;
}

TEST(Rounding, RandomDoublesRoundAsTheDefinitionSays) {
  constexpr std::size_t kBlock = 1 << 16;
  std::vector<std::uint16_t> got(kBlock);
  for (Format format : kSmallFormats)
    for (std::uint64_t block = 0; block < 256; ++block) {
      const std::vector<double> values = RandomDoubles(format, kBlock, block);
      RowEngines().front().narrow(format, values.data(), kBlock, got.data());
      for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint32_t bits = Encode(format, values[i]);
        const double rounded = (bits & 0x7fff) == InfinityOf(format) ? std::copysign(kInf, values[i]) : ValueOf(format, bits);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(rounded), std::bit_cast<std::uint64_t>(RoundedValue(format, values[i]))) << std::hexfloat << values[i];
        ASSERT_EQ(got[i], bits) << std::hexfloat << values[i];
      }
    }
}

TEST(Rounding, EveryTargetRoundsRandomDoublesAlike) {
  constexpr std::size_t kCount = (1 << 20) + 5;
  for (Format format : kFormats) {
    const std::vector<double> values = RandomDoubles(format, kCount, 99);
    TestArray want(format, values);
    for (const RowEngine& engine : RowEngines()) {
      TestArray got(format, kCount);
      engine.narrow(format, values.data(), kCount, got.data());
      ASSERT_EQ(got.bytes(), want.bytes()) << engine.name << TraitsOf(format).name;
    }
  }
}

TEST(Rounding, DoubleToFloatIsTheHardwaresInDefaultMode) {
  for (std::uint64_t block = 0; block < 64; ++block)
    for (double value : RandomDoubles(Format::kF32, 1 << 16, block)) {
      const auto want = std::fabs(value) >= 0x1.ffffffp127 ? static_cast<float>(std::copysign(kInf, value)) : static_cast<float>(value);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(ToFloat32(value)), std::bit_cast<std::uint32_t>(want)) << std::hexfloat << value;
    }
}

TEST(Rounding, ZerosInfinitiesAndNansKeepTheirClass) {
  EXPECT_EQ(ToFloat16(-0.0).bits, 0x8000);
  EXPECT_EQ(ToBFloat16(-0.0f).bits, 0x8000);
  EXPECT_EQ(ToFloat16(-kInf).bits, 0xfc00);
  EXPECT_EQ(ToBFloat16(kInf).bits, 0x7f80);
  for (std::uint64_t nan : {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xffffffffffffffffu}) {
    const auto value = std::bit_cast<double>(nan);
    EXPECT_EQ(ToFloat16(value).bits, 0x7e00);
    EXPECT_EQ(ToBFloat16(value).bits, 0x7fc0);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(ToFloat32(value)), 0x7fc00000u);
  }
  EXPECT_EQ(ToFloat16(5e-324).bits, 0x0000);
  EXPECT_EQ(ToBFloat16(-5e-324).bits, 0x8000);
}

}  // namespace
}  // namespace normcheck::norm

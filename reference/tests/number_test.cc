// Tests of bits and values: decoding, and the one rounding of a double to a storage format.
#include "reference/number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace normcheck::reference {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Format kNarrow[] = {Format::kF16, Format::kBf16};

TEST(ValueOf, AgreesWithTheMachinesFloats) {
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const auto bits = static_cast<Bits>(random());
    const double machine = std::bit_cast<float>(bits);
    const double value = ValueOf(bits, Format::kF32);
    const bool same = std::isnan(machine) ? std::isnan(value) && IsNan(bits, Format::kF32)
                                          : value == machine && std::signbit(value) == std::signbit(machine);
    EXPECT_TRUE(same) << std::hex << bits;
  }
}

// A bfloat16 is the upper half of a float.
TEST(ValueOf, OfBfloat16IsTheFloatWithSixteenMoreZeros) {
  for (Bits bits = 0; bits < 0x10000; ++bits)
    if (!IsNan(bits, Format::kBf16)) {
      EXPECT_EQ(ValueOf(bits, Format::kBf16), double{std::bit_cast<float>(bits << 16)});
    }
}

TEST(ValueOf, OfHalfHoldsTheTabledValues) {
  const struct { Bits bits; double value; } kTable[] = {
      {0x0000, 0}, {0x0001, 0x1p-24}, {0x03ff, 0x1.ff8p-15}, {0x0400, 0x1p-14}, {0x3c00, 1}, {0x3c01, 0x1.004p+0},
      {0x7bff, 65504}, {0x7c00, kInf}, {0xfc00, -kInf}, {0xc500, -5}};
  for (const auto& [bits, value] : kTable) EXPECT_EQ(ValueOf(bits, Format::kF16), value) << std::hex << bits;
  EXPECT_TRUE(std::signbit(ValueOf(0x8000, Format::kF16)));
}

TEST(Classes, SplitAllSixteenBitEncodings) {
  for (const Format format : kNarrow) {
    int nans = 0, infinities = 0, negatives = 0;
    for (Bits bits = 0; bits < 0x10000; ++bits) {
      EXPECT_EQ(IsNan(bits, format) + IsInfinite(bits, format) + IsFinite(bits, format), 1);
      nans += IsNan(bits, format);
      infinities += IsInfinite(bits, format);
      negatives += IsNegative(bits, format);
    }
    EXPECT_EQ(nans, format == Format::kF16 ? 2 * 1023 : 2 * 127);
    EXPECT_EQ(infinities, 2);
    EXPECT_EQ(negatives, 0x8000);
  }
}

TEST(Constants, AreTheOnesOfTheDesign) {
  EXPECT_EQ(CanonicalNan(Format::kF32), 0x7fc00000u);
  EXPECT_EQ(CanonicalNan(Format::kF16), 0x7e00u);
  EXPECT_EQ(CanonicalNan(Format::kBf16), 0x7fc0u);
  EXPECT_EQ(InfinityBits(Format::kF16, true), 0xfc00u);
  EXPECT_EQ(MaxFinite(Format::kF32, true), 0xff7fffffu);
  EXPECT_EQ(MaxFinite(Format::kF16, false), 0x7bffu);
  EXPECT_EQ(MaxFinite(Format::kBf16, false), 0x7f7fu);
}

TEST(BitsOf, InvertsValueOfOnEverySixteenBitNumber) {
  for (const Format format : kNarrow)
    for (Bits bits = 0; bits < 0x10000; ++bits)
      EXPECT_EQ(BitsOf(ValueOf(bits, format), format), IsNan(bits, format) ? CanonicalNan(format) : bits);
}

// The midpoint of neighbours goes to the even one, its neighbours among the doubles to their own side.
TEST(BitsOf, DecidesEverySixteenBitMidpoint) {
  for (const Format format : kNarrow) {
    const Bits sign = Bits{0x8000};
    for (Bits low = 0; low < InfinityBits(format, false); ++low) {
      const Bits high = low + 1;
      const double above = IsInfinite(high, format) ? std::ldexp(1.0, norm::TraitsOf(format).emax + 1) : ValueOf(high, format);
      const double middle = (ValueOf(low, format) + above) / 2;
      EXPECT_EQ(BitsOf(middle, format), low % 2 == 0 ? low : high) << std::hex << low;
      EXPECT_EQ(BitsOf(std::nextafter(middle, 0), format), low) << std::hex << low;
      EXPECT_EQ(BitsOf(std::nextafter(middle, kInf), format), high) << std::hex << low;
      EXPECT_EQ(BitsOf(-middle, format), sign | (low % 2 == 0 ? low : high)) << std::hex << low;
    }
  }
}

TEST(BitsOf, RoundsToFloatAsTheMachineDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 400'000; ++i) {
    const auto pattern = random();
    const double wide = std::bit_cast<double>(pattern);  // mostly out of range
    const double near = std::bit_cast<double>((pattern & 0x800fffffffffffffu) | (873 + pattern % 280) << 52);
    for (const double value : {wide, near})
      if (!std::isnan(value)) {
        EXPECT_EQ(BitsOf(value, Format::kF32), std::bit_cast<Bits>(static_cast<float>(value))) << value;
      }
  }
}

TEST(BitsOf, FlushesNothingAndOverflowsToInfinity) {
  EXPECT_EQ(BitsOf(0x1p-1074, Format::kBf16), 0u);
  EXPECT_EQ(BitsOf(-0x1p-1074, Format::kBf16), 0x8000u);
  EXPECT_EQ(BitsOf(0x1p-149, Format::kF32), 1u);
  EXPECT_EQ(BitsOf(0x1.8p-25, Format::kF16), 1u);
  EXPECT_EQ(BitsOf(1e300, Format::kF32), 0x7f800000u);
  EXPECT_EQ(BitsOf(-kInf, Format::kF16), 0xfc00u);
  EXPECT_EQ(BitsOf(-std::numeric_limits<double>::quiet_NaN(), Format::kF16), 0x7e00u);
}

// CASES.md T1 and F8: rounded twice, these land elsewhere.
TEST(BitsOf, RoundsOnceWhereTwoRoundingsDiffer) {
  EXPECT_EQ(BitsOf(std::ldexp(2.5 + 0x1p-30, -149), Format::kF32), 3u);
  EXPECT_EQ(BitsOf(std::ldexp(3.5 - 0x1p-30, -149), Format::kF32), 3u);
  EXPECT_EQ(BitsOf(1.00048828218132257461, Format::kF16), 0x3c01u);
  EXPECT_EQ(BitsOf(2.980232238769532e-8, Format::kF16), 1u);
}

}  // namespace
}  // namespace normcheck::reference

// Tests of numbers as text: hex, decimals at rounding boundaries, NaN bits, and what is refused.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include "reference/decimal.h"
#include "reference/number.h"
#include "reference/tests/exact_decimal.h"

namespace normcheck::reference {
namespace {

using boost::multiprecision::cpp_int;

constexpr Format kNarrow[] = {Format::kF16, Format::kBf16};

// The bits, or all ones where the text is refused.
Bits Parsed(std::string_view text, Format format) {
  const auto bits = ParseNumber(text, format);
  return bits.ok() ? bits.value() : ~Bits{0};
}
constexpr Bits kRefused = ~Bits{0};

TEST(HexText, WritesTheNormalisedForm) {
  EXPECT_EQ(HexText(0x41400000, Format::kF32), "0x1.8p+3");
  EXPECT_EQ(HexText(0xc1400000, Format::kF32), "-0x1.8p+3");
  EXPECT_EQ(HexText(0x00000001, Format::kF32), "0x1p-149");
  EXPECT_EQ(HexText(0x00000003, Format::kF32), "0x1.8p-148");
  EXPECT_EQ(HexText(0x0000, Format::kF16), "0x0p+0");
  EXPECT_EQ(HexText(0x8000, Format::kF16), "-0x0p+0");
  EXPECT_EQ(HexText(0x7bff, Format::kF16), "0x1.ffcp+15");
  EXPECT_EQ(HexText(0x3f80, Format::kBf16), "0x1p+0");
  EXPECT_EQ(HexText(0x7f800000, Format::kF32), "inf");
  EXPECT_EQ(HexText(0xff80, Format::kBf16), "-inf");
  EXPECT_EQ(HexText(0x7fc00000, Format::kF32), "nan");
  EXPECT_EQ(HexText(0x7f800001, Format::kF32), "nan:0x7f800001");
  EXPECT_EQ(HexText(0xfe00, Format::kF16), "nan:0xfe00");
  EXPECT_EQ(HexText(0x1p-1074), "0x1p-1074");
  EXPECT_EQ(HexText(0.1), "0x1.999999999999ap-4");
}

TEST(ParseNumber, ReadsBackEverySixteenBitHexAndDecimal) {
  for (const Format format : kNarrow)
    for (Bits bits = 0; bits < 0x10000; ++bits) {
      ASSERT_EQ(Parsed(HexText(bits, format), format), bits) << HexText(bits, format);
      const Bits decimal = IsNan(bits, format) ? bits : Parsed(DecimalText(bits, format), format);
      ASSERT_EQ(decimal, bits) << DecimalText(bits, format);
    }
}

TEST(ParseNumber, ReadsBackFloats) {
  std::mt19937 random(3);
  for (int i = 0; i < 50'000; ++i) {
    const auto bits = static_cast<Bits>(random());
    ASSERT_EQ(Parsed(HexText(bits, Format::kF32), Format::kF32), bits);
    ASSERT_EQ(IsNan(bits, Format::kF32) ? bits : Parsed(DecimalText(bits, Format::kF32), Format::kF32), bits);
  }
}

TEST(DecimalText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(DecimalText(0x2e66, Format::kF16), "0.1");
  EXPECT_EQ(DecimalText(0x7bff, Format::kF16), "65504");
  EXPECT_EQ(DecimalText(0x0001, Format::kF16), "6e-08");
  EXPECT_EQ(DecimalText(0x3eab, Format::kBf16), "0.334");
  EXPECT_EQ(DecimalText(0x8000, Format::kBf16), "-0");
  EXPECT_EQ(DecimalText(0x3dcccccd, Format::kF32), "0.1");
  EXPECT_EQ(DecimalText(0x7fc1, Format::kBf16), "nan");
  EXPECT_EQ(DecimalText(0xfc00, Format::kF16), "-inf");
}

// All midpoints of half from zero to overflow, as exact decimals of up to 1,000 digits, and one unit of the last to each side.
TEST(ParseNumber, DecidesDecimalsAtTheMidpointsOfHalf) {
  for (Bits low = 0; low < 0x7bff; low += low < 0x800 ? 1 : 37) {
    const double middle = (ValueOf(low, Format::kF16) + ValueOf(low + 1, Format::kF16)) / 2;
    ASSERT_EQ(Parsed(ExactDecimal(middle), Format::kF16), low + low % 2);
    ASSERT_EQ(Parsed(ExactDecimal(middle, -1), Format::kF16), low);
    ASSERT_EQ(Parsed(ExactDecimal(middle, +1), Format::kF16), low + 1);
  }
}

TEST(ParseNumber, DecidesDecimalsAtTheMidpointsOfFloat) {
  std::mt19937 random(4);
  for (int i = 0; i < 2'000; ++i) {
    const Bits low = i < 500 ? static_cast<Bits>(i) : static_cast<Bits>(random() % 0x7f7fffff);
    const double middle = (ValueOf(low, Format::kF32) + ValueOf(low + 1, Format::kF32)) / 2;
    ASSERT_EQ(Parsed(ExactDecimal(middle), Format::kF32), low + low % 2);
    ASSERT_EQ(Parsed(ExactDecimal(middle, -1), Format::kF32), low);
    ASSERT_EQ(Parsed(ExactDecimal(middle, +1), Format::kF32), low + 1);
  }
}

// CASES.md T1 and F8, and 1 + 2^-11 + 2^-40, which a float on the way would round to the tie.
TEST(ParseNumber, RoundsOnceWhereTwoRoundingsDiffer) {
  const cpp_int quarters = (cpp_int(5) << 29) + 1;  // (2.5 + 2^-30)*2^30
  EXPECT_EQ(Parsed(ExactDecimal(quarters, 149 + 30), Format::kF32), 3u);
  EXPECT_EQ(Parsed(ExactDecimal((cpp_int(7) << 29) - 1, 149 + 30), Format::kF32), 3u);
  EXPECT_EQ(Parsed("1.00048828218132257461", Format::kF16), 0x3c01u);
  EXPECT_EQ(Parsed("2.980232238769532e-8", Format::kF16), 0x0001u);
  EXPECT_EQ(Parsed(ExactDecimal((cpp_int(1) << 40) + (1 << 29) + 1, 40), Format::kF16), 0x3c01u);
  EXPECT_EQ(Parsed(ExactDecimal((cpp_int(1) << 80) + (cpp_int(1) << 69) + 1, 80), Format::kF16), 0x3c01u);
}

TEST(ParseNumber, AgreesWithTheLibraryOnRandomDecimals) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = std::to_string(random() >> (random() % 60)) + "." + std::to_string(random()) + "e" +
                             std::to_string(static_cast<int>(random() % 90) - 65);
    const float library = std::strtof(text.c_str(), nullptr);
    ASSERT_EQ(Parsed(text, Format::kF32), std::isinf(library) ? kRefused : std::bit_cast<Bits>(library)) << text;
    ASSERT_EQ(ParseEpsilon(text).value(), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(ParseNumber, DrawsTheLineOfOverflowAtTheMidpoint) {
  EXPECT_EQ(Parsed("65519.999999999999999999999", Format::kF16), 0x7bffu);
  EXPECT_EQ(Parsed("65520", Format::kF16), kRefused);
  EXPECT_EQ(Parsed("340282356779733661637539395458142568447", Format::kF32), 0x7f7fffffu);
  EXPECT_EQ(Parsed("-340282356779733661637539395458142568448", Format::kF32), kRefused);
}

TEST(ParseNumber, BoundsTheWorkOfAbsurdExponents) {
  for (const Format format : norm::kFormats) {
    EXPECT_EQ(Parsed("8e99999", format), kRefused);
    EXPECT_EQ(Parsed("8e9999999999999999999999999", format), kRefused);
    EXPECT_EQ(Parsed("8e18446744073709551616", format), kRefused);  // 2^64, which a wrapping exponent takes for 0
    EXPECT_EQ(Parsed("1e-99999", format), 0u);
    EXPECT_EQ(Parsed("-1e-9999999999999999999999999", format), BitsOf(-0.0, format));
    EXPECT_EQ(Parsed("0e99999", format), 0u);
    EXPECT_EQ(Parsed("0x1p+9999999999999999999999999", format), kRefused);
    EXPECT_EQ(Parsed("0x0p+9999999999999999999999999", format), 0u);
  }
}

TEST(ParseNumber, TakesVeryLongDigitStrings) {
  const std::string zeros(1'000'000, '0');
  EXPECT_EQ(Parsed("1." + zeros, Format::kF32), 0x3f800000u);
  EXPECT_EQ(Parsed(zeros + "1" + zeros + "e-1000000", Format::kF32), 0x3f800000u);
  EXPECT_EQ(Parsed("1.00048828125" + zeros, Format::kF16), 0x3c00u);        // the tie
  EXPECT_EQ(Parsed("1.00048828125" + zeros + "1", Format::kF16), 0x3c01u);  // a digit beyond the 1,000th breaks it
}

TEST(ParseNumber, AcceptsHexThatFitsHoweverItIsWritten) {
  EXPECT_EQ(Parsed("0x1.8p3", Format::kF32), 0x41400000u);
  EXPECT_EQ(Parsed("0X18P-1", Format::kF32), 0x41400000u);
  EXPECT_EQ(Parsed("0x0.000002p-126", Format::kF32), 1u);
  EXPECT_EQ(Parsed("-0x000.0p-5", Format::kF16), 0x8000u);
}

TEST(ParseNumber, RefusesHexThatDoesNotFit) {
  EXPECT_EQ(Parsed("0x1.0000001p+3", Format::kF16), kRefused);
  EXPECT_EQ(Parsed("0x1.ffffffp+0", Format::kF32), kRefused);  // 25 bits
  EXPECT_EQ(Parsed("0x1.fffffep+0", Format::kF32), 0x3fffffffu);
  EXPECT_EQ(Parsed("0x1p-150", Format::kF32), kRefused);
  EXPECT_EQ(Parsed("0x1.8p-149", Format::kF32), kRefused);
  EXPECT_EQ(Parsed("0x1p+16", Format::kF16), kRefused);
  EXPECT_EQ(Parsed("0x1.00000000000000000000000000001p+0", Format::kBf16), kRefused);
}

TEST(ParseNumber, ReadsNanBitsOfItsFormat) {
  EXPECT_EQ(Parsed("nan", Format::kF16), 0x7e00u);
  EXPECT_EQ(Parsed("nan:0x7f800001", Format::kF32), 0x7f800001u);
  EXPECT_EQ(Parsed("nan:0xFFC0", Format::kBf16), 0xffc0u);
  for (const char* text : {"nan:0x7f800000", "nan:0x3f800000", "nan:0x", "nan:0x7fc00000 ", "nan:0x17fc00000", "nan:0x-1"})
    EXPECT_EQ(Parsed(text, Format::kF32), kRefused) << text;
  EXPECT_EQ(Parsed("nan:0x7fc00000", Format::kF16), kRefused);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const char* text : {"", " ", "-", "+1", "1 ", " 1", "eight", "1e", "1e+", "1e--3", "1e-+3", "1.2.3", ".", "-.e1", "0x", "0xp+0", "0x1",
                           "0x3f800000", "0x1.p", "NaN", "Inf", "infinity", "-nan", "+inf", "1f", "1,5", "--1", "0x1.8p+3x"})
    EXPECT_EQ(Parsed(text, Format::kF32), kRefused) << text;
  EXPECT_EQ(Parsed(std::string_view("1\0", 2), Format::kF32), kRefused);
}

TEST(ParseNumber, ErrorsAreOneShortPrintableLine) {
  const std::string error = ParseNumber("\xff\n" + std::string(100'000, 'z'), Format::kF32).error();
  EXPECT_LT(error.size(), 250u);
  for (const char c : error) EXPECT_TRUE(c >= ' ' && c <= '~') << error;
  EXPECT_NE(error.find("\\xff\\x0azz"), std::string::npos) << error;
}

TEST(ParseEpsilon, IsTheNearestBinary64) {
  EXPECT_EQ(ParseEpsilon("1e-5").value(), 1e-5);
  EXPECT_EQ(ParseEpsilon("0x1.4f8b58p-17").value(), double{1e-5f});
  EXPECT_EQ(ParseEpsilon("5e-324").value(), 0x1p-1074);
  EXPECT_FALSE(std::signbit(ParseEpsilon("-0").value()));
  EXPECT_FALSE(std::signbit(ParseEpsilon("-0x0p+0").value()));
}

TEST(ParseEpsilon, RefusesNegativeAndNotFinite) {
  for (const char* text : {"-1", "-5e-324", "nan", "nan:0x7fc00000", "inf", "-inf", "1e999", "", "0x1p+1024"})
    EXPECT_FALSE(ParseEpsilon(text).ok()) << text;
  EXPECT_NE(ParseEpsilon("-1").error().find("negative"), std::string::npos);
}

}  // namespace
}  // namespace normcheck::reference

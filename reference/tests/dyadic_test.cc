// Dyadic numbers, exact sums and their one rounding to 113 bits.
#include "reference/dyadic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/exact_sum.h"
#include "reference/quad.h"

namespace normcheck::reference {
namespace {

TEST(Dyadic, AddsAcrossTheWholeRange) {
  const Dyadic sum = Dyadic(0x1p1000) + Dyadic(0x1p-1074);
  EXPECT_EQ(Compare(sum - Dyadic(0x1p1000), Dyadic(0x1p-1074)), 0);
  EXPECT_EQ(sum.FloorLog2(), 1000);
  EXPECT_EQ(Compare(sum, Dyadic(0x1p1000)), 1);
}

TEST(Dyadic, ComparesBySignLengthAndBits) {
  const std::vector<double> ascending = {-0x1p900, -3, -2.5, -0x1p-1074, 0, 0x1p-1074, 1, 0x1.0000000000001p0, 2, 2.5};
  for (std::size_t a = 0; a < ascending.size(); ++a)
    for (std::size_t b = 0; b < ascending.size(); ++b)
      EXPECT_EQ(Compare(Dyadic(ascending[a]), Dyadic(ascending[b])), (a > b) - (a < b)) << ascending[a] << " " << ascending[b];
}

TEST(Dyadic, ZeroHasNoSignAndNoExponent) {
  EXPECT_EQ(Dyadic(-0.0).Sign(), 0);
  EXPECT_EQ(Compare(Dyadic(-0.0), Dyadic(0.0)), 0);
  EXPECT_EQ(Compare(Dyadic(3) - Dyadic(3), Dyadic()), 0);
}

// 2^100 + 2^-20 needs 121 bits, 2^127 + 2^-149 needs 277.
TEST(ExactSum, KeepsWhatLargeTermsWouldSwallow) {
  EXPECT_EQ(Compare(SumOf(std::vector{0x1p100, 0x1p-20, -0x1p100, 0x1.8p-19}), Dyadic(0x1p-18)), 0);
  EXPECT_EQ(Compare(SumOf(std::vector{0x1p127, 0x1p-149, -0x1p127}), Dyadic(0x1p-149)), 0);
  EXPECT_EQ(SumOf(std::vector{1.5, -0.5, -1.0}).Sign(), 0);
}

TEST(ExactSum, EqualsTermwiseDyadicAddition) {
  std::vector<double> values;
  Dyadic sum;
  Dyadic squares;
  for (int k = 0; k < 400; ++k) {
    values.push_back(std::ldexp(k % 3 == 0 ? -(2 * k + 1) : 7 * k + 1, (k * 37) % 270 - 149));
    sum = sum + Dyadic(values.back());
    squares = squares + Dyadic(values.back()) * Dyadic(values.back());
  }
  EXPECT_EQ(Compare(SumOf(values), sum), 0);
  EXPECT_EQ(Compare(SumOfSquares(values), squares), 0);
}

TEST(Quad, RoundsOnceToNearestEven) {
  const Integer one = Integer(1) << 113;
  const auto quad = [](const Integer& integer) { return ToQuad(Dyadic(integer, -113)); };
  const Quad ulp = Scaled(Quad(1), -112);
  EXPECT_EQ(quad(one), Quad(1));
  EXPECT_EQ(quad(one + 1), Quad(1)) << "a tie goes to even";
  EXPECT_EQ(quad(one + 3), Quad(1) + 2 * ulp) << "a tie goes to even";
  EXPECT_EQ(ToQuad(Dyadic((one << 400) + (Integer(1) << 400) + 1, -513)), Quad(1) + ulp) << "sticky bit far below";
  EXPECT_EQ(ToQuad(Dyadic((one << 400) + (Integer(1) << 400) - 1, -513)), Quad(1));
  EXPECT_EQ(ToQuad(Dyadic(-3)), Quad(-3));
  EXPECT_EQ(ToQuad(Dyadic(0x1p-1074)), Scaled(Quad(1), -1074));
}

}  // namespace
}  // namespace normcheck::reference

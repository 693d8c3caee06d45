// The exact stage against values worked out by hand: ties, exact zeros, signs of zero, overflow, differences of one bit in 1900.
#include "norm/exact_row.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include "norm/format_key.h"

namespace normcheck::norm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxFloat = 0x1.fffffep127;

ExactRow RowOf(Op op, const std::vector<double>& x, double epsilon) {
  ExactMoments moments;
  moments.Add(x);
  return ExactRow(op, x.size(), epsilon, moments);
}

TEST(ExactMoments, KeepTheSmallestBitBesideTheLargest) {
  ExactMoments moments;
  moments.Add(std::vector<double>{kMaxFloat, 0x1p-149, -kMaxFloat});
  EXPECT_EQ(moments.Sum().Truncated(), 0x1p-149);
  const WideNumber largest = WideNumber::FromDouble(kMaxFloat);
  EXPECT_EQ((moments.Squares() - largest * largest - largest * largest).Truncated(), 0x1p-298);
}

TEST(ExactMoments, ManyTermsCarry) {
  const std::vector<double> row(100000, -kMaxFloat);
  ExactMoments moments;
  moments.Add(row);
  EXPECT_EQ((moments.Sum() + WideNumber::FromDouble(kMaxFloat) * WideNumber::FromInteger(100000)).Sign(), 0);
}

TEST(FormatKeys, AreConsecutiveAndInOrder) {
  EXPECT_EQ(KeyOf(Format::kF16, 0x1p-24), 1);
  EXPECT_EQ(KeyOf(Format::kF16, -0x1p-24), -1);
  EXPECT_EQ(KeyOf(Format::kF16, -0.0), 0);
  EXPECT_EQ(MidpointAbove(Format::kF16, -1), -0x1p-25);
  EXPECT_EQ(MidpointAbove(Format::kF16, KeyOf(Format::kF16, 65504)), 65520);
  EXPECT_EQ(MidpointAbove(Format::kF32, KeyOf(Format::kF32, kMaxFloat)), 0x1.ffffffp127);
  EXPECT_EQ(MidpointAbove(Format::kF32, KeyOf(Format::kF32, -kInfinity)), -0x1.ffffffp127);
  EXPECT_EQ(ValueOfKey(Format::kF32, KeyOf(Format::kF32, 1e300)), kInfinity);
}

// (2,4,6,8), epsilon 4: mu = 5, var = 5, sqrt(9) = 3: xhat = (-1, -1/3, 1/3, 1).
TEST(ExactRow, TiesGoToEven) {
  const ExactRow row = RowOf(Op::kLayerNorm, {2, 4, 6, 8}, 4);
  EXPECT_EQ(row.Element(8, 1, 0x1p-11, Format::kF16), 1);
  EXPECT_EQ(row.Element(8, 1, 0x1.8p-10, Format::kF16), 0x1.008p0);
  EXPECT_EQ(row.Element(2, 1, -0x1.8p-10, Format::kF16), -0x1.008p0);
  EXPECT_EQ(row.Element(8, 3 * 0x1p-24, 0, Format::kF32), 3 * 0x1p-24);
  EXPECT_EQ(row.Element(6, 9 * 0x1p-150, 0, Format::kF32), 0x1p-148);  // 3*2^-150 lies halfway
  EXPECT_EQ(row.Element(8, 65520, 0, Format::kF16), kInfinity);
  EXPECT_EQ(row.Element(8, 65519.996, 0, Format::kF16), 65504);
  EXPECT_EQ(row.Element(2, kMaxFloat, -0x1p102, Format::kF32), -kMaxFloat);
  EXPECT_EQ(row.Element(2, kMaxFloat, -0x1p103, Format::kF32), -kInfinity);
}

// One-hot, H = 5, epsilon 0: xhat = (2, -1/2, -1/2, -1/2, -1/2).
TEST(ExactRow, ZerosAndTheirSigns) {
  const ExactRow row = RowOf(Op::kLayerNorm, {1, 0, 0, 0, 0}, 0);
  EXPECT_EQ(row.Element(0, 1, 0.5, Format::kF32), 0);
  EXPECT_FALSE(std::signbit(row.Element(0, -1, -0.5, Format::kF32)));
  EXPECT_TRUE(std::signbit(row.Element(0, 0x1p-149, 0, Format::kF32)));  // -2^-150, a tie to zero
  EXPECT_EQ(row.Element(0, 0x1p-149, 0, Format::kF32), 0);
  EXPECT_TRUE(std::signbit(row.Element(0, 0x1p-60, 0, Format::kF16)));
  EXPECT_FALSE(std::signbit(row.Element(1, 0x1p-60, 0, Format::kF16)));
}

// EXACT.md 2.3 A: (2^100, 2^-20, -2^100, 3*2^-20): mu = 2^-20, so element 1 is exactly 0 and element 3 is 2^-19/sqrt(2^199 + ..).
TEST(ExactRow, SpreadRowsLoseNothing) {
  const ExactRow row = RowOf(Op::kLayerNorm, {0x1p100, 0x1p-20, -0x1p100, 3 * 0x1p-20}, 1e-5);
  EXPECT_EQ(row.Element(0x1p-20, 1, 0, Format::kF32), 0);
  EXPECT_EQ(row.Element(3 * 0x1p-20, 1, 0, Format::kF32), 0x1.6a09e6p-119);
  EXPECT_EQ(row.Mean(), 0x1p-20);
}

// One-hot 2^60 with H = 5: 2 - 2^-120*epsilon's share lies under the tie 2*gamma + beta; the smallest epsilon still tells.
TEST(ExactRow, OneBitIn1900DecidesATie) {
  const std::vector<double> x = {0x1p60, 0, 0, 0, 0};
  const double gamma = 0x1p-25;
  const double beta = 1;  // 1 + 2^-24 is the midpoint above 1, which ties to 1; below -1/2: 1 - 2^-26
  EXPECT_EQ(RowOf(Op::kLayerNorm, x, 0).Element(0x1p60, gamma, beta + 0x1p-23, Format::kF32), 0x1.000004p0);
  EXPECT_EQ(RowOf(Op::kLayerNorm, x, 5e-324).Element(0x1p60, gamma, beta + 0x1p-23, Format::kF32), 0x1.000002p0);
}

TEST(ExactRow, HugeEpsilonsAndStatistics) {
  const ExactRow row = RowOf(Op::kRmsNorm, {3, 4}, DBL_MAX);
  EXPECT_EQ(row.InvStdDev(), 0);
  EXPECT_EQ(row.Element(4, kMaxFloat, 0x1p-149, Format::kF32), 0x1p-149);
  EXPECT_EQ(RowOf(Op::kLayerNorm, {2, 4, 6, 8}, 4).InvStdDev(), static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(RowOf(Op::kLayerNorm, {2, 4, 6, 8}, 4).Mean(), 5);
  EXPECT_EQ(RowOf(Op::kLayerNorm, {0x1p-149, 0, 0}, 1).Mean(), 0);
  EXPECT_EQ(RowOf(Op::kRmsNorm, {0x1p-149}, 0).InvStdDev(), kInfinity);
}

TEST(ExactRow, ParametersThatAreNotFinite) {
  const ExactRow row = RowOf(Op::kLayerNorm, {0x1p100, 0x1p-20, -0x1p100, 3 * 0x1p-20}, 0);
  EXPECT_TRUE(std::isnan(row.Element(0x1p-20, kInfinity, 1, Format::kF32)));
  EXPECT_EQ(row.Element(0, kInfinity, 1, Format::kF32), -kInfinity);
  EXPECT_EQ(row.Element(3 * 0x1p-20, kInfinity, 1, Format::kF32), kInfinity);
  EXPECT_EQ(row.Element(0x1p-20, 1, kInfinity, Format::kF32), kInfinity);
  EXPECT_TRUE(std::isnan(row.Element(0, kInfinity, kInfinity, Format::kF32)));
}

}  // namespace
}  // namespace normcheck::norm

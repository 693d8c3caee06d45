// Rows on which rounding is hard: EXACT.md 2.3, ties, zeros, powers of two, both ends of the range; and facts of FACTS.md.
#include "reference/exact_rounding.h"

#include <gtest/gtest.h>

#include "reference/exact_row.h"
#include "reference/judge.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference {
namespace {

constexpr Formats kNarrowOut = {Format::kF32, Format::kF32, Format::kF16};

std::vector<double> Rounded(const Case& c) {
  std::vector<double> values;
  for (Bits bits : CorrectlyRounded(c)) values.push_back(ValueOf(bits, c.formats.y));
  return values;
}

// The plain 128-bit two-pass that is no truth: mean, then squares of differences, then the element, all in 113 bits.
Quad PlainTwoPass(const std::vector<double>& x, double epsilon, double gamma, double beta, std::size_t i) {
  const Quad width = static_cast<double>(x.size());
  Quad sum = 0;
  for (double value : x) sum += value;
  const Quad mean = sum / width;
  Quad squares = 0;
  for (double value : x) squares += (value - mean) * (value - mean);
  return gamma * ((x[i] - mean) / sqrt(Quad(squares / width + epsilon))) + beta;
}

TEST(ExactRow, SpreadThatQuadLosesGivesZeroAndTheRightNeighbour) {  // EXACT.md 2.3 A
  const std::vector<double> x = {0x1p100, 0x1p-20, -0x1p100, 0x1.8p-19};
  const std::vector<double> y = Rounded(RowCase(Op::kLayerNorm, x, 1e-5));
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[3], 0x1.6a09e6p-119);
  EXPECT_NE(PlainTwoPass(x, 1e-5, 1, 0, 1), Quad(0));
  EXPECT_NE(static_cast<float>(PlainTwoPass(x, 1e-5, 1, 0, 3)), 0x1.6a09e6p-119F);
}

TEST(ExactRow, SpreadOfTheWholeRangeWithLargeGamma) {  // EXACT.md 2.3 A at 2^127
  const std::vector<double> x = {0x1p127, 0x1p-100, -0x1p127, 0x1.8p-99};
  const std::vector<double> y = Rounded(RowCase(Op::kLayerNorm, x, 1e-5, {0x1p126, 0x1p126, 0x1p126, 0x1p126}));
  EXPECT_EQ(y[1], 0);
  EXPECT_EQ(y[3], 0x1.6a09e6p-100);
  EXPECT_NE(static_cast<float>(PlainTwoPass(x, 1e-5, 0x1p126, 0, 3)), 0x1.6a09e6p-100F);
}

TEST(ExactRow, OneHotAgainstBetaIsExactlyZero) {  // EXACT.md 2.3 B
  const std::vector<double> x = {1, 0, 0, 0, 0};
  const Case c = RowCase(Op::kLayerNorm, x, 0, std::vector<double>(5, 1), std::vector<double>(5, 0.5));
  EXPECT_EQ(Rounded(c), (std::vector<double>{2.5, 0, 0, 0, 0}));
  EXPECT_EQ(CorrectlyRounded(c)[1], 0U);
  EXPECT_NE(PlainTwoPass(x, 0, 1, 0.5, 1), Quad(0));
}

TEST(ExactRow, OneHotOfWidthFourToTheKPlusOneIsAPowerOfTwo) {
  for (int k = 0; k <= 6; ++k) {
    std::vector<double> x((std::size_t{1} << (2 * k)) + 1, 0);
    x[0] = 3;
    const std::vector<double> y = Rounded(RowCase(Op::kLayerNorm, x, 0));
    EXPECT_EQ(y[0], std::ldexp(1, k)) << k;
    for (std::size_t i = 1; i < y.size(); ++i) ASSERT_EQ(y[i], -std::ldexp(1, -k)) << k;
  }
}

TEST(ExactRow, JustOffATieBelowQuadsReach) {  // EXACT.md 2.3 C: 2^-137 and 2^-1074 beyond the tie 1 + 2^-24
  const std::vector<double> x = {0x1p60, 0, 0, 0, 0};
  for (double epsilon : {1e-5, 5e-324}) {
    const Case c = RowCase(Op::kLayerNorm, x, epsilon, std::vector<double>(5, 0x1p-23), std::vector<double>(5, 1 + 0x1p-23));
    EXPECT_EQ(Rounded(c)[1], 1 + 0x1p-23);
    EXPECT_EQ(static_cast<float>(PlainTwoPass(x, epsilon, 0x1p-23, 1 + 0x1p-23, 1)), 1.0F);
  }
  const Case tie = RowCase(Op::kLayerNorm, x, 0, std::vector<double>(5, 0x1p-23), std::vector<double>(5, 1 + 0x1p-23));
  EXPECT_EQ(Rounded(tie)[1], 1);
}

Bits RoundedProduct(double gamma, double beta, Formats formats, std::size_t i = 1) {
  return CorrectlyRounded(RowCase(Op::kLayerNorm, {-1, 1}, 0, {gamma, gamma}, {beta, beta}, formats))[i];
}

TEST(RoundTo, TiesGoToEven) {
  EXPECT_EQ(RoundedProduct(1 + 0x1p-11, 0, kNarrowOut), 0x3c00U);
  EXPECT_EQ(RoundedProduct(1 + 0x1.8p-10, 0, kNarrowOut), 0x3c02U);
  EXPECT_EQ(RoundedProduct(1 + 0x1p-11, 0, kNarrowOut, 0), 0xbc00U);
  EXPECT_EQ(RoundedProduct(1 + 0x1.8p-10, 0, kNarrowOut, 0), 0xbc02U);
  EXPECT_EQ(RoundedProduct(1 + 0x1.004p-11, 0, kNarrowOut), 0x3c01U);
  EXPECT_EQ(RoundedProduct(1 + 0x1p-8, 0, {Format::kF32, Format::kF32, Format::kBf16}), 0x3f80U);
  EXPECT_EQ(RoundedProduct(1 + 0x1.8p-7, 0, {Format::kF32, Format::kF32, Format::kBf16}), 0x3f82U);
  EXPECT_EQ(RoundedProduct(0x1p-24, 1, {}), 0x3f800000U);
  EXPECT_EQ(RoundedProduct(0x1.8p-23, 1, {}), 0x3f800002U);
}

TEST(RoundTo, FromTheTieAboveTheLargestFiniteOnItIsInfinite) {
  const double max = 0x1.fffffep127;
  EXPECT_EQ(RoundedProduct(65520, 0, kNarrowOut), 0x7c00U);
  EXPECT_EQ(RoundedProduct(65520, 0, kNarrowOut, 0), 0xfc00U);
  EXPECT_EQ(RoundedProduct(65520 - 0x1p-8, 0, kNarrowOut), 0x7bffU);
  EXPECT_EQ(RoundedProduct(max, 0x1p103, {}), 0x7f800000U);
  EXPECT_EQ(RoundedProduct(max, 0x1.fffffep102, {}), 0x7f7fffffU);
  EXPECT_EQ(RoundedProduct(max, max, {}), 0x7f800000U);
  EXPECT_EQ(RoundedProduct(-max, -max, {}), 0xff800000U);
}

TEST(RoundTo, SubnormalsAndZerosKeepTheSign) {
  EXPECT_EQ(RoundedProduct(0x1p-25, 0, kNarrowOut), 0x0000U);
  EXPECT_EQ(RoundedProduct(0x1p-25, 0, kNarrowOut, 0), 0x8000U);
  EXPECT_EQ(RoundedProduct(0x1.000002p-25, 0, kNarrowOut), 0x0001U);
  EXPECT_EQ(RoundedProduct(0x1.8p-24, 0, kNarrowOut), 0x0002U);
  EXPECT_EQ(RoundedProduct(0x1.ff8p-15, 0, kNarrowOut), 0x03ffU) << "largest subnormal";
  EXPECT_EQ(RoundedProduct(0x1.ffcp-15, 0, kNarrowOut), 0x0400U) << "tie to the smallest normal";
  EXPECT_EQ(RoundedProduct(-0.0, 0, {}), 0U) << "an exact zero is +0";
  const std::vector<double> tiny(5, 0x1p-149);
  const std::vector<Bits> y = CorrectlyRounded(RowCase(Op::kLayerNorm, {1, 0, 0, 0, 0}, 0, tiny));
  EXPECT_EQ(y[0], 2U);
  EXPECT_EQ(y[1], 0x80000000U) << "-2^-150 is a tie to -0";
}

TEST(RoundTo, CancellationAgainstBetaCostsNoSteps) {
  std::vector<double> x(17, 0);
  x[3] = 0x1p-149;
  // xhat = -1/4 but for the relative 2^-777 that epsilon takes: y = xhat + 1/4 is positive and far below every format.
  const Case c = RowCase(Op::kLayerNorm, x, 5e-324, std::vector<double>(17, 1), std::vector<double>(17, 0.25));
  const ExactRow row(Op::kLayerNorm, x, 5e-324);
  const ExactElement y = row.Element(0, 1, 0.25);
  EXPECT_EQ(y.Sign(), 1);
  EXPECT_EQ(CorrectlyRounded(c)[0], 0U);
  EXPECT_LT(FloorLog2(y.Value()), -700);
  EXPECT_EQ(y.Compare(Dyadic::PowerOfTwo(FloorLog2(y.Value()))), 1);
  EXPECT_EQ(y.Compare(Dyadic::PowerOfTwo(FloorLog2(y.Value()) + 1)), -1);
}

TEST(UlpExponent, IsDecidedExactlyBesideAPowerOfTwo) {
  const ExactRow exact(Op::kLayerNorm, {-1, 1}, 0);
  const ExactRow below(Op::kLayerNorm, {-1, 1}, 5e-324);
  EXPECT_EQ(UlpExponent(exact.Element(1, 1, 0), Format::kF32), -23);
  EXPECT_EQ(UlpExponent(below.Element(1, 1, 0), Format::kF32), -24) << "1 - 2^-1075";
  EXPECT_EQ(UlpExponent(below.Element(0, 1, 0), Format::kBf16), -8);
  EXPECT_EQ(UlpExponent(below.Element(0, 1, 2), Format::kF32), -23) << "1 + 2^-1075";
  EXPECT_EQ(UlpExponent(below.Element(0, 0, 0), Format::kF32), -149);
  EXPECT_EQ(UlpExponent(exact.Element(1, 0x1p-140, 0), Format::kF32), -149);
  EXPECT_EQ(UlpExponent(exact.Element(1, 0x1p200, 0), Format::kF32), 104);
  EXPECT_EQ(UlpExponent(exact.Element(1, 0x1p20, 0), Format::kF16), 5);
}

// The row's facts as identities of integers, no rounding: sum N_i = 0, sum N_i^2 = H*(H^2 var), Q = H^2 var at eps 0.
TEST(Facts, F15SumOfXhatIsZeroAndMeanOfItsSquareOne) {
  for (double epsilon : {0.0, 1e-5}) {
    const ExactRow row(Op::kLayerNorm, {3, -0x1p-149, 0x1.8p90, 7.25, -11}, epsilon);
    Dyadic sum;
    Dyadic squares;
    for (std::size_t i = 0; i < 5; ++i) {
      sum = sum + row.Numerator(i);
      squares = squares + row.Numerator(i) * row.Numerator(i);
    }
    EXPECT_EQ(sum.Sign(), 0);
    EXPECT_EQ(Compare(squares, Dyadic(5) * row.Variance()), 0);
    EXPECT_EQ(Compare(squares, Dyadic(5) * row.radicand().square), epsilon == 0 ? 0 : -1);
  }
}

TEST(Facts, F20ShiftedRowsHaveTheSameXhat) {
  for (const std::vector<double>& x : {std::vector<double>{1, 2, 3}, std::vector<double>{101, 102, 103}}) {
    const std::vector<double> y = Rounded(RowCase(Op::kLayerNorm, x, 0));
    EXPECT_EQ(y, (std::vector<double>{-1.22474487139158904910F, 0, 1.22474487139158904910F}));
  }
}

TEST(Facts, F21OneOutlierIsRescaledNotClipped) {
  Case c = RowCase(Op::kLayerNorm, {0, 0, 0, 1000}, 0);
  c.expected = {"-0.57735026918962576451", "-0.57735026918962576451", "-0.57735026918962576451", "1.73205080756887729353"};
  EXPECT_TRUE(CheckExpected(c).ok());
  c.epsilon = 1e-5;
  c.expected = {"-0.57735026917422975733", "-0.57735026917422975733", "-0.57735026917422975733", "1.73205080752268927199"};
  EXPECT_TRUE(CheckExpected(c).ok());
  c.epsilon = 0;
  EXPECT_FALSE(CheckExpected(c).ok());
}

// x_i = mean + xhat_i*sqrt(var + eps) holds as H*x_i = S + N_i, N_i being xhat_i*H*sqrt(var + eps).
TEST(Facts, F24StandardisingIsInvertible) {
  const std::vector<double> x = {0x1p100, -3, 0x1p-149, 0.1F, 1e30F};
  const ExactRow row(Op::kLayerNorm, x, 1e-5);
  const Dyadic sum = Dyadic(x[0]) + Dyadic(x[1]) + Dyadic(x[2]) + Dyadic(x[3]) + Dyadic(x[4]);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(Compare(Dyadic(5) * Dyadic(x[i]), sum + row.Numerator(i)), 0);
}

}  // namespace
}  // namespace normcheck::reference

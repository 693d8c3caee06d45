// The a-priori bounds on rows small enough to be evaluated by hand, and where they must promise nothing.
#include "reference/profile_bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace normcheck::reference {
namespace {

using norm::Algorithm;
using norm::Form;
using norm::Format;
using norm::Order;
using norm::Precision;
using norm::Profile;

constexpr double kU = 0x1p-24;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Profile ProfileOf(Algorithm algorithm) {
  Profile profile;
  profile.algorithm = algorithm;
  return profile;
}

// x = (1, 3): mean 2, var 1, xhat = -1, 1 at epsilon 0.
RowMoments OneThree() { return {2, 2, 2, 5, 2, 1, 3, 0, 0}; }

// x = (1, 1, 1, 1).
RowMoments Ones() { return {4, 1, 4, 1, 1, 0, 1, 0, 0}; }

// Within the excess that covers the bound's own evaluation and second order in u: never below.
void ExpectJustAbove(double bound, double first_order) {
  EXPECT_GE(bound, first_order);
  EXPECT_LE(bound, first_order * (1 + 0x1p-17));
}

RowBound Bound(const RowMoments& row, const Profile& profile, Centre centre = Centre::kMean, Format y = Format::kF32) {
  return BoundRow(row, profile, centre, y);
}

TEST(DepthOf, IsTheOneOfTheHeader) {
  Profile profile;
  EXPECT_EQ(DepthOf(profile, 768), 767);
  profile.order = Order::kLanes;
  profile.block = 32;
  EXPECT_EQ(DepthOf(profile, 768), 23 + 5);
  EXPECT_EQ(DepthOf(profile, 769), 24 + 5);
  EXPECT_EQ(DepthOf(profile, 5), 3);
  EXPECT_EQ(DepthOf(profile, 1), 0);
  profile.order = Order::kPairwise;
  profile.block = 8;
  EXPECT_EQ(DepthOf(profile, 1024), 7 + 7);
  EXPECT_EQ(DepthOf(profile, 1025), 7 + 8);
  EXPECT_EQ(DepthOf(profile, 6), 5);
}

// h = 3: the mean of squares is off by g_6 = 6u, the root by 3u + u/2 + 2u, the product by u.
TEST(Promised, RmsNormOfOnesByHand) {
  const RowBound row = Bound(Ones(), {}, Centre::kZero);
  ExpectJustAbove(Promised(row, {1, 1, 1, 0, 1}), 6.5 * kU);
  ExpectJustAbove(Promised(row, {1, 1, 3, 0, 3}), 3 * 7.5 * kU);
}

// dm = g_3*2 = 6u; var off by g_6 = 6u; root by 3u + u/2 + 2u; x - mean and the product 2u: 7.5u + 6u in all.
TEST(Promised, TwoPassByHand) {
  const RowBound row = Bound(OneThree(), ProfileOf(Algorithm::kTwoPass));
  ExpectJustAbove(row.mean_error, 6 * kU);
  ExpectJustAbove(Promised(row, {3, 1, 1, 0, 1}), 13.5 * kU);
  ExpectJustAbove(Promised(row, {3, 1, 2, 1, 3}), 2 * 14.5 * kU + 2 * kU);  // half an ulp of 3 is 2u, not 3u
}

// 5.5u + 6u, roundings u*(1 + 2) of the two terms, u of their sum.
TEST(Promised, ScaleBiasByHand) {
  Profile profile;
  profile.form = Form::kScaleBias;
  ExpectJustAbove(Promised(Bound(OneThree(), profile), {1, -1, 1, 0, -1}), 15.5 * kU);
}

// g_4*5 + 2*2*6u + u*4 + u*1 = 49u of the variance: root by 25u + 2u.
TEST(Promised, OnePassByHand) {
  ExpectJustAbove(Promised(Bound(OneThree(), ProfileOf(Algorithm::kOnePass)), {3, 1, 1, 0, 1}), 35 * kU);
}

// E = 3u*(1.5 + 6.1) = 22.8u for every mean, 2u*(2 + 3.05*(2 + ln 2)) for the last one.
TEST(Promised, WelfordByHand) {
  const SumErrors errors = ErrorsOfSums(OneThree(), ProfileOf(Algorithm::kWelford), Centre::kMean);
  ExpectJustAbove(errors.mean, 2 * kU * (2 + 3.05 * (2 + std::log(2.0))));
  ExpectJustAbove(errors.var_above, (20 * kU + 2 * 22.8 * kU * 2) / 2);
}

TEST(Promised, AddsHalfAnUlpOfANarrowOutput) {
  const ElementFacts element = {3, 1, 1, 0, 1};
  const double f32 = Promised(Bound(OneThree(), {}), element);
  EXPECT_NEAR(Promised(Bound(OneThree(), {}, Centre::kMean, Format::kF16), element), f32 + 0x1p-11, 0x1p-40);
  EXPECT_NEAR(Promised(Bound(OneThree(), {}, Centre::kMean, Format::kBf16), element), f32 + 0x1p-8, 0x1p-40);
}

TEST(Promised, HasTheSubnormalFloorOfTheOutput) {
  const ElementFacts element = {3, 1, 0x1p-20, 0, 0x1p-20};
  EXPECT_NEAR(Promised(Bound(OneThree(), {}, Centre::kMean, Format::kF16), element), 0x1p-25, 0x1p-36);
}

TEST(Promised, RoundsF64ResultsOnceToF32) {
  Profile profile;
  profile.accumulator = profile.mean = Precision::kF64;
  EXPECT_NEAR(Promised(Bound(OneThree(), profile), {3, 1, 1, 0, 1}), kU, 0x1p-48);
  profile.mean = Precision::kF32;  // dm = u*2, var and root 2u, x - mean and the product 2u
  ExpectJustAbove(Promised(Bound(OneThree(), profile), {3, 1, 1, 0, 1}), 6 * kU);
}

TEST(Promised, CountsUnderflow) {
  const RowBound row = Bound(OneThree(), {});
  EXPECT_GE(Promised(row, {3, 1, 0x1p-149, 0, 0x1p-149}), 0x1p-150);
  EXPECT_GE(Promised(row, {3, 1, 0, 0, 0}), 0);
}

TEST(Promised, CountsTheRoundingOfEpsilon) {
  RowMoments row = {4, 0x1p-40, 4, 0x1p-80, 0, 0x1p-80, 0x1p-40, 1e-5, 1e-5};
  const double in_f32 = static_cast<double>(1e-5f);
  Profile profile;
  profile.accumulator = profile.mean = Precision::kF64;
  const double exact = Bound(row, profile).inv_std_dev_below;
  row.kernel_epsilon = in_f32;
  const double rounded = Bound(row, profile).inv_std_dev_below;
  EXPECT_NEAR(rounded - exact, std::abs(in_f32 - 1e-5) / 1e-5 / 2, 1e-12);
  row.kernel_epsilon = 1e-5;
  EXPECT_GT(Bound(row, {}).inv_std_dev_below, Bound({4, 0x1p-40, 4, 0x1p-80, 0, 0x1p-80, 0x1p-40, in_f32, in_f32}, {}).inv_std_dev_below);
}

TEST(Promised, GrowsWithEveryTerm) {
  const RowBound row = Bound(OneThree(), {});
  const ElementFacts element = {3, 1, 2, 1, 3};
  const double promised = Promised(row, element);
  const auto grown = [&](double RowBound::*field) {
    RowBound other = row;
    other.*field *= 2;
    return Promised(other, element);
  };
  EXPECT_GT(grown(&RowBound::mean_error), promised);
  EXPECT_GT(grown(&RowBound::inv_std_dev_above), promised);
  EXPECT_GT(grown(&RowBound::inv_std_dev), promised);
  for (std::size_t width : {std::size_t{3}, std::size_t{64}, std::size_t{4096}}) {
    RowMoments wide = OneThree();
    wide.width = width;
    EXPECT_GT(Promised(Bound(wide, {}), element), promised);
  }
}

TEST(Promises, NothingWhereVarAndEpsilonAreZero) {
  EXPECT_FALSE(Promises(Ones(), {}, Centre::kMean));
  EXPECT_TRUE(Promises(Ones(), {}, Centre::kZero));
}

TEST(Promises, NothingWhereSquaresCanOverflow) {
  const RowMoments row = {2, 0x1p64, 2, 0x1p128, 0, 0x1p128, 0x1p64, 1, 1};
  Profile profile;
  EXPECT_FALSE(Promises(row, profile, Centre::kMean));
  EXPECT_FALSE(Promises(row, profile, Centre::kZero));
  profile.accumulator = Precision::kF64;
  EXPECT_TRUE(Promises(row, profile, Centre::kMean));
}

TEST(Promises, NothingWhereTheSumCanOverflow) {
  RowMoments row = {1 << 10, 0x1p118, 1 << 10, 0x1p-20, 0, 0x1p-20, 1, 1, 1};
  EXPECT_FALSE(Promises(row, ProfileOf(Algorithm::kTwoPass), Centre::kMean));
  row.mean_abs = 0x1p60;
  EXPECT_TRUE(Promises(row, ProfileOf(Algorithm::kTwoPass), Centre::kMean));
}

TEST(Promises, NothingWhereEpsilonOverflowsTheAccumulator) {
  RowMoments row = OneThree();
  row.epsilon = row.kernel_epsilon = 1e200;
  EXPECT_FALSE(Promises(row, {}, Centre::kMean));
}

TEST(Promises, NothingWhereTheRowIsTooWideForItsOrder) {
  RowMoments row = OneThree();
  row.width = std::size_t{1} << 23;
  EXPECT_FALSE(Promises(row, {}, Centre::kMean));
  Profile lanes;
  lanes.order = Order::kLanes;
  lanes.block = 32;
  EXPECT_TRUE(Promises(row, lanes, Centre::kMean));
}

// mean^2 = 2^24 var: the variance of one pass is noise, and 1/sqrt(var + epsilon) anything up to 1/sqrt(epsilon).
TEST(Promised, OnePassPromisesNextToNothingOnOffsetRows) {
  RowMoments row = {64, 4096, 64, 0x1p24 + 1, 4096, 1, 4100, 1e-4, 1e-4};
  EXPECT_NEAR(Promised(Bound(row, ProfileOf(Algorithm::kOnePass)), {4097, 1, 1, 0, 1}), 100, 3);
  row.epsilon = row.kernel_epsilon = 0;
  EXPECT_EQ(Promised(Bound(row, ProfileOf(Algorithm::kOnePass)), {4097, 1, 1, 0, 1}), kInfinity);
  EXPECT_LT(Promised(Bound(row, ProfileOf(Algorithm::kTwoPass)), {4097, 1, 1, 0, 1}), 0.02);
}

TEST(Promised, NothingWhereAProductOverflows) {
  const RowBound row = Bound(OneThree(), {});
  EXPECT_LT(Promised(row, {3, 1, 0x1p127, 0, 0x1p127}), kInfinity);
  EXPECT_EQ(Promised(row, {3, 4, 0x1p126, -0x1p127, 0x1p127}), kInfinity);
  EXPECT_EQ(Promised(row, {3, 1, kInfinity, 0, kInfinity}), kInfinity);
  EXPECT_EQ(Promised(row, {3, 1, 1, std::nan(""), 1}), kInfinity);
}

// x*inv_std_dev of x = 2^60 and epsilon = 2^-140 leaves f32; x - mean does not.
TEST(Promised, ScaleBiasPromisesNothingWhereItsTermsOverflow) {
  const RowMoments row = {1, 0x1p60, 1, 0x1p120, 0x1p60, 0, 0x1p60, 0x1p-140, 0x1p-140};
  Profile profile;
  EXPECT_LT(Promised(Bound(row, profile), {0x1p60, 0, 1, 0, 0}), kInfinity);
  profile.form = Form::kScaleBias;
  EXPECT_EQ(Promised(Bound(row, profile), {0x1p60, 0, 1, 0, 0}), kInfinity);
}

TEST(Promises, NothingWhereInvStdDevLeavesF32) {
  RowMoments row = {2, 0x1p-149, 2, 0x1p-298, 0, 0x1p-298, 0x1p-149, 0, 0};
  Profile profile;
  profile.accumulator = profile.mean = Precision::kF64;
  EXPECT_TRUE(Promises(row, profile, Centre::kMean));
  profile.mean = Precision::kF32;
  EXPECT_FALSE(Promises(row, profile, Centre::kMean));
  EXPECT_FALSE(Promises(row, {}, Centre::kMean));
}

}  // namespace
}  // namespace normcheck::reference

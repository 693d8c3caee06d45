// mean and inv_std_dev under their promises.
#include "reference/statistics.h"

#include <gtest/gtest.h>

#include <bit>

#include "reference/outputs.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference {
namespace {

using norm::ContractKind;

constexpr Contract kRounded{ContractKind::kCorrectlyRounded};
constexpr Contract kTwoUlps{ContractKind::kRowUlp, 2};
constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfF = std::numeric_limits<float>::infinity();

bool MeanKept(const Contract& contract, const std::vector<double>& x, float got) {
  StatisticsJudge judge(contract);
  judge.AddMean(ExactRow(Op::kLayerNorm, x, 1e-5), nullptr, got);
  return judge.verdict().broken == 0;
}

StatisticsVerdict InvVerdict(const Contract& contract, Op op, const std::vector<double>& x, double epsilon, float got) {
  StatisticsJudge judge(contract);
  judge.AddInvStdDev(ExactRow(op, x, epsilon), nullptr, got);
  return judge.verdict();
}

bool InvKept(const Contract& contract, Op op, const std::vector<double>& x, double epsilon, float got) {
  return InvVerdict(contract, op, x, epsilon, got).broken == 0;
}

TEST(Statistics, MeanIsRoundedOnce) {
  EXPECT_TRUE(MeanKept(kRounded, {1, 0, 0}, 1.0F / 3));
  EXPECT_FALSE(MeanKept(kRounded, {1, 0, 0}, std::nextafter(1.0F / 3, 0.0F)));
  EXPECT_TRUE(MeanKept(kRounded, {1 + 0x1p-23, 1}, 1)) << "a tie to even";
  EXPECT_FALSE(MeanKept(kRounded, {1 + 0x1p-23, 1}, 1 + 0x1p-23F));
  EXPECT_TRUE(MeanKept(kRounded, {-1, 1}, -0.0F));
}

TEST(Statistics, MeanWithinUlpsOfTheLargestX) {
  const std::vector<double> x = {1, -1, 0x1p-40, -0x1p-40};
  EXPECT_TRUE(MeanKept(kTwoUlps, x, 0x1p-22F));
  EXPECT_FALSE(MeanKept(kTwoUlps, x, std::nextafter(0x1p-22F, 1.0F)));
  EXPECT_FALSE(MeanKept(kTwoUlps, x, kNanF));
  EXPECT_FALSE(MeanKept(kTwoUlps, x, kInfF));
}

TEST(Statistics, InvStdDevWithinTwiceTheUlps) {
  const std::vector<double> x = {-1, 1};
  EXPECT_TRUE(InvKept(kRounded, Op::kLayerNorm, x, 0, 1));
  EXPECT_FALSE(InvKept(kRounded, Op::kLayerNorm, x, 0, 1 + 0x1p-23F));
  EXPECT_TRUE(InvKept(kTwoUlps, Op::kLayerNorm, x, 0, 1 + 0x1p-21F));
  EXPECT_FALSE(InvKept(kTwoUlps, Op::kLayerNorm, x, 0, 1 + 0x1p-21F + 0x1p-23F));
  EXPECT_FALSE(InvKept(kTwoUlps, Op::kLayerNorm, x, 0, kNanF));
  EXPECT_EQ(InvVerdict(kTwoUlps, Op::kLayerNorm, x, 0, 1 + 0x1p-21F).max_inv_std_dev_ulp, 4);
  EXPECT_TRUE(InvKept(kRounded, Op::kRmsNorm, {3, 4, 5, 0}, 0, 0x1.21a186p-2F)) << "sqrt(4/50) = 0.28284271247";
}

TEST(Statistics, SpecialValues) {
  EXPECT_TRUE(MeanKept(kTwoUlps, {1, kNan}, kNanF));
  EXPECT_TRUE(MeanKept(kTwoUlps, {1, kInf}, kInfF));
  EXPECT_FALSE(MeanKept(kTwoUlps, {1, -kInf}, kInfF));
  EXPECT_TRUE(MeanKept(kTwoUlps, {kInf, -kInf}, kNanF));
  EXPECT_TRUE(InvKept(kTwoUlps, Op::kLayerNorm, {1, kInf}, 0, kNanF));
  EXPECT_FALSE(InvKept(kTwoUlps, Op::kLayerNorm, {1, kInf}, 0, 0));
  EXPECT_TRUE(InvKept(kTwoUlps, Op::kRmsNorm, {1, -kInf}, 0, 0));
  EXPECT_FALSE(InvKept(kTwoUlps, Op::kRmsNorm, {1, kInf}, 0, kNanF));
  EXPECT_TRUE(InvKept(kTwoUlps, Op::kRmsNorm, {1, kNan}, 0, kNanF));
}

TEST(Statistics, ConstantRowAtEpsilonZero) {
  EXPECT_TRUE(InvKept(kRounded, Op::kLayerNorm, {3, 3}, 0, kInfF));
  EXPECT_FALSE(InvKept(kRounded, Op::kLayerNorm, {3, 3}, 0, 1e8F));
  EXPECT_EQ(InvVerdict(kTwoUlps, Op::kLayerNorm, {3, 3}, 0, 1e8F).judged, 0U);
  EXPECT_EQ(InvVerdict(kTwoUlps, Op::kLayerNorm, {3, 3}, 0, std::bit_cast<float>(PoisonBits(Format::kF32))).broken, 1U);
}

// A4: inv_std_dev 2^130 has to be infinite; one that the contract lets reach back below 2^128 may be finite.
TEST(Statistics, InvStdDevBeyondFloatIsInfinite) {
  constexpr float kMaxF = std::numeric_limits<float>::max();
  const std::vector<double> tiny = {-0x1p-130, 0x1p-130}, near = {-0x1.fffffep-129, 0x1.fffffep-129};
  for (const Contract& contract : {kRounded, kTwoUlps}) {
    EXPECT_TRUE(InvKept(contract, Op::kLayerNorm, tiny, 0, kInfF));
    EXPECT_FALSE(InvKept(contract, Op::kLayerNorm, tiny, 0, kMaxF));
  }
  EXPECT_TRUE(InvKept(kTwoUlps, Op::kLayerNorm, near, 0, kMaxF)) << "2^128(1 + 2^-24), four ulps are 2^107";
  EXPECT_FALSE(InvKept(kTwoUlps, Op::kLayerNorm, tiny, 0, 1)) << "far from both";
}

TEST(Statistics, UnwrittenIsNoNan) {
  EXPECT_FALSE(MeanKept(kTwoUlps, {1, kNan}, std::bit_cast<float>(PoisonBits(Format::kF32))));
}

}  // namespace
}  // namespace normcheck::reference

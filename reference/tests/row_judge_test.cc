// One element at a time: promises at their edges, classes, infinities, flushing, special values.
#include "reference/row_judge.h"

#include <gtest/gtest.h>

#include "reference/outputs.h"
#include "reference/tests/made_case.h"

namespace normcheck::reference {
namespace {

using norm::ContractKind;

constexpr Contract kRounded{ContractKind::kCorrectlyRounded};

Contract Ulp(double k) { return {ContractKind::kUlp, k}; }
Contract RowUlp(double k) { return {ContractKind::kRowUlp, k}; }

ElementVerdict JudgeBits(const Case& c, const Contract& contract, std::size_t i, Bits got) {
  const CaseValues kept(c, c.epsilon, Subnormals::kKept);
  const CaseValues flushed(c, c.epsilon, Subnormals::kFlushed);
  const RowJudge first(kept, 0, contract);
  const RowJudge second(flushed, 0, contract);
  return JudgeReadings(first, contract.flush_to_zero ? &second : nullptr, i, got);
}

ElementVerdict JudgeAt(const Case& c, const Contract& contract, std::size_t i, double got) {
  return JudgeBits(c, contract, i, BitsOf(got, c.formats.y));
}

bool Kept(const Case& c, const Contract& contract, std::size_t i, double got) { return !JudgeAt(c, contract, i, got).broken; }

const Case kUnit = RowCase(Op::kLayerNorm, {-1, 1}, 0);                // y = -1, 1 exactly
const Case kBelowUnit = RowCase(Op::kLayerNorm, {-1, 1}, 5e-324);      // |y| = 1 - 2^-1075

TEST(RowJudge, UlpPromiseHoldsExactlyOnItsEdge) {
  EXPECT_TRUE(Kept(kUnit, Ulp(2), 1, 1 + 0x1p-22));
  EXPECT_FALSE(Kept(kUnit, Ulp(std::nextafter(2, 0)), 1, 1 + 0x1p-22));
  EXPECT_TRUE(Kept(kUnit, Ulp(2), 0, -1 - 0x1p-22));
  EXPECT_TRUE(Kept(kUnit, Ulp(0.5), 1, 1 - 0x1p-24));
  EXPECT_EQ(JudgeAt(kUnit, Ulp(2), 1, 1 + 0x1p-22).sizes->ulp, 2);
  EXPECT_EQ(JudgeAt(kUnit, Ulp(2), 1, 1 + 0x1p-22).sizes->bound_ratio, 1);
}

TEST(RowJudge, BelowAPowerOfTwoTheUlpIsHalf) {
  EXPECT_FALSE(Kept(kBelowUnit, Ulp(2), 1, 1 + 0x1p-23)) << "2 ulp of the lower binade and 2^-1075";
  EXPECT_TRUE(Kept(kBelowUnit, Ulp(2), 1, 1 - 0x1p-23)) << "2 ulp less 2^-1075";
  EXPECT_EQ(JudgeAt(kBelowUnit, Ulp(2), 1, 1 - 0x1p-23).sizes->ulp, 2);
  EXPECT_EQ(JudgeAt(kBelowUnit, Ulp(2), 1, 1 - 0x1p-23).sizes->bias_sign, -1);
}

TEST(RowJudge, HalfAnUlpIsNotCorrectRounding) {
  EXPECT_TRUE(Kept(kUnit, Ulp(0.5), 1, 1 - 0x1p-24));
  EXPECT_FALSE(Kept(kUnit, kRounded, 1, 1 - 0x1p-24));
  EXPECT_TRUE(Kept(kUnit, kRounded, 1, 1));
  EXPECT_TRUE(Kept(kBelowUnit, kRounded, 1, 1));
}

TEST(RowJudge, RowUlpsAreTakenAtTheRowsScale) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {1, 1}, {-1, -1});  // y = -2, 0; s = 2
  EXPECT_TRUE(Kept(c, RowUlp(4), 1, 0x1p-20));
  EXPECT_FALSE(Kept(c, RowUlp(std::nextafter(4, 0)), 1, 0x1p-20));
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 1, 0x1p-20).sizes->row_ulp, 4);
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 1, 0x1p-20).sizes->ulp, 0x1p129);
}

TEST(RowJudge, RowScaleJustBelowAPowerOfTwo) {
  EXPECT_TRUE(Kept(kUnit, RowUlp(1), 1, 1 + 0x1p-23));
  EXPECT_FALSE(Kept(kBelowUnit, RowUlp(2), 1, 1 + 0x1p-23)) << "s = 1 - 2^-1075 has the ulp 2^-24";
}

TEST(RowJudge, NanNeverPasses) {
  for (const Contract& contract : {kRounded, Ulp(1e300), RowUlp(1e300)}) {
    const ElementVerdict verdict = JudgeAt(kUnit, contract, 1, kNan);
    EXPECT_TRUE(verdict.broken && verdict.class_fault);
    EXPECT_FALSE(verdict.correctly_rounded || verdict.sizes);
    EXPECT_EQ(verdict.fault, "nan where the reference has none");
  }
}

TEST(RowJudge, InfinityCountsAsTwoToTheEmaxPlusOne) {
  const double max = 0x1.fffffep127;
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {max, max});
  EXPECT_TRUE(Kept(c, Ulp(1), 1, kInf));
  EXPECT_EQ(JudgeAt(c, Ulp(1), 1, kInf).sizes->ulp, 1);
  EXPECT_FALSE(Kept(c, Ulp(std::nextafter(1, 0)), 1, kInf));
  EXPECT_EQ(JudgeAt(c, Ulp(0.75), 1, kInf).fault, "infinity out of reach");
  EXPECT_TRUE(JudgeAt(c, kRounded, 1, kInf).class_fault);
  EXPECT_TRUE(JudgeAt(c, Ulp(4), 1, -kInf).class_fault);
  EXPECT_TRUE(JudgeAt(kUnit, Ulp(1e30), 1, kInf).class_fault);
}

TEST(RowJudge, ValuesBeyondTheRangeCountAsInfinity) {
  const Case c = RowCase(Op::kLayerNorm, {0, 0, 0, 0, 1}, 0, std::vector<double>(5, 0x1p127), std::vector<double>(5, 0x1p127));
  EXPECT_TRUE(Kept(c, kRounded, 4, kInf)) << "y = 3*2^127";
  EXPECT_EQ(JudgeAt(c, Ulp(1), 4, kInf).sizes->ulp, 0);
  EXPECT_EQ(JudgeAt(c, Ulp(0x1p23), 4, 0x1.fffffep127).sizes->ulp, 1);
  EXPECT_EQ(JudgeAt(c, Ulp(1), 4, 0x1.fffffep127).fault, "missing infinity");
  EXPECT_EQ(JudgeAt(c, kRounded, 4, 0x1.fffffep127).fault, "missing infinity");
  EXPECT_EQ(JudgeAt(c, kRounded, 4, -kInf).fault, "wrong sign");
}

// A4. Of 26 elements one stands out: xhat = 5 there and y = 5*gamma + beta.
Case BeyondBy(double gamma, double beta) {
  std::vector<double> x(26, 0.0);
  x[0] = 1;
  return RowCase(Op::kLayerNorm, x, 0, std::vector<double>(26, gamma), std::vector<double>(26, beta));
}

constexpr double kMax = 0x1.fffffep127;

TEST(RowJudge, AnInfinityMissesWhereAllThatTheContractAllowsLiesBeyond) {
  EXPECT_TRUE(Kept(BeyondBy(0x1.99999ap125, 0), RowUlp(4), 0, kMax)) << "y = 2^128(1 + 2^-24)";
  const Case much = BeyondBy(0x1.99999ap126, 0);  // y = 2 * 2^128
  for (const Contract& contract : {kRounded, Ulp(0.501), Ulp(1), Ulp(4), RowUlp(0.501), RowUlp(4), RowUlp(1000)}) {
    EXPECT_EQ(JudgeAt(much, contract, 0, kMax).fault, "missing infinity");
    EXPECT_TRUE(JudgeAt(much, contract, 0, kMax).class_fault);
    EXPECT_TRUE(Kept(much, contract, 0, kInf));
  }
  EXPECT_TRUE(Kept(much, RowUlp(0x1p23), 0, kMax)) << "2^23 ulps of y reach back into the format";
}

// A row ulp is one of the row's scale, also where that lies beyond the format: xhat = 8, 0.5, 0.5, ..., scale 2^130 and more.
TEST(RowJudge, TheScaleOfWhatIsAllowedHasNoUpperEnd) {
  std::vector<double> x(256, 1.0);
  x[0] = 16;
  const std::vector<double> gamma(256, 0x1p127), beta(256, 0x1.80002p127);
  const Case c = RowCase(Op::kRmsNorm, x, 513.0 / 256, gamma, beta);
  EXPECT_TRUE(Kept(c, RowUlp(4), 1, kMax)) << "y = 2^128(1 + 2^-20), 4 row ulps are 2^109";
  EXPECT_EQ(JudgeAt(c, RowUlp(1), 1, kMax).fault, "missing infinity");
  EXPECT_EQ(JudgeAt(c, Ulp(4), 1, kMax).fault, "missing infinity");
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 0, kMax).fault, "missing infinity");
}

// y = 2^17 in f16, where the row's largest term is 2^30: 4 row ulps are 2^22, which reach back to zero and below.
TEST(RowJudge, AWideRowScaleReachesBackFromBeyondTheFormat) {
  Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {0x1p17, 0x1p17}, {0, 0x1p30}, {Format::kF32, Format::kF32, Format::kF16});
  const Case alone = c;
  c.beta = BitsOfAll({0x1p30, 0x1p30}, Format::kF32);
  c.gamma = BitsOfAll({0x1p30 - 0x1p17, 0x1p17}, Format::kF32);
  EXPECT_TRUE(Kept(c, RowUlp(4), 0, 60000) && Kept(c, RowUlp(4), 0, 0) && Kept(c, RowUlp(4), 0, kInf));
  EXPECT_EQ(JudgeAt(c, Ulp(4), 0, 60000).fault, "missing infinity");
  EXPECT_FALSE(Kept(alone, RowUlp(4), 0, -0x1p14)) << "a scale of 2^17 does not reach";
}

TEST(RowJudge, ASaturatingContractKeepsTheLargestFiniteNumberBeyondTheFormat) {
  const Case much = BeyondBy(-0x1.99999ap126, 0);
  for (Contract contract : {kRounded, Ulp(0.501), RowUlp(4)}) {
    contract.saturates = true;
    EXPECT_TRUE(Kept(much, contract, 0, -kMax));
    EXPECT_EQ(JudgeAt(much, contract, 0, -kMax).sizes->ulp, 0);
    EXPECT_TRUE(JudgeAt(much, contract, 0, -kMax).correctly_rounded);
    EXPECT_EQ(JudgeAt(much, contract, 0, -kInf).fault, "infinity where the contract saturates");
    EXPECT_FALSE(Kept(much, contract, 0, kMax));
    EXPECT_FALSE(Kept(much, contract, 0, -0x1.fffffcp127));
  }
}

TEST(RowJudge, ASaturatingContractTakesBothForAnInfiniteParameter) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {1, 1}, {kInf, -kInf});
  Contract contract = RowUlp(4);
  EXPECT_FALSE(Kept(c, contract, 0, kMax));
  contract.saturates = true;
  EXPECT_TRUE(Kept(c, contract, 0, kMax) && Kept(c, contract, 0, kInf) && Kept(c, contract, 1, -kMax));
  EXPECT_FALSE(Kept(c, contract, 0, -kMax) || Kept(c, contract, 0, 1));
}

// A4: a profile promises nothing where squares overflow its accumulator, so that nobody is accused there.
TEST(RowJudge, RowsWhoseSquaresOverflowMissNoInfinity) {
  const Case c = RowCase(Op::kRmsNorm, {0x1p70, 0}, 0, {kMax, 1});
  const Contract profile{.kind = ContractKind::kProfile};
  for (double got : {0.0, kMax, kInf}) EXPECT_EQ(JudgeAt(c, profile, 0, got).standing, ElementVerdict::Standing::kNoPromise);
}

TEST(RowJudge, ExactZeroTakesEitherZero) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 0, 1}, 1e-5);
  for (double zero : {0.0, -0.0}) {
    EXPECT_TRUE(JudgeAt(c, kRounded, 1, zero).correctly_rounded);
    EXPECT_EQ(JudgeAt(c, kRounded, 1, zero).sizes->ulp, 0);
  }
  EXPECT_EQ(JudgeAt(c, Ulp(4), 1, 0x1p-149).sizes->ulp, 1);
  EXPECT_EQ(JudgeAt(c, Ulp(4), 1, 0x1p-149).sizes->bias_sign, 0);
}

TEST(RowJudge, AValueRoundedToZeroKeepsItsSign) {
  const Case c = RowCase(Op::kLayerNorm, {1, 0, 0, 0, 0}, 0, std::vector<double>(5, 0x1p-149));  // y_1 = -2^-150
  EXPECT_TRUE(Kept(c, kRounded, 1, -0.0));
  EXPECT_EQ(JudgeAt(c, kRounded, 1, 0.0).fault, "wrong sign");
  EXPECT_TRUE(JudgeAt(c, kRounded, 1, 0.0).class_fault);
  EXPECT_TRUE(Kept(c, Ulp(1), 1, 0.0));
}

TEST(RowJudge, UnwrittenIsAFaultWhateverTheValue) {
  for (const Case& c : {kUnit, RowCase(Op::kLayerNorm, {1, 1}, 0), RowCase(Op::kLayerNorm, {kNan, 1}, 0)}) {
    const ElementVerdict verdict = JudgeBits(c, Ulp(4), 1, PoisonBits(Format::kF32));
    EXPECT_TRUE(verdict.broken);
    EXPECT_EQ(verdict.fault, "not written");
  }
}

TEST(RowJudge, ConstantRowAtEpsilonZeroIsNeverScored) {
  const Case c = RowCase(Op::kLayerNorm, {3, 3, 3}, 0);
  for (double got : {kNan, 0.0, 1.0, kInf}) {
    const ElementVerdict verdict = JudgeAt(c, kRounded, 0, got);
    EXPECT_EQ(verdict.standing, ElementVerdict::Standing::kUndefined);
    EXPECT_FALSE(verdict.broken);
  }
}

TEST(RowJudge, ConstantRowWithEpsilonIsExactlyBeta) {
  const Case c = RowCase(Op::kLayerNorm, {0.1F, 0.1F, 0.1F}, 1e-5, {5, 5, 5}, {0.3F, -2, 0});
  EXPECT_TRUE(Kept(c, kRounded, 0, 0.3F));
  EXPECT_TRUE(Kept(c, kRounded, 1, -2));
  EXPECT_FALSE(Kept(c, kRounded, 2, 0x1p-149));
}

TEST(RowJudge, NonFiniteRows) {
  for (double bad : {kNan, kInf, -kInf}) {
    const Case c = RowCase(Op::kLayerNorm, {1, bad, 2}, 1e-5);
    EXPECT_TRUE(Kept(c, kRounded, 0, kNan));
    EXPECT_EQ(JudgeAt(c, Ulp(1e300), 0, 0).fault, "missing nan");
  }
  EXPECT_TRUE(Kept(RowCase(Op::kRmsNorm, {1, kNan}, 1e-5), kRounded, 0, kNan));
  EXPECT_FALSE(Kept(RowCase(Op::kRmsNorm, {kInf, kNan}, 1e-5), kRounded, 0, 0));
}

TEST(RowJudge, InfinityInRmsNormLeavesBetaElsewhere) {
  const Case c = RowCase(Op::kRmsNorm, {1, -kInf, 2, 5, 0}, 1e-5, {3, 3, -kInf, kNan, 3}, {0.5, 0.5, 0.5, 0.5, -kInf});
  EXPECT_TRUE(Kept(c, kRounded, 0, 0.5));
  EXPECT_FALSE(Kept(c, kRounded, 0, std::nextafter(0.5F, 1.0F)));
  EXPECT_TRUE(Kept(c, RowUlp(1), 0, std::nextafter(0.5F, 1.0F)));
  EXPECT_TRUE(Kept(c, kRounded, 1, kNan));
  EXPECT_TRUE(Kept(c, kRounded, 2, kNan)) << "inf*0";
  EXPECT_TRUE(Kept(c, kRounded, 3, kNan));
  EXPECT_TRUE(Kept(c, kRounded, 4, -kInf));
  EXPECT_EQ(JudgeAt(c, kRounded, 1, 0.5).fault, "missing nan");
}

TEST(RowJudge, InfiniteGammaTakesTheExactSignOfXhat) {
  const Case c = RowCase(Op::kLayerNorm, {1, 0, 0.5, 0.5, 0}, 1e-5, {kInf, kInf, kInf, -kInf, kInf}, {0, 0, 0, 0, kInf});  // mean 0.4
  EXPECT_TRUE(Kept(c, kRounded, 0, kInf));
  EXPECT_TRUE(Kept(c, kRounded, 1, -kInf));
  EXPECT_TRUE(Kept(c, kRounded, 3, -kInf));
  EXPECT_TRUE(Kept(c, kRounded, 4, kNan)) << "-inf + inf";
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 0, -kInf).fault, "wrong sign");
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 0, 7).fault, "missing infinity");
  EXPECT_EQ(JudgeAt(c, RowUlp(4), 0, kNan).fault, "nan where the reference has none");
}

TEST(RowJudge, InfiniteGammaNearZeroXhatLetsAnyNonFiniteClassPass) {
  const Case zero = RowCase(Op::kLayerNorm, {-1, 0, 1}, 1e-5, {kInf, kInf, kInf});
  for (double got : {kInf, -kInf, kNan}) EXPECT_TRUE(Kept(zero, RowUlp(1), 1, got));
  EXPECT_FALSE(Kept(zero, kRounded, 1, kInf)) << "inf*0 = NaN where the class is exact";
  EXPECT_FALSE(Kept(zero, RowUlp(1), 1, 0));
  const Case near = RowCase(Op::kLayerNorm, {-1, 0x1p-24, 1}, 1e-5, {kInf, kInf, kInf});  // xhat about 0.41 row ulps
  EXPECT_TRUE(Kept(near, RowUlp(1), 1, -kInf));
  EXPECT_FALSE(Kept(near, RowUlp(0.25), 1, -kInf));
  EXPECT_FALSE(Kept(near, Ulp(4), 1, -kInf)) << "4 element ulps of xhat do not reach zero";
}

TEST(RowJudge, InfiniteBetaBesideAProductThatOverflowsMayBeNanUnderAProfile) {
  Contract two_pass;
  two_pass.kind = ContractKind::kProfile;
  const Case c = RowCase(Op::kLayerNorm, {-1, -1, 0}, 0, {1, 1, -0x1.76p+127}, {0, 0, kInf});  // xhat = sqrt(2)
  EXPECT_TRUE(Kept(c, two_pass, 2, kNan));
  EXPECT_TRUE(Kept(c, two_pass, 2, kInf));
  EXPECT_FALSE(Kept(c, two_pass, 2, -kInf));
  EXPECT_FALSE(Kept(c, RowUlp(4), 2, kNan));
  const Case same_side = RowCase(Op::kLayerNorm, {-1, -1, 0}, 0, {1, 1, 0x1.76p+127}, {0, 0, kInf});
  EXPECT_FALSE(Kept(same_side, two_pass, 2, kNan));
  const Case fits = RowCase(Op::kLayerNorm, {-1, -1, 0}, 0, {1, 1, -0x1p+120}, {0, 0, kInf});
  EXPECT_FALSE(Kept(fits, two_pass, 2, kNan));
}

TEST(RowJudge, FlushToZeroAllowsFlushedInputsAndResultsOnly) {
  Contract ftz = RowUlp(1);
  ftz.flush_to_zero = true;
  const Case result = RowCase(Op::kLayerNorm, {-1, 1}, 0, {0x1p-130, 0x1.8p-126});
  EXPECT_FALSE(Kept(result, RowUlp(1), 0, 0));
  EXPECT_TRUE(Kept(result, ftz, 0, 0));
  EXPECT_TRUE(Kept(result, ftz, 0, -0x1p-130));
  EXPECT_FALSE(Kept(result, ftz, 1, 0)) << "a normal number is not flushed";
  EXPECT_FALSE(Kept(result, ftz, 0, 0x1p-126));
  const Case input = RowCase(Op::kRmsNorm, {0x1p-130, 0x1p-120}, 0);
  EXPECT_FALSE(Kept(input, RowUlp(1), 0, 0));
  EXPECT_TRUE(Kept(input, ftz, 0, 0));
}

TEST(RowJudge, FiniteOnlyPromisesNothingOnNonFiniteInputs) {
  Contract finite = RowUlp(4);
  finite.finite_only = true;
  EXPECT_EQ(JudgeAt(RowCase(Op::kLayerNorm, {1, kNan}, 0), finite, 0, 3).standing, ElementVerdict::Standing::kNoPromise);
  const Case gamma = RowCase(Op::kLayerNorm, {-1, 1}, 0, {kInf, 1});
  EXPECT_EQ(JudgeAt(gamma, finite, 0, 3).standing, ElementVerdict::Standing::kNoPromise);
  EXPECT_TRUE(JudgeAt(gamma, finite, 1, 3).broken);
}

}  // namespace
}  // namespace normcheck::reference

// NaN, infinity, zeros, constant and undefined rows, overflow and underflow, class by class, on every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

constexpr std::uint32_t kNan32 = 0x7fc00000;
constexpr double kMaxFloat = 0x1.fffffep127;

// One row in f32 and what it must give: bits are compared, NaN is the canonical one.
struct Row {
  std::string_view fact;
  TestCall call;
  std::vector<double> y;
  double mean;
  double inv_std_dev;
};

std::uint32_t Bits(double value) { return std::isnan(value) ? kNan32 : std::bit_cast<std::uint32_t>(static_cast<float>(value)); }

// The fast tier: the same where it is not finite, else within 5 ulp of f32 at the largest finite |y| of the row or 1e-45.
void ExpectFastRow(std::string_view target, const Row& row) {
  const TestOutputs outputs = RunOn(target, row.call, 0, &NormalizeFastOn);
  ASSERT_TRUE(outputs.result.ok());
  double largest = 0;
  for (double y : row.y) largest = std::isfinite(y) ? std::max(largest, std::fabs(y)) : largest;
  for (std::size_t i = 0; i < row.y.size(); ++i) {
    if (!std::isfinite(row.y[i])) EXPECT_EQ(outputs.y.Bits(i), Bits(row.y[i])) << i << ": " << outputs.y.Get(i) << " for " << row.y[i];
    else EXPECT_TRUE(std::fabs(outputs.y.Get(i) - row.y[i]) <= 5 * std::max(largest * 0x1p-24, 0x1p-149)) << i << ": " << outputs.y.Get(i) << " for " << row.y[i];
  }
}

void ExpectRow(const Row& row) {
  for (std::string_view target : Targets()) {
    SCOPED_TRACE(std::string(row.fact) + " on " + std::string(target));
    const TestOutputs outputs = RunOn(target, row.call);
    ASSERT_TRUE(outputs.result.ok()) << outputs.result.argument;
    ExpectFastRow(target, row);
    for (std::size_t i = 0; i < row.y.size(); ++i) EXPECT_EQ(outputs.y.Bits(i), Bits(row.y[i])) << i << ": " << outputs.y.Get(i) << " for " << row.y[i];
    EXPECT_EQ(std::bit_cast<std::uint32_t>(outputs.inv_std_dev[0]), Bits(row.inv_std_dev)) << outputs.inv_std_dev[0];
    if (row.call.op == Op::kRmsNorm) continue;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(outputs.mean[0]), Bits(row.mean)) << outputs.mean[0];
  }
}

// (0,0,0,4) and epsilon 1: mu = 1, var = 3, 1/sqrt(var + epsilon) = 1/2: xhat = (-1/2,-1/2,-1/2,3/2). (1,1,1,1) in RMSNorm
// with epsilon 3: 1/2 each.
const std::vector<double> kOutlier = {0, 0, 0, 4};
const std::vector<double> kOnes = {1, 1, 1, 1};

TEST(SpecialValues, LayerNormRowWithNanOrInfinityIsAllNan) {
  const std::vector<double> beta = {1, 2, 3, kInf};
  ExpectRow({"NaN", {.epsilon = 1, .x = {1, kNaN, 3, 4}}, {kNaN, kNaN, kNaN, kNaN}, kNaN, kNaN});
  ExpectRow({"+inf", {.epsilon = 1, .x = {1, kInf, 3, 4}}, {kNaN, kNaN, kNaN, kNaN}, kInf, kNaN});
  ExpectRow({"-inf", {.epsilon = 1, .x = {-kInf, 2, 3, -kInf}, .beta = beta}, {kNaN, kNaN, kNaN, kNaN}, -kInf, kNaN});
  ExpectRow({"both", {.epsilon = 1, .x = {-kInf, 2, 3, kInf}}, {kNaN, kNaN, kNaN, kNaN}, kNaN, kNaN});
  ExpectRow({"NaN and inf", {.epsilon = 1, .x = {kNaN, kInf, 3, 4}}, {kNaN, kNaN, kNaN, kNaN}, kNaN, kNaN});
  ExpectRow({"all inf", {.epsilon = 1, .x = {kInf, kInf}}, {kNaN, kNaN}, kInf, kNaN});
}

TEST(SpecialValues, RmsNormRowWithNanIsAllNanAndWithInfinityNanThere) {
  const std::vector<double> gamma = {2, 2, kInf, 2};
  ExpectRow({"NaN", {.op = Op::kRmsNorm, .epsilon = 1, .x = {1, kNaN, kInf, 4}}, {kNaN, kNaN, kNaN, kNaN}, 0, kNaN});
  ExpectRow({"inf", {.op = Op::kRmsNorm, .epsilon = 1, .x = {1, kInf, -3, -kInf}}, {0, kNaN, 0, kNaN}, 0, 0});
  ExpectRow({"inf, beta", {.op = Op::kRmsNorm, .epsilon = 0, .x = {-1, kInf, 3, 4}, .beta = {5, 6, -kInf, -0.0}}, {5, kNaN, -kInf, 0}, 0, 0});
  ExpectRow({"inf, gamma inf", {.op = Op::kRmsNorm, .epsilon = 1, .x = {1, kInf, 3, 4}, .gamma = gamma}, {0, kNaN, kNaN, 0}, 0, 0});
}

TEST(SpecialValues, GammaOrBetaNotFiniteFollowsTheExactXhat) {
  ExpectRow({"LayerNorm", {.epsilon = 1, .x = kOutlier, .gamma = {kInf, -kInf, kNaN, kInf}}, {-kInf, kInf, kNaN, kInf}, 1, 0.5});
  ExpectRow({"beta", {.epsilon = 1, .x = kOutlier, .beta = {kInf, -kInf, kNaN, 1}}, {kInf, -kInf, kNaN, 2.5}, 1, 0.5});
  ExpectRow({"inf - inf", {.epsilon = 1, .x = kOutlier, .gamma = {kInf, kInf, 1, 1}, .beta = {kInf, -kInf, 0, 0}}, {kNaN, -kInf, -0.5, 1.5}, 1, 0.5});
  ExpectRow({"inf*0", {.epsilon = 0.5, .x = {0, 1, 2, 1}, .gamma = {1, kInf, 1, -kInf}}, {-1, kNaN, 1, kNaN}, 1, 1});
  ExpectRow({"RMSNorm", {.op = Op::kRmsNorm, .epsilon = 3, .x = {1, -1, 1, -1}, .gamma = {kInf, kInf, 1, kNaN}}, {kInf, -kInf, 0.5, kNaN}, 0, 0.5});
  ExpectRow({"constant", {.epsilon = 4, .x = kOnes, .gamma = {kInf, 1, kNaN, 1}, .beta = {1, kInf, 1, 7}}, {kNaN, kInf, kNaN, 7}, 1, 0.5});
}

// 33 equal values: xhat is -1, the binary64 stage's only nearly, and beta - gamma cancels. A NaN beside it, of whatever payload, must not hide that.
TEST(SpecialValues, ANanOfAnyPayloadInAParameterLeavesTheOtherElementsAlone) {
  const std::vector<float> x(33, -0x1.9f979cp22f);
  for (std::string_view target : Targets())
    for (const std::uint32_t payload : {0x7f800001u, 0x7fc00000u, 0x7fffffffu, 0xffffffffu}) {
      std::vector<float> gamma(33, 0x1.9f979ep24f), beta(33, 0x1.9f979ep24f), y(33, 7);
      gamma[20] = beta[32] = std::bit_cast<float>(payload);
      const KernelCall call = {Op::kRmsNorm, {}, 1, 33, 33, 33, 0, x.data(), gamma.data(), beta.data(), y.data()};
      ASSERT_TRUE(NormalizeOn(target, call).ok());
      for (std::size_t i = 0; i < 33; ++i) EXPECT_TRUE(i == 20 || i == 32 ? std::isnan(y[i]) : y[i] == 0) << target << " " << payload << " " << i << " " << y[i];
    }
}

// The mean of (2^100, -2^100, t, -t, 3*2^-149, 0) is 2^-150, which no sum in binary64 sees: 0 lies below it, 2^-149 above.
TEST(SpecialValues, InfiniteGammaSeesTheSignOfDeviationsThatRoundAway) {
  const std::vector<double> x = {0x1p100, -0x1p100, 0x1p-149, -0x1p-149, 0x3p-149, 0};
  for (std::string_view target : Targets()) {
    const TestOutputs outputs = RunOn(target, {.epsilon = 1, .x = x, .gamma = std::vector<double>(6, kInf)});
    const double want[] = {kInf, -kInf, kInf, -kInf, kInf, -kInf};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(outputs.y.Get(i), want[i]) << target << i;
    // (2^100, -2^100, 2^-149, 3*2^-149, 5*2^-149, 9*2^-149, ...): mean 3*2^-149 exactly, an xhat of exactly zero.
    const TestOutputs zero = RunOn(target, {.epsilon = 1, .x = {0x1p100, -0x1p100, 0x1p-149, 0x3p-149, 0x5p-149, 0x9p-149}, .gamma = std::vector<double>(6, kInf)});
    const double tie[] = {kInf, -kInf, -kInf, kNaN, kInf, kInf};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(zero.y.Bits(i), Bits(tie[i])) << target << i;
  }
}

TEST(SpecialValues, ConstantRowWithEpsilonYieldsExactlyBeta) {
  const double values[] = {0.0, -0.0, 3.3f, 0.1f, 1e-45f, -kMaxFloat, kMaxFloat, 0x1p-126};
  for (double value : values)
    for (std::size_t width : {1u, 2u, 31u, 64u, 768u, 1023u, 1024u, 1025u, 4097u})
      for (double epsilon : {1e-5, 5e-324, 1e300})
        for (const auto& [target, run] : TargetsAndTiers()) {
          const std::vector<double> beta = RandomValues(width, 5);
          const TestOutputs outputs = RunOn(target, {.epsilon = epsilon, .x = std::vector<double>(width, value), .gamma = RandomValues(width, 6, 1e30), .beta = beta}, 0, run);
          for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(outputs.y.Get(i), static_cast<double>(static_cast<float>(beta[i]))) << value << " " << width << target;
          ASSERT_EQ(outputs.mean[0], static_cast<float>(value));
          ASSERT_FALSE(std::signbit(outputs.mean[0]) && value == 0) << "an exact zero is +0";
        }
}

TEST(SpecialValues, SignedZerosMakeAConstantRow) {
  ExpectRow({"LayerNorm", {.epsilon = 0.25, .x = {0.0, -0.0, 0.0}}, {0, 0, 0}, 0, 2});
  ExpectRow({"RMSNorm", {.op = Op::kRmsNorm, .epsilon = 0.25, .x = {0.0, -0.0, 0.0}, .gamma = {-1, 1, 1}}, {0, 0, 0}, 0, 2});
  ExpectRow({"beta -0", {.epsilon = 0.25, .x = {1, 1}, .beta = {-0.0, 3}}, {0, 3}, 1, 2});
}

// F17: epsilon 0 with a constant row is 0/0; the documented answer is NaN, with inv_std_dev +inf.
TEST(SpecialValues, F17UndefinedRowIsNan) {
  for (double epsilon : {0.0, -0.0}) {
    ExpectRow({"constant", {.epsilon = epsilon, .x = {0.1f, 0.1f, 0.1f}, .beta = {1, kInf, 3}}, {kNaN, kNaN, kNaN}, 0.1f, kInf});
    ExpectRow({"width 1", {.epsilon = epsilon, .x = {5}}, {kNaN}, 5, kInf});
    ExpectRow({"RMSNorm of zeros", {.op = Op::kRmsNorm, .epsilon = epsilon, .x = {0.0, -0.0}}, {kNaN, kNaN}, 0, kInf});
  }
  ExpectRow({"near-constant", {.epsilon = 0, .x = {1, 1 + 0x1p-23}}, {-1, 1}, 1, 0x1p24});
}

TEST(SpecialValues, WidthOne) {
  ExpectRow({"LayerNorm", {.epsilon = 4, .x = {-7}, .gamma = {3}, .beta = {11}}, {11}, -7, 0.5});
  ExpectRow({"RMSNorm", {.op = Op::kRmsNorm, .epsilon = 0, .x = {-7}, .gamma = {3}, .beta = {11}}, {8}, 0, 1.0 / 7});
}

TEST(SpecialValues, TooLargeIsInfinityAndTooSmallKeepsItsSign) {
  ExpectRow({"overflow", {.epsilon = 0, .x = {-1, 1}, .gamma = {kMaxFloat, kMaxFloat}, .beta = {-kMaxFloat, kMaxFloat}}, {-kInf, kInf}, 0, 1});
  ExpectRow({"largest", {.epsilon = 0, .x = {-1, 1}, .gamma = {kMaxFloat, kMaxFloat}}, {-kMaxFloat, kMaxFloat}, 0, 1});
  ExpectRow({"subnormal result", {.epsilon = 0, .x = {-1, 1}, .gamma = {0x1p-149, 0x1.8p-140}}, {-0x1p-149, 0x1.8p-140}, 0, 1});
  ExpectRow({"underflow", {.epsilon = 99.0 * 99 - 1, .x = {-1, 1}, .gamma = {0x1p-149, 0x1p-149}}, {-0.0, 0}, 0, 1.0 / 99});
  ExpectRow({"largest epsilon", {.epsilon = std::numeric_limits<double>::max(), .x = {-kMaxFloat, kMaxFloat}}, {-0.0, 0}, 0, 0});
  ExpectRow({"smallest epsilon", {.epsilon = 5e-324, .x = {2, 2}}, {0, 0}, 2, kInf});
  ExpectRow({"near FLT_MAX", {.epsilon = 1, .x = {-kMaxFloat, kMaxFloat, kMaxFloat, -kMaxFloat}}, {-1, 1, 1, -1}, 0, 1 / kMaxFloat});
  ExpectRow({"subnormal row", {.epsilon = 0, .x = {0x1p-149, 0x3p-149}}, {-1, 1}, 0x1p-148, kInf});
  ExpectRow({"RMSNorm subnormal row", {.op = Op::kRmsNorm, .epsilon = 0, .x = {0x1p-149, -0x1p-149}}, {1, -1}, 0, kInf});
}

TEST(SpecialValues, NansAreCanonicalAndOverflowIsInfinityInEveryFormat) {
  for (const Formats& formats : ProductionFormats())
    for (const auto& [target, run] : TargetsAndTiers()) {
      const std::vector<double> gamma = {kNaN, kInf, -kInf, 60000};
      const TestOutputs outputs = RunOn(target, {.formats = formats, .epsilon = 1, .x = kOutlier, .gamma = gamma, .beta = {0, kInf, 0, 60000}}, 0, run);
      EXPECT_EQ(outputs.y.Bits(0), CanonicalNan(formats.y)) << target;
      EXPECT_EQ(outputs.y.Bits(1), CanonicalNan(formats.y)) << target;
      EXPECT_EQ(outputs.y.Get(2), kInf) << target;
      // 1.5*60000 + 60000 = 150000, with gamma and beta first rounded to their format: bf16 holds 59904.
      const double large = formats.params == Format::kBf16 ? 149760 : 150000;
      const double want = formats.y == Format::kF16 ? kInf : formats.y == Format::kBf16 ? 149504 : large;
      EXPECT_EQ(outputs.y.Get(3), want) << target;
      const TestOutputs nan = RunOn(target, {.formats = formats, .epsilon = 1, .x = {1, -kNaN, 0}}, 0, run);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(nan.y.Bits(i), CanonicalNan(formats.y)) << target;
    }
}

TEST(SpecialValues, ASpecialRowLeavesTheOthersAlone) {
  for (Op op : kProductionOps)
    for (const auto& [target, run] : TargetsAndTiers()) {
      const std::vector<double> ordinary = RandomValues(40, 3);
      const TestOutputs alone = RunOn(target, {.op = op, .epsilon = 1e-5, .x = ordinary}, 0, run);
      for (double special : {kNaN, kInf, 7.0}) {
        std::vector<double> x(40, special);
        x.insert(x.end(), ordinary.begin(), ordinary.end());
        x.insert(x.end(), 40, special);
        const TestOutputs three = RunOn(target, {.op = op, .epsilon = 1e-5, .x = x, .rows = 3}, 0, run);
        for (std::size_t i = 0; i < 40; ++i) ASSERT_EQ(three.y.Bits(40 + i), alone.y.Bits(i)) << target;
        ASSERT_EQ(three.inv_std_dev[1], alone.inv_std_dev[0]);
      }
    }
}

}  // namespace
}  // namespace normcheck::norm

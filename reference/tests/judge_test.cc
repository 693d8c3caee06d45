// Whole cases: faults of the call, epsilon formats, worst element, expected values, unsupported contracts.
#include "reference/judge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <new>

#include "norm/harness_fault.h"
#include "norm/kernel_fault.h"
#include "reference/tests/made_case.h"
#include "reference/verdict_json.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace normcheck::reference {
namespace {

using norm::ContractKind;
using norm::EpsilonFormat;

constexpr Contract kFourUlps{ContractKind::kUlp, 4};

Outputs OutputsOf(const std::vector<double>& y, Format format = Format::kF32) {
  Outputs outputs;
  outputs.y = BitsOfAll(y, format);
  return outputs;
}

Verdict JudgeValues(const Case& c, const std::vector<double>& y, const Contract& contract = kFourUlps) {
  return JudgeOutputs(c, OutputsOf(y, c.formats.y), contract, EpsilonFormat::kF64, {});
}

TEST(JudgeOutputs, CountsAndWorstElement) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1, -1, 1}, 0);
  const Verdict verdict = JudgeValues(c, {-1, 1 + 0x1p-22, -1 + 0x1p-20, kNan});
  EXPECT_FALSE(verdict.kept);
  EXPECT_EQ(verdict.tally.judged, 4U);
  EXPECT_EQ(verdict.tally.correctly_rounded, 1U);
  EXPECT_EQ(verdict.tally.broken, 2U);
  EXPECT_EQ(verdict.tally.class_faults, 1U);
  EXPECT_EQ(verdict.tally.scored, 3U);
  EXPECT_EQ(verdict.tally.beyond_element, 2U);
  EXPECT_EQ(verdict.tally.max_ulp, ToQ20(8));
  EXPECT_EQ(verdict.tally.levels, (std::array<std::uint64_t, 3>{1, 0, 3})) << "y is a power of two; the filter takes the NaN";
  EXPECT_DOUBLE_EQ(verdict.tally.BiasUlp(), (0 + 2 - 8) / 3.0);
  ASSERT_TRUE(verdict.worst);
  EXPECT_EQ(verdict.worst->index, 3U) << "a class fault before any size";
  EXPECT_EQ(verdict.worst->want, 0x3f800000U);
  EXPECT_FALSE(verdict.worst->ulp);
  ASSERT_TRUE(verdict.row);
  EXPECT_EQ(verdict.row->var, 1);
  EXPECT_EQ(verdict.row->inv_std_dev, 1);
}

TEST(JudgeOutputs, WorstIsTheFirstLargestOnTheContractsScale) {
  Case c = MakeCase(Op::kLayerNorm, {}, 2, 2, 0);
  c.x = BitsOfAll({-1, 1, -2, 2}, Format::kF32);
  const Verdict verdict = JudgeValues(c, {-1, 1, -1 - 0x1p-22, 1 + 0x1p-22});
  EXPECT_TRUE(verdict.kept);
  ASSERT_TRUE(verdict.worst);
  EXPECT_EQ(verdict.worst->row, 1U);
  EXPECT_EQ(verdict.worst->index, 0U);
  EXPECT_EQ(verdict.worst->ulp, 2);
  EXPECT_EQ(verdict.worst->bound_ratio, 0.5);
  EXPECT_EQ(verdict.row->var, 4);
}

TEST(JudgeOutputs, BrokenPromiseComesBeforeALargerKeptError) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {0x1p-140, 1}, {0, 0});
  Contract contract{ContractKind::kRowUlp, 4};
  contract.flush_to_zero = true;
  const Verdict verdict = JudgeValues(c, {0, 1 + 0x1p-20}, contract);
  ASSERT_TRUE(verdict.worst);
  EXPECT_EQ(verdict.worst->index, 1U);
  EXPECT_EQ(verdict.tally.broken, 1U);
}

TEST(JudgeOutputs, UndefinedAloneIsKept) {
  const Verdict verdict = JudgeValues(RowCase(Op::kLayerNorm, {2, 2}, 0), {kNan, 3});
  EXPECT_TRUE(verdict.kept);
  EXPECT_EQ(verdict.tally.undefined, 2U);
  EXPECT_EQ(verdict.tally.judged, 0U);
  EXPECT_FALSE(verdict.worst);
}

TEST(JudgeOutputs, FaultsOfTheCallBreakTheContract) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  const auto fault = [&](auto spoil) {
    Outputs outputs = OutputsOf({-1, 1});
    spoil(outputs);
    const Verdict verdict = JudgeOutputs(c, outputs, kFourUlps, EpsilonFormat::kF64, {});
    return verdict.kept ? std::string("kept") : verdict.fault;
  };
  EXPECT_EQ(fault([](Outputs&) {}), "kept");
  EXPECT_EQ(fault([](Outputs& o) { o.mxcsr_after = o.mxcsr_before | 0x3f; }), "kept") << "sticky flags";
  EXPECT_EQ(fault([](Outputs& o) { o.mxcsr_after = o.mxcsr_before ^ 0x8000; }), "changed MXCSR");
  EXPECT_EQ(fault([](Outputs& o) { o.trespass = "there"; }), "wrote outside its outputs: there");
  EXPECT_EQ(fault([](Outputs& o) { o.changed_input = "x, row 0 element 3"; }), "changed its inputs: x, row 0 element 3");
  EXPECT_EQ(fault([](Outputs& o) { o.y.pop_back(); }), "y has not rows*width elements");
  EXPECT_EQ(fault([](Outputs& o) { o.result = {norm::CallStatus::kBadArgument, "epsilon", "negative"}; }),
            "refused: epsilon: negative");
}

TEST(JudgeOutputs, BrokenStatisticsBreakTheContract) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  Outputs outputs = OutputsOf({-1, 1});
  outputs.mean = {0};
  outputs.inv_std_dev = {2};
  const Verdict verdict = JudgeOutputs(c, outputs, kFourUlps, EpsilonFormat::kF64, {});
  EXPECT_FALSE(verdict.kept);
  EXPECT_EQ(verdict.statistics->judged, 2U);
  EXPECT_EQ(verdict.statistics->broken, 1U);
}

TEST(JudgeOutputs, ProfilesWithFlushToZeroAreRefusedNotPassed) {
  const Contract contract{.kind = ContractKind::kProfile, .k = 0, .flush_to_zero = true};
  const Verdict verdict = JudgeValues(RowCase(Op::kLayerNorm, {-1, 1}, 0), {-1, 1}, contract);
  EXPECT_FALSE(verdict.kept);
  EXPECT_TRUE(verdict.not_supported);
  EXPECT_EQ(verdict.tally.not_checked, 2U);
  EXPECT_NE(verdict.fault.find("two-pass"), std::string::npos);
}

TEST(JudgeOutputs, EmptyShapesHaveNothingToJudge) {
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{0, 5}, {3, 0}, {0, 0}}) {
    const Verdict verdict = JudgeValues(MakeCase(Op::kRmsNorm, {}, rows, width, 0), {});
    EXPECT_TRUE(verdict.kept);
    EXPECT_EQ(verdict.tally.judged, 0U);
  }
}

// (5 - 4)/sqrt(1 + eps): the f16 nearest 1e-3 is 0x1.064p-10, and the two values of y differ by 600 float ulps.
TEST(JudgeOutputs, EpsilonIsTakenInTheKernelsFormat) {
  const Case c = RowCase(Op::kLayerNorm, {3, 5}, 1e-3);
  Case rounded = c;
  rounded.epsilon = 0x1.064p-10;
  JudgeOptions options;
  options.want_outputs = true;
  Outputs outputs;
  outputs.y = CorrectlyRounded(rounded);
  const Verdict verdict = JudgeOutputs(c, outputs, {ContractKind::kCorrectlyRounded, 0}, EpsilonFormat::kF16, options);
  EXPECT_TRUE(verdict.kept);
  EXPECT_EQ(verdict.want, outputs.y);
  EXPECT_FALSE(JudgeOutputs(c, outputs, {ContractKind::kCorrectlyRounded, 0}, EpsilonFormat::kF64, options).kept);
  norm::Kernel kernel;
  kernel.epsilon_format = EpsilonFormat::kF16;
  EXPECT_EQ(WithEpsilonOf(kernel, c).epsilon, 0x1.064p-10);
  Case large = c;
  large.epsilon = 1e6;
  EXPECT_TRUE(JudgeOutputs(large, outputs, kFourUlps, EpsilonFormat::kF16, options).not_supported);
}

norm::Kernel OneWriter() {
  norm::Kernel kernel;
  kernel.name = "writes-one";
  kernel.ops = {Op::kLayerNorm};
  kernel.formats = {Formats{}};
  kernel.contract = kFourUlps;
  kernel.statistics = false;
  kernel.run = [](const norm::KernelCall& call) {
    const float one = 1;
    for (std::size_t i = 0; i < call.width; ++i) std::memcpy(static_cast<float*>(call.y) + i, &one, sizeof one);
    return norm::CallResult{};
  };
  return kernel;
}

// A6: one function says why a kernel is not asked a case, for judge, sweeps, advice and tolerances.
TEST(WhyNotAsked, NamesTheFirstReason) {
  Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  norm::Kernel kernel = OneWriter();
  EXPECT_EQ(WhyNotAsked(kernel, c), "");
  EXPECT_EQ(WhyNotAsked(kernel, RowCase(Op::kRmsNorm, {-1, 1}, 0)), "op");
  Case half = c;
  half.formats.y = norm::Format::kBf16;
  EXPECT_EQ(WhyNotAsked(kernel, half), "format");
  kernel.absent_params = kernel.pitch = kernel.beta = false;
  EXPECT_EQ(WhyNotAsked(kernel, c), "");
  c.beta = {0, 0};
  EXPECT_EQ(WhyNotAsked(kernel, c), "beta");
  c.y_pitch = 5;
  EXPECT_EQ(WhyNotAsked(kernel, c), "pitch");
  kernel = OneWriter();
  kernel.epsilon_format = EpsilonFormat::kF16;
  c.epsilon = 1e6;
  EXPECT_EQ(WhyNotAsked(kernel, c), "epsilon");
  EXPECT_EQ(Judge(kernel, c, {}).fault, "not supported by the kernel: epsilon");
}

TEST(Judge, RunsTheKernelUnderItsContract) {
  const Verdict verdict = Judge(OneWriter(), RowCase(Op::kLayerNorm, {-1, 1}, 0), {});
  EXPECT_EQ(verdict.kernel, "writes-one");
  EXPECT_FALSE(verdict.kept);
  EXPECT_EQ(verdict.tally.broken, 1U);
  EXPECT_EQ(verdict.worst->index, 0U);
  EXPECT_TRUE(Judge(OneWriter(), RowCase(Op::kRmsNorm, {-1, 1}, 0), {}).not_supported);
}

// A6: such a kernel was asked a quarter of the sweep. Ones and zeros are the same values, also under a kernel without beta.
TEST(Judge, AKernelThatNeedsGammaAndBetaGetsOnesAndZeros) {
  norm::Kernel kernel = OneWriter();
  kernel.absent_params = kernel.beta = false;
  bool ones = false, zeros = false;
  kernel.run = [&](const norm::KernelCall& call) {
    const auto holds = [&](const void* array, float value) {
      const float* p = static_cast<const float*>(array);
      return p != nullptr && p[0] == value && p[1] == value;
    };
    ones = holds(call.gamma, 1);
    zeros = holds(call.beta, 0);
    return norm::CallResult{};
  };
  EXPECT_FALSE(Judge(kernel, RowCase(Op::kLayerNorm, {-1, 1}, 0), {}).not_supported);
  EXPECT_TRUE(ones && zeros);
}

// A4: what a saturating kernel should have written is no infinity, also where it crashed.
TEST(Judge, AFaultOfTheCallWantsWhatTheContractWants) {
  Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0, {0x1.fffffep127, 1}, {-0x1.fffffep127, 0});
  norm::Kernel kernel = OneWriter();
  kernel.run = [](const norm::KernelCall&) -> norm::CallResult { throw norm::KernelFault("crashed"); };
  JudgeOptions options;
  options.want_outputs = true;
  EXPECT_EQ(Judge(kernel, c, options).worst->want, InfinityBits(c.formats.y, true));
  kernel.contract.saturates = true;
  EXPECT_EQ(Judge(kernel, c, options).worst->want, InfinityBits(c.formats.y, true) - 1);
  EXPECT_EQ(Judge(kernel, c, options).want[0], InfinityBits(c.formats.y, true) - 1);
}

// F3: what this program could not do is neither kept nor broken.
TEST(Judge, WhatTheHarnessCannotDoAccusesNobody) {
  const Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  norm::Kernel kernel = OneWriter();
  const auto verdict_of = [&](auto run) {
    kernel.run = run;
    return Judge(kernel, c, {});
  };
  for (const Verdict& verdict :
       {verdict_of([](const norm::KernelCall&) -> norm::CallResult { throw norm::HarnessFault("no process"); }),
        verdict_of([](const norm::KernelCall&) -> norm::CallResult { throw std::bad_alloc(); })}) {
    EXPECT_TRUE(verdict.not_supported && verdict.harness_failed && !verdict.kept);
    EXPECT_EQ(verdict.tally.not_checked, 2U);
    EXPECT_FALSE(verdict.worst);
    EXPECT_EQ(VerdictText(verdict, c, "f").substr(0, 11), "not checked");
    EXPECT_EQ(VerdictJson(verdict, c, "f", false)["not_checked"], true);
  }
}

TEST(Judge, ACaseThatNoMachineHoldsAccusesNobody) {
  Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  c.rows = 2;
  c.x.resize(4);
  c.x_pitch = c.y_pitch = std::size_t{1} << 60;
  const Verdict verdict = Judge(OneWriter(), c, {});
  EXPECT_TRUE(verdict.harness_failed) << verdict.fault;
}

// E1: the summary counts by these words.
TEST(Judge, NamesWhatTheKernelDoesNotTake) {
  const auto word = [](const norm::Kernel& kernel, const Case& c) { return Judge(kernel, c, {}).unasked; };
  Case c = RowCase(Op::kLayerNorm, {-1, 1}, 0);
  norm::Kernel kernel = OneWriter();
  kernel.pitch = kernel.beta = false;
  c.beta = {0, 0};
  EXPECT_EQ(word(kernel, RowCase(Op::kRmsNorm, {-1, 1}, 0)), "op");
  EXPECT_EQ(word(kernel, c), "beta");
  c.x_pitch = 3;
  EXPECT_EQ(word(kernel, c), "pitch");
  kernel.formats = {Formats{Format::kF16, Format::kF16, Format::kF16}};
  EXPECT_EQ(word(kernel, c), "format");
  EXPECT_EQ(word(OneWriter(), RowCase(Op::kLayerNorm, {-1, 1}, 0)), "");
}

bool ExpectedHolds(const std::vector<Expected>& expected) {
  Case c = RowCase(Op::kLayerNorm, {2, 4, 6, 8}, 0);
  c.expected = expected;
  return CheckExpected(c).ok();
}

TEST(CheckExpected, DecimalsWithinOneUnitOfTheLastDigit) {  // -3/sqrt(5) = -1.3416407864998738...
  EXPECT_TRUE(ExpectedHolds({"-1.34164", {}, {}, "1.3416407864998738"}));
  EXPECT_TRUE(ExpectedHolds({"-1.3417", {}, {}, "134.164e-2"}));
  EXPECT_FALSE(ExpectedHolds({"-1.3418", {}, {}, {}}));
  EXPECT_FALSE(ExpectedHolds({"1.34164", {}, {}, {}}));
  EXPECT_FALSE(ExpectedHolds({"-1.34166", {}, {}, {}}));
  EXPECT_FALSE(ExpectedHolds({"0", {}, {}, {}}));
  EXPECT_FALSE(ExpectedHolds({"nan", {}, {}, {}}));
}

TEST(CheckExpected, HexIsTheRoundedValue) {
  EXPECT_TRUE(ExpectedHolds({"-0x1.5775c6p+0", {}, {}, "0x1.5775c6p+0"}));
  EXPECT_FALSE(ExpectedHolds({"-0x1.5775c4p+0", {}, {}, {}}));
}

TEST(CheckExpected, ZeroIsExact) {
  Case c = RowCase(Op::kLayerNorm, {-1, 0x1p-149, 1}, 0);
  c.expected = {{}, "0", {}};
  EXPECT_FALSE(CheckExpected(c).ok()) << "y is 2^-149, not zero";
  c.x = BitsOfAll({-1, 0, 1}, Format::kF32);
  EXPECT_TRUE(CheckExpected(c).ok());
  c.expected[1] = "-0x0p+0";
  EXPECT_TRUE(CheckExpected(c).ok()) << "either zero is right";
}

TEST(CheckExpected, NamesTheElement) {
  Case c = RowCase(Op::kLayerNorm, {kNan, 1}, 0);
  c.expected = {"nan", "1"};
  const Result<bool> result = CheckExpected(c);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().find("row 0, element 1"), std::string::npos);
  EXPECT_EQ(result.error().find('\n'), std::string::npos);
}

#if defined(__SSE__)
TEST(FloatEnvironment, ChangedMxcsrIsRefusedAndFlagsAreNot) {
  const unsigned before = _mm_getcsr();
  EXPECT_FALSE(FloatEnvironmentFault());
  _mm_setcsr(before | 0x3f);
  EXPECT_FALSE(FloatEnvironmentFault());
  for (unsigned bit : {0x8040U, 0x8000U, 0x0040U, 0x2000U}) {
    _mm_setcsr(before ^ bit);
    const bool refused = FloatEnvironmentFault().has_value();
    _mm_setcsr(before);
    EXPECT_TRUE(refused) << bit;
  }
}
#endif

}  // namespace
}  // namespace normcheck::reference

// Probe, advise and tolerance: what they say of kernels whose nature is known.
#include "properties/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/advise.h"
#include "properties/kernels.h"
#include "properties/tolerance.h"

namespace normcheck::properties {
namespace {

std::string AnswerTo(const std::vector<ProbeAnswer>& answers, std::string_view question) {
  for (const ProbeAnswer& answer : answers)
    if (answer.question == question) return answer.answer;
  return "not asked";
}

TEST(Probe, NamesTheMistakeOfAMutantAndNoneOfTheProductionKernel) {
  EXPECT_TRUE(AnswerTo(Probe(FindKernel("mutant:eps-after-root").value()), "epsilon").starts_with("eps-after-root"));
  EXPECT_TRUE(AnswerTo(Probe(FindKernel("mutant:divisor-h-minus-1").value()), "divisor").starts_with("divisor-h-minus-1"));
  EXPECT_TRUE(AnswerTo(Probe(FindKernel("mutant:padded-lanes-counted-4").value()), "elements").starts_with("padded-lanes-counted-4"));
  const auto answers = Probe(FindKernel("layer_norm").value());
  EXPECT_EQ(AnswerTo(answers, "epsilon"), "under the root, as given");
  EXPECT_EQ(AnswerTo(answers, "divisor"), "H");
  EXPECT_EQ(AnswerTo(answers, "accumulation"), "correctly rounded: f64 or wider");
}

TEST(Probe, AKernelThatNeedsGammaAndBetaIsAskedWithOnesAndZeros) {
  norm::Kernel kernel = FindKernel("mutant:eps-after-root").value();
  kernel.run = [run = kernel.run](const norm::KernelCall& call) {
    if (call.gamma == nullptr || call.beta == nullptr) return norm::CallResult{norm::CallStatus::kUnsupported, "needs gamma and beta"};
    return run(call);
  };
  const auto answers = Probe(kernel);
  EXPECT_TRUE(AnswerTo(answers, "epsilon").starts_with("eps-after-root"));
  for (const ProbeAnswer& answer : answers) EXPECT_NE(answer.answer, "not supported") << answer.question;
}

TEST(Probe, TellsTheOrderOfAPlainKernelByItsBits) {
  const auto answers = Probe(FindKernel("honest:two-pass-lanes8-f32").value());
  EXPECT_EQ(AnswerTo(answers, "order"), "likely that of honest:two-pass-lanes8-f32");
  EXPECT_EQ(AnswerTo(answers, "accumulation"), "narrower than f64");
}

TEST(Advise, KernelsKeepTheirOwnContractAndNoneThatIsStricterThanTheyAre) {
  for (const char* name : {"layer_norm", "rms_norm", "honest:two-pass-f64", "honest:two-pass-lanes8-f32"}) {
    const norm::Kernel kernel = FindKernel(name).value();
    const Advice advice = Advise(kernel);
    const auto own = std::ranges::find(advice.tried, kernel.contract, &TriedContract::contract);
    ASSERT_NE(own, advice.tried.end()) << name;
    EXPECT_TRUE(own->kept) << name;
    ASSERT_NE(advice.Strictest(), nullptr);
    EXPECT_EQ(advice.Strictest()->contract.kind == norm::ContractKind::kCorrectlyRounded, advice.correctly_rounded == advice.outputs) << name;
  }
  const Advice plain = Advise(FindKernel("honest:two-pass-lanes8-f32").value());
  EXPECT_EQ(plain.Strictest()->contract.kind, norm::ContractKind::kProfile);
}

// By hand: f32 has p = 24 and least subnormal 2^-149.
TEST(Advise, TolerancesFollowFromTheContract) {
  const auto rounded = JustifiedTolerance({norm::ContractKind::kCorrectlyRounded, 0}, norm::Format::kF32, 1);
  EXPECT_EQ(rounded->rtol, 0x1p-24);
  EXPECT_EQ(rounded->atol, 0x1p-150);
  const auto row = JustifiedTolerance({norm::ContractKind::kRowUlp, 2}, norm::Format::kBf16, 9);
  EXPECT_EQ(row->atol, 2 * 0x1p-7 * 4);
  EXPECT_EQ(row->rtol, 0);
  EXPECT_FALSE(JustifiedTolerance({norm::ContractKind::kProfile, 0}, norm::Format::kF32, 1).has_value());
}

const ToleranceCount& Of(const std::vector<ToleranceCount>& counts, std::string_view kernel) {
  return *std::ranges::find(counts, kernel, &ToleranceCount::kernel);
}

TEST(Tolerance, ALooseOneLetsFaultsPassAndATightOneRejectsSoundKernels) {
  const std::vector<norm::Kernel> kernels = {FindKernel("layer_norm").value(), FindKernel("honest:two-pass-f64").value(),
                                             FindKernel("mutant:truncation").value(), FindKernel("mutant:no-centring").value()};
  const auto loose = CountTolerance({1e-2, 1e-2}, kernels);
  EXPECT_EQ(Of(loose, "layer_norm").rejected, 0u);
  EXPECT_EQ(Of(loose, "mutant:truncation").rejected, 0u);
  EXPECT_GT(Of(loose, "mutant:no-centring").rejected, 0u);
  const auto tight = CountTolerance({0, 1e-12}, kernels);
  EXPECT_GT(Of(tight, "mutant:truncation").rejected, 0u);
  EXPECT_GT(Of(tight, "honest:two-pass-f64").rejected, 0u);
}

TEST(Tolerance, TextIsTwoNumbers) {
  const auto read = ParseTolerance("1e-3,1e-7");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().atol, 1e-3);
  EXPECT_EQ(read.value().rtol, 1e-7);
  for (const char* text : {"", "1e-3", "1e-3,", "-1,0", "nan,0", "inf,0", "1,2,3", "1 ,2"}) EXPECT_FALSE(ParseTolerance(text).ok()) << text;
}

}  // namespace
}  // namespace normcheck::properties

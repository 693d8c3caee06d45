// Probe and tolerance: what they say of kernels whose nature is known.
#include "properties/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/families.h"
#include "properties/kernels.h"
#include "properties/tolerance.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using norm::Format;

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

const ToleranceCount& Of(const std::vector<ToleranceCount>& counts, std::string_view kernel) {
  return *std::ranges::find(counts, kernel, &ToleranceCount::kernel);
}

TEST(Tolerance, ALooseOneLetsFaultsPassAndATightOneRejectsSoundKernels) {
  const std::vector<norm::Kernel> kernels = {FindKernel("layer_norm").value(), FindKernel("honest:two-pass-f64").value(),
                                             FindKernel("mutant:flush-to-zero").value(), FindKernel("mutant:no-centring").value()};
  const auto loose = CountTolerance({1e-2, 1e-2}, kernels);
  EXPECT_EQ(Of(loose, "layer_norm").rejected, 0u);
  EXPECT_EQ(Of(loose, "mutant:flush-to-zero").rejected, 0u);
  EXPECT_GT(Of(loose, "mutant:no-centring").rejected, 0u);
  const auto tight = CountTolerance({0, 1e-12}, kernels);
  EXPECT_GT(Of(tight, "mutant:flush-to-zero").rejected, 0u);
  EXPECT_GT(Of(tight, "honest:two-pass-f64").rejected, 0u);
}

// A7: a fault beyond the small cases is seen over the range, and no answer is affirmed without saying so.
TEST(Probe, SaysWhereItHolds) {
  const auto wide = Probe(FindKernel("mutant:long-row-is-zero").value());
  EXPECT_TRUE(AnswerTo(wide, "range").find("width 257, 1024, 4097") != std::string::npos) << AnswerTo(wide, "range");
  EXPECT_TRUE(AnswerTo(wide, "epsilon").ends_with("on this case; see range"));
  EXPECT_TRUE(AnswerTo(Probe(FindKernel("layer_norm").value()), "range").starts_with("contract kept on all"));
}

// A7: a question that is not taken is not answered.
TEST(Probe, NotSupportedIsNoAnswer) {
  norm::Kernel refuses = FindKernel("layer_norm").value();
  refuses.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kUnsupported, "", ""}; };
  for (const ProbeAnswer& answer : Probe(refuses)) EXPECT_TRUE(answer.answer.ends_with("not supported")) << answer.question << ": " << answer.answer;
}

// B6: nothing untrue of a sound kernel.
TEST(Probe, SaysNothingUntrueOfSoundKernels) {
  for (const norm::Kernel& kernel : AllKernels()) {
    if (kernel.kind != norm::Kind::kProduction && kernel.kind != norm::Kind::kHonest) continue;
    for (const ProbeAnswer& answer : Probe(kernel)) {
      const std::string what = kernel.name + " " + answer.question + ": " + answer.answer;
      EXPECT_EQ(answer.answer.find("towards zero"), std::string::npos) << what;
      EXPECT_EQ(answer.answer.find("away from zero"), std::string::npos) << what;
      EXPECT_EQ(answer.answer.find("not as defined"), std::string::npos) << what;
      const bool has_f32 = kernel.name.find("f32") != std::string::npos || kernel.name.ends_with("_fast");
      EXPECT_TRUE(has_f32 || answer.answer != "narrower than f64") << what;
    }
  }
  EXPECT_EQ(AnswerTo(Probe(FindKernel("mutant:truncation").value()), "output"), "rounded towards zero");
  EXPECT_NE(AnswerTo(Probe(FindKernel("mutant:eps-in-bf16").value()), "accumulation"), "narrower than f64");
}

// C4: faults of memory, state or many rows are no argument against a tolerance where they do not show.
TEST(Tolerance, CountsOnlyFaultsThatShow) {
  const std::vector<norm::Kernel> kernels = {FindKernel("mutant:flush-to-zero").value()};
  const auto counts = CountTolerance({1e-2, 1e-2}, kernels);
  EXPECT_GT(Of(counts, "mutant:flush-to-zero").differing, 0u);
  std::vector<ToleranceCount> hidden = counts;
  hidden[0].differing = 0;
  EXPECT_NE(ToleranceText({1e-2, 1e-2}, counts).find("mutant:flush-to-zero"), std::string::npos);
  EXPECT_EQ(ToleranceText({1e-2, 1e-2}, hidden).find("mutant:flush-to-zero"), std::string::npos);
}

// C4, CASES2 n10: an allclose of 1e-2 takes a kernel that writes zeros where all outputs are small.
TEST(Tolerance, IsAskedOfCasesAsWell) {
  reference::Case c = reference::MakeCase(norm::Op::kRmsNorm, {}, 1, 8, 1e-6);
  const double x[] = {1, 2, -2, 4, 1, -1, 3, 0.5};
  c.gamma.emplace(8, reference::BitsOf(0x1p-8, Format::kF32));
  for (std::size_t i = 0; i < 8; ++i) c.x[i] = reference::BitsOf(x[i], Format::kF32);
  const std::vector<norm::Kernel> kernels = AllKernels();
  const auto loose = CountTolerance({1e-2, 0}, kernels, std::span(&c, 1));
  EXPECT_EQ(Of(loose, "null:zeros").rejected, 0u);
  EXPECT_EQ(Of(loose, "null:zeros").outputs, 8u);
  EXPECT_NE(ToleranceText({1e-2, 0}, loose, 1).find("null:zeros"), std::string::npos);
  for (const ToleranceCount& count : loose) EXPECT_TRUE(count.kind != norm::Kind::kMutantLong || count.differing == 0) << count.kernel;
  EXPECT_EQ(Of(CountTolerance({1e-4, 0}, kernels, std::span(&c, 1)), "null:zeros").rejected, 8u);
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

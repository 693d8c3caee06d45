// Causes of whole kernels over the regression cases: the planted name, or none.
#include "reference/diagnosis/causes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "properties/kernels.h"
#include "properties/regressions.h"
#include "reference/judge.h"

namespace normcheck::properties {
namespace {

using reference::Case;
using reference::Cause;

const std::vector<Regression>& Cases() {
  static const auto kCases = ReadRegressions(RegressionsDir()).value();
  return kCases;
}

std::vector<Cause> CausesOf(const norm::Kernel& kernel) {
  reference::CausePoll poll;
  for (const Regression& regression : Cases()) {
    if (regression.c.width > 1024) continue;
    const auto verdict = reference::Judge(kernel, regression.c, {.contract = {}, .diagnose = false, .describe = false});
    if (verdict.not_supported || !verdict.fault.empty()) continue;
    const double epsilon = reference::WithEpsilonOf(kernel, regression.c).epsilon;
    poll.Add({&regression.c, verdict.got, verdict.contract, epsilon, verdict.tally.broken == 0, regression.file});
  }
  return poll.Causes();
}

class NamedOverAllCases : public testing::TestWithParam<const char*> {};

TEST_P(NamedOverAllCases, IsTheFirstCauseAndNoOtherMistakeIsNamed) {
  const auto causes = CausesOf(FindKernel("mutant:" + std::string(GetParam())).value());
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(causes.front().ids, std::vector<std::string>{GetParam()});
  EXPECT_EQ(causes.front().explains, causes.front().of);
  for (std::size_t i = 1; i < causes.size(); ++i) EXPECT_TRUE(causes[i].ids.empty()) << causes[i].ids.front();
}

INSTANTIATE_TEST_SUITE_P(Causes, NamedOverAllCases,
                         testing::Values("eps-after-root", "eps-missing", "divisor-h-minus-1", "no-centring", "missing-root"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Causes, SoundKernelsHaveNone) {
  for (const char* name : {"honest:two-pass-recursive-f32", "layer_norm", "rms_norm"})
    EXPECT_TRUE(CausesOf(FindKernel(name).value()).empty()) << name;
}

// The sound kernel, asked with twice the epsilon.
norm::Kernel EpsilonTwice() {
  norm::Kernel kernel = FindKernel("honest:two-pass-recursive-f64").value();
  kernel.contract = {norm::ContractKind::kRowUlp, 4};
  kernel.formats = {norm::Formats{}};
  kernel.run = [run = kernel.run](norm::KernelCall call) {
    call.epsilon *= 2;
    return run(call);
  };
  return kernel;
}

TEST(Causes, AMistakeOutsideOfTheListIsDescribedAndNotNamed) {
  const auto causes = CausesOf(EpsilonTwice());
  ASSERT_FALSE(causes.empty());
  for (const Cause& cause : causes) EXPECT_TRUE(cause.ids.empty()) << cause.ids.front();
  EXPECT_TRUE(causes.front().text.starts_with("Acts as 2.000 * epsilon")) << causes.front().text;
  EXPECT_GE(causes.front().explains * 10, causes.front().of * 8);
}

}  // namespace
}  // namespace normcheck::properties

// The judge on honest kernels: each keeps the contract it states, and breaks the one it does not live up to.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

#include "properties/families.h"
#include "properties/honest.h"
#include "reference/contract.h"
#include "reference/judge.h"
#include "reference/verdict_json.h"

namespace normcheck::properties {
namespace {

using reference::Judge;
using reference::JudgeOptions;
using reference::Tally;
using reference::Verdict;

constexpr std::string_view kOffsets[] = {"offset-1e3", "offset-1e4", "offset-1e6"};

const norm::Kernel& Named(const std::vector<norm::Kernel>& kernels, std::string_view name) {
  for (const norm::Kernel& kernel : kernels)
    if (kernel.name == name) return kernel;
  throw std::invalid_argument(std::string(name));
}

TEST(HonestJudged, EveryKernelKeepsItsContractOnEveryFamily) {
  Random random(Seed{5});
  const std::vector<norm::Kernel> kernels = HonestKernels();
  const std::vector<norm::Formats> formats = norm::AllFormats();
  std::size_t draw = 0;
  Tally all;
  for (const Family& family : Families()) {
    for (const norm::Kernel& kernel : kernels) {
      ++draw;
      const Case c = MakeFamilyCase(
          family, {norm::kOps[draw % std::size(norm::kOps)], formats[draw % formats.size()], 2, Widths()[draw % Widths().size()] % 200 + 1, Epsilons()[draw % 6]}, random);
      const Verdict verdict = Judge(kernel, c, {});
      EXPECT_TRUE(verdict.kept || verdict.not_supported) << kernel.name << " on " << family.id << ": " << reference::VerdictText(verdict, c, "");
      all.Merge(verdict.tally);
    }
  }
  EXPECT_GT(all.scored, 10000U);
  EXPECT_GT(all.no_promise, 0U);
  EXPECT_EQ(all.broken, 0U);
  EXPECT_GT(reference::FromQ20(all.max_bound_ratio), 0.5);
  EXPECT_LE(reference::FromQ20(all.max_bound_ratio), 1);
}

TEST(HonestJudged, OnePassDeclaredAsTwoPassBreaksOnOffsets) {
  const std::vector<norm::Kernel> kernels = HonestKernels();
  norm::Kernel disguised = Named(kernels, "honest:one-pass-lanes8-f32");
  disguised.contract = Named(kernels, "honest:two-pass-lanes8-f32").contract;
  Random random(Seed{6});
  for (const std::string_view id : kOffsets) {
    const Case c = MakeFamilyCase(*FindFamily(id), {Op::kLayerNorm, {}, 4, 768, 1e-5}, random);
    const Verdict verdict = Judge(disguised, c, {});
    EXPECT_FALSE(verdict.kept) << id;
    EXPECT_GT(verdict.tally.broken, 0U) << id;
    ASSERT_TRUE(verdict.worst && verdict.worst->bound_ratio) << id;
    EXPECT_GT(*verdict.worst->bound_ratio, 1) << id;
    EXPECT_GT(verdict.statistics->broken, 0U) << id;
  }
}

TEST(HonestJudged, ARowThatOverflowsTheAccumulatorHasNoPromise) {
  const std::vector<norm::Kernel> kernels = HonestKernels();
  Case c = reference::MakeCase(Op::kLayerNorm, {}, 1, 8, 1e-5);
  for (std::size_t i = 0; i < 8; ++i) c.x[i] = i % 2 == 0 ? 0x7f000000 : 0x7e800000;  // 2^127, 2^126: squares overflow
  const Verdict verdict = Judge(Named(kernels, "honest:two-pass-recursive-f32"), c, {});
  EXPECT_TRUE(verdict.kept);
  EXPECT_EQ(verdict.tally.no_promise, 8U);
  EXPECT_EQ(verdict.tally.judged, 0U);
  const Verdict wide = Judge(Named(kernels, "honest:two-pass-recursive-f64"), c, {});
  EXPECT_TRUE(wide.kept);
  EXPECT_EQ(wide.tally.judged, 8U);
}

TEST(HonestJudged, AProfileWithFlushToZeroIsRefused) {
  norm::Kernel flushing = HonestKernels().front();
  flushing.contract.flush_to_zero = true;
  const Verdict verdict = Judge(flushing, reference::MakeCase(Op::kLayerNorm, {}, 1, 4, 1), {});
  EXPECT_FALSE(verdict.kept);
  EXPECT_TRUE(verdict.not_supported);
  EXPECT_NE(verdict.fault.find("has no bounds"), std::string::npos);
}

}  // namespace
}  // namespace normcheck::properties

// The fast tier against the judge: row-ulp:5 on every family, target and format, and a guard that is seen to be needed.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <string>

#include "norm/fast_stage.h"
#include "norm/layer_norm.h"
#include "norm/row_engine.h"
#include "properties/families.h"
#include "properties/parameters.h"
#include "reference/case_json.h"
#include "reference/judge.h"

namespace normcheck::properties {
namespace {

constexpr double kHardEpsilons[] = {0, 5e-324, 1e-300, 1e-30, 1e-12, 1e-5, 1, 1e30, DBL_MAX};

norm::Kernel FastKernel(Op op, std::function<norm::CallResult(const norm::KernelCall&)> run) {
  norm::Kernel kernel = norm::ProductionKernels()[op == Op::kLayerNorm ? 2 : 3];
  kernel.run = std::move(run);
  return kernel;
}

// Guards of no row multiplied by `scale`.
norm::Kernel FastKernelOn(const norm::RowEngine& engine, Op op, double scale) {
  return FastKernel(op, [&engine, scale](const norm::KernelCall& call) {
    engine.normalize_rows_fast(call, scale);
    return norm::CallResult{};
  });
}

reference::Verdict JudgeFast(const norm::Kernel& kernel, const Case& c) {
  reference::JudgeOptions options;
  options.diagnose = false;
  return reference::Judge(kernel, c, options);
}

Case FastCase(const Family& family, Op op, const Formats& formats, Random& random) {
  const std::size_t width = random.OneIn(7) ? 1025 + random.Below(9000) : Widths()[random.Below(Widths().size())];
  const double epsilon = random.OneIn(2) ? Epsilons()[random.Below(6)] : kHardEpsilons[random.Below(std::size(kHardEpsilons))];
  Case c = MakeFamilyCase(family, {op, formats, 1 + random.Below(11), width, epsilon}, random);
  if (random.OneIn(8) && c.gamma) CancelBeta(c);
  return c;
}

class FastTier : public testing::TestWithParam<Op> {};

// All triples of formats in turn, all targets in turn: 6e6 outputs an op, the worst of them as a share of the promise.
TEST_P(FastTier, KeepsFiveRowUlpsOnEveryFamily) {
  constexpr std::uint64_t kOutputs = 6'000'000;
  const std::vector<Formats> formats = norm::ProductionFormats();
  const auto engines = norm::RowEngines();
  Random random(Seed{21});
  std::uint64_t judged = 0;
  double worst = 0;
  for (std::size_t cases = 0; judged < kOutputs && !HasFailure();)
    for (const Family& family : Families()) {
      const Case c = FastCase(family, GetParam(), formats[cases % formats.size()], random);
      const std::size_t turn = cases++ / formats.size();
      const norm::RowEngine& engine = engines[turn % engines.size()];
      norm::Kernel kernel = FastKernelOn(engine, GetParam(), 1);
      kernel.statistics = turn / engines.size() % 2 == 0;  // they have paths of their own
      const reference::Verdict verdict = JudgeFast(kernel, c);
      EXPECT_TRUE(verdict.kept && !verdict.not_supported) << family.id << " " << engine.name << ": " << verdict.tally.broken << " of " << verdict.tally.judged
                                                          << " " << verdict.fault << "\n" << (c.x.size() <= 64 ? reference::CaseText(c) : std::to_string(c.width));
      judged += verdict.tally.judged;
      if (verdict.worst && verdict.worst->bound_ratio && *verdict.worst->bound_ratio > worst) worst = *verdict.worst->bound_ratio;
    }
  EXPECT_LT(worst, 1);
  EXPECT_GT(worst, 0.2);
  RecordProperty("outputs", std::to_string(judged));
  RecordProperty("worst_share", std::to_string(worst));
}

INSTANTIATE_TEST_SUITE_P(Ops, FastTier, testing::ValuesIn(norm::kProductionOps), [](const auto& op) { return std::string(norm::NameOf(op.param)); });

// Outputs beyond the promise on rows with offsets, with the guard's limits multiplied by `scale`.
std::uint64_t BrokenAtGuardScale(double scale) {
  Random random(Seed{22});
  std::uint64_t broken = 0;
  for (int round = 0; round < 12; ++round)
    for (const std::string_view id : {"offset-1e4", "offset-1e7", "near-constant", "constant", "outlier", "sparse"})
      for (const Formats& formats : {Formats{}, Formats{norm::Format::kF16, norm::Format::kF16, norm::Format::kF16}}) {
        const Case c = MakeFamilyCase(*FindFamily(id), {Op::kLayerNorm, formats, 3, 64 + random.Below(2000), 1e-5}, random);
        broken += JudgeFast(FastKernelOn(norm::RowEngines().front(), Op::kLayerNorm, scale), c).tally.broken;
      }
  return broken;
}

TEST(FastGuard, IsNeeded) {
  EXPECT_EQ(BrokenAtGuardScale(1), 0u);
#if defined(__x86_64__)
  EXPECT_GT(BrokenAtGuardScale(0x1p20), 1000u);
#endif
}

// The guard does not send ordinary rows, or rows with a large mean, to the correctly rounded tier: then every output would be right.
TEST(FastGuard, KeepsOrdinaryAndOffsetRowsFast) {
  Random random(Seed{23});
  if (norm::Targets().front() != "AVX3_DL" && norm::Targets().front() != "AVX3" && norm::Targets().front() != "AVX2") GTEST_SKIP() << "no fast tier on this target";
  for (const std::string_view id : {"gaussian", "offset-1e3", "offset-1e6"}) {
    const Case c = MakeFamilyCase(*FindFamily(id), {Op::kLayerNorm, {}, 4, 768, 1e-5}, random);
    const reference::Verdict verdict = JudgeFast(FastKernel(Op::kLayerNorm, &norm::NormalizeFast), c);
    EXPECT_LT(verdict.tally.correctly_rounded, verdict.tally.judged) << id;
    EXPECT_TRUE(verdict.kept);
  }
}

}  // namespace
}  // namespace normcheck::properties

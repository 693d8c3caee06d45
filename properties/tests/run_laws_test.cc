// RapidCheck runs of all laws: production and honest kernels keep them, mutants break one with a small case that tells.
#include "properties/run_laws.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "properties/case_gen.h"
#include "properties/families.h"
#include "properties/kernels.h"
#include "reference/case_json.h"
#include "reference/judge.h"

namespace normcheck::properties {
namespace {

using State = LawRun::State;

PropertyOptions Options(int cases, std::uint64_t seed, bool all) {
  PropertyOptions options;
  options.cases = cases;
  options.seed = Seed{seed};
  options.all = all;
  return options;
}

std::string Text(const LawRun& run) {
  return run.law + " after " + std::to_string(run.cases) + " cases: " + run.seen + "\n" +
         (run.shrunk ? reference::CaseText(*run.shrunk) : "");
}

void ExpectAllLawsKept(std::string_view name, int cases) {
  const auto runs = RunLaws(FindKernel(name).value(), Options(cases, 1, true));
  ASSERT_EQ(runs.size(), Laws().size());
  for (const LawRun& run : runs) {
    if (run.state == State::kNotApplicable) continue;
    EXPECT_EQ(run.state, State::kKept) << name << ": " << Text(run);
    EXPECT_EQ(run.cases, static_cast<std::uint64_t>(cases)) << run.law;
  }
}

TEST(Production, LayerNormKeepsEveryLaw) { ExpectAllLawsKept("layer_norm", 400); }
TEST(Production, RmsNormKeepsEveryLaw) { ExpectAllLawsKept("rms_norm", 400); }
TEST(Honest, TwoPassInBinary64KeepsEveryLaw) { ExpectAllLawsKept("honest:two-pass-f64", 400); }

// The mutant, and the most elements that its shrunk case may have.
struct Limit {
  const char* mutant;
  std::size_t elements;
};

constexpr Limit kLimits[] = {{"mutant:one-pass-variance", 4}, {"mutant:eps-after-root", 2}, {"mutant:divisor-h-minus-1", 2}};

TEST(Mutants, EveryOneHasALimit) {
  for (const auto& mutant : Mutants()) EXPECT_EQ(std::ranges::count(kLimits, mutant.name, &Limit::mutant), 1) << mutant.name;
}

TEST(Mutants, EachIsBrokenByALawWithASmallCaseThatTells) {
  for (const Limit& limit : kLimits) {
    for (std::uint64_t seed : {1u, 2u, 3u}) {
      const norm::Kernel mutant = FindKernel(limit.mutant).value();
      const auto runs = RunLaws(mutant, Options(200, seed, false));
      const LawRun& last = runs.back();
      ASSERT_EQ(last.state, State::kBroken) << limit.mutant << " seed " << seed;
      ASSERT_TRUE(last.shrunk && !last.seen.empty());
      EXPECT_LE(last.shrunk->x.size(), limit.elements) << limit.mutant << " seed " << seed << ": " << Text(last);
      EXPECT_FALSE(reference::Judge(mutant, *last.shrunk, {}).kept) << Text(last);
      const norm::Kernel production = FindKernel(NameOf(last.shrunk->op)).value();
      ASSERT_TRUE(norm::Supports(production, last.shrunk->op, last.shrunk->formats));
      EXPECT_TRUE(reference::Judge(production, *last.shrunk, {}).kept) << Text(last);
      RecordProperty(std::string(limit.mutant).substr(7) + "-" + std::to_string(seed), Text(last));
    }
  }
}

TEST(RunLaws, SameSeedGivesTheSameShrunkCase) {
  const norm::Kernel mutant = FindKernel("mutant:one-pass-variance").value();
  const LawRun a = RunLaws(mutant, Options(200, 5, false)).back(), b = RunLaws(mutant, Options(200, 5, false)).back();
  ASSERT_EQ(a.state, State::kBroken);
  EXPECT_TRUE(a.shrunk == b.shrunk && a.cases == b.cases && a.seen == b.seen);
}

std::vector<Case> Drawn(std::uint64_t seed) {
  std::vector<Case> cases;
  const norm::Kernel honest = FindKernel("honest:two-pass-f64").value();
  norm::Kernel spy = honest;
  spy.run = [&cases, honest](const norm::KernelCall& call) {
    cases.push_back(reference::MakeCase(call.op, call.formats, call.rows, call.width, call.epsilon));
    return honest.run(call);
  };
  RunLaws(spy, Options(20, seed, true));
  return cases;
}

TEST(RunLaws, AnotherSeedGivesOtherCases) {
  const auto first = Drawn(1);
  EXPECT_GE(first.size(), 20u * Laws().size());
  EXPECT_TRUE(first == Drawn(1));
  EXPECT_FALSE(first == Drawn(2));
}

// A kernel that supports nothing of what it lists: no case meets the precondition, and that is no pass.
TEST(RunLaws, GivingUpIsAStateOfItsOwnAndStopsTheRun) {
  norm::Kernel kernel = FindKernel("honest:two-pass-f64").value();
  kernel.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kUnsupported, "formats", "none is supported"}; };
  const auto runs = RunLaws(kernel, Options(50, 1, false));
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].state, State::kGaveUp);
  EXPECT_FALSE(runs[0].seen.empty());
}

TEST(RunLaws, StopsAtTheFirstBrokenLawUnlessAskedForAll) {
  const norm::Kernel mutant = FindKernel("mutant:divisor-h-minus-1").value();
  int reported = 0;
  PropertyOptions options = Options(100, 1, true);
  options.progress = [&](const LawRun&) { ++reported; };
  EXPECT_EQ(RunLaws(mutant, options).size(), Laws().size());
  EXPECT_EQ(reported, static_cast<int>(Laws().size()));
  EXPECT_EQ(RunLaws(mutant, Options(100, 1, false)).size(), 1u);
}

TEST(RunLaws, AContractOfTheCallersReplacesTheKernels) {
  const norm::Kernel mutant = FindKernel("mutant:divisor-h-minus-1").value();
  PropertyOptions options = Options(50, 1, true);
  options.contract = norm::Contract{.kind = norm::ContractKind::kRowUlp, .k = 0x1p40, .finite_only = true};
  const auto runs = RunLaws(mutant, options);
  const auto state = [&](std::string_view law) { return std::ranges::find(runs, law, &LawRun::law)->state; };
  EXPECT_EQ(state("special-values"), State::kNotApplicable);
  EXPECT_EQ(state("constant-row"), State::kNotApplicable);
}

TEST(RunLaws, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  RunLaws(FindKernel("mutant:eps-after-root").value(), Options(50, 1, true));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace normcheck::properties

// Every law can fail: for each a mutant that it kills alone; and what must and must not break on the kernels that are no mutants.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "properties/audit.h"
#include "properties/case_gen.h"
#include "properties/kernels.h"
#include "properties/null_kernels.h"
#include "properties/run_laws.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using State = LawRun::State;

struct Victim {
  std::string_view law;
  const char* mutant;
};

constexpr Victim kVictims[] = {
    {"judged", "mutant:eps-after-root"},
    {"statistics", "mutant:last-statistic-infinite"},
    {"special-values", "mutant:width-one-is-beta"},
    {"constant-row", "mutant:one-pass-variance"},
    {"width-one", "mutant:divisor-h-minus-1"},
    {"empty", "mutant:divides-by-width"},
    {"larger-epsilon", "mutant:eps-missing"},
    {"scale", "mutant:eps-after-root"},
    {"negation", "mutant:rounds-up"},
    {"parameter-scale", "mutant:rounds-up"},
    {"absent-parameters", "mutant:beta-needs-gamma"},
    {"beta-additive", "mutant:one-pass-variance"},
    {"gamma-linear", "mutant:divisor-h-minus-1"},
    {"round-trip", "mutant:divisor-h-minus-1"},
    {"rms-is-layer-norm", "mutant:one-pass-variance"},
    {"bounded", "mutant:one-pass-variance"},
    {"monotonic", "mutant:last-element-skipped"},
    {"shift", "mutant:padded-lanes-counted-8"},
    {"permutation", "mutant:tail-missing"},
    {"duplication", "mutant:padded-lanes-counted-8"},
    {"batch-independence", "mutant:nan-of-any-row"},
    {"batch-size", "mutant:large-batch-path"},
    {"row-ranges", "mutant:first-rows-scale"},
    {"repeatable", "mutant:second-call"},
    {"written", "mutant:writes-beyond-row"},
    {"guard-pages", "mutant:reads-beyond-row"},
    {"alignment", "mutant:aligned-load"},
    {"padding", "mutant:x-pitch-ignored"},
    {"in-place", "mutant:stores-before-sums"},
    {"wide-pitch", "mutant:pitch-in-32-bits"},
    {"every-target", "mutant:scalar-path-in-float"},
    {"float-environment", "mutant:callers-environment"},
    {"mxcsr-kept", "mutant:leaves-ftz"},
    {"many-rows", "mutant:grid-of-65535"},
    {"large-calls", "mutant:batch-of-long-rows"},
};

TEST(Laws, EachKillsItsVictimAlone) {
  for (const Law& law : Laws()) EXPECT_EQ(std::ranges::count(kVictims, law.name, &Victim::law), 1) << law.name;
  for (const Victim& victim : kVictims) {
    const auto law = std::ranges::find(Laws(), victim.law, &Law::name);
    ASSERT_NE(law, Laws().end()) << victim.law;
    const auto mutant = FindKernel(victim.mutant);
    ASSERT_TRUE(mutant.ok()) << mutant.error();
    EXPECT_EQ(RunLaw(mutant.value(), *law, {}).state, State::kBroken) << victim.law << " on " << victim.mutant;
  }
}

// A kernel that leaves FTZ set is seen by mxcsr-kept also after all the other laws: they put MXCSR back.
TEST(Laws, LeaveTheFloatEnvironmentAsItWas) {
  const norm::Kernel mutant = FindKernel("mutant:leaves-ftz").value();
  PropertyOptions options;
  options.cases = 20;
  options.all = true;
  const auto runs = RunLaws(mutant, options);
  EXPECT_EQ(std::ranges::find(runs, "mxcsr-kept", &LawRun::law)->state, State::kBroken);
  EXPECT_EQ(reference::FloatEnvironmentFault(), std::nullopt);
}

// A precondition that prepare does not meet would leave a law with few cases, and nobody would notice.
TEST(Laws, AreAskedOnMostOfTheirPreparedCases) {
  constexpr int kDraws = 60;
  constexpr double kLeastShare = 0.75;
  for (const norm::Kernel& kernel : norm::ProductionKernels()) {
    for (const Law& law : Laws()) {
      if (!law.applies_to(kernel) || law.every > 1) continue;
      Random random(Seed{11});
      int asked = 0;
      for (int i = 0; i < kDraws; ++i) {
        Case c = DrawCase({kernel.ops, kernel.formats, 257}, random);
        if (law.prepare != nullptr) law.prepare(c);
        asked += CheckLaw(kernel, law, c).state != LawResult::State::kNotApplicable;
      }
      EXPECT_GE(asked, kLeastShare * kDraws) << law.name << " on " << kernel.name;
    }
  }
}

// The reference itself as a kernel: every relation holds bit for bit, with no slack.
norm::Kernel ExactKernel() {
  norm::Kernel kernel = FindKernel("honest:two-pass-f64").value();
  kernel.name = "exact";
  kernel.contract = {.kind = norm::ContractKind::kCorrectlyRounded};
  kernel.statistics = false;
  kernel.run = [](const norm::KernelCall& call) {
    const norm::CallResult checked = norm::CheckCall(call);
    if (!checked.ok() || call.width == 0 || call.rows == 0) return checked;
    reference::Case c = reference::MakeCase(call.op, call.formats, call.rows, call.width, call.epsilon == 0 ? 0 : call.epsilon);
    const auto load = [](const void* from, norm::Format format, std::size_t i) {
      reference::Bits bits = 0;
      const std::size_t bytes = norm::TraitsOf(format).bytes;
      std::memcpy(&bits, static_cast<const unsigned char*>(from) + i * bytes, bytes);
      return bits;
    };
    for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = load(call.x, call.formats.x, i / call.width * call.x_pitch + i % call.width);
    for (const auto& [from, to] : {std::pair{call.gamma, &c.gamma}, std::pair{call.beta, &c.beta}})
      for (std::size_t i = 0; from != nullptr && i < call.width; ++i) {
        if (i == 0) to->emplace();
        (*to)->push_back(load(from, call.formats.params, i));
      }
    const auto y = reference::CorrectlyRounded(c);
    const std::size_t bytes = norm::TraitsOf(call.formats.y).bytes;
    for (std::size_t i = 0; i < y.size(); ++i)
      std::memcpy(static_cast<unsigned char*>(call.y) + (i / call.width * call.y_pitch + i % call.width) * bytes, &y[i], bytes);
    return checked;
  };
  return kernel;
}

TEST(Laws, ThatNeedNoReferenceHoldBitForBitOnTheExactKernel) {
  const norm::Kernel exact = ExactKernel();
  PropertyOptions options;
  options.cases = 60;
  for (const char* name : {"bounded", "monotonic", "larger-epsilon", "shift", "scale", "negation", "permutation", "duplication", "parameter-scale",
                           "absent-parameters", "beta-additive", "gamma-linear", "round-trip", "rms-is-layer-norm", "in-place", "padding"}) {
    const LawRun run = RunLaw(exact, *std::ranges::find(Laws(), name, &Law::name), options);
    EXPECT_EQ(run.state, State::kKept) << name << ": " << run.seen;
  }
}

// One ulp in one element in a thousand is enough for the relations that compare bits.
TEST(Laws, ThatCompareBitsSeeOneUlp) {
  norm::Kernel kernel = ExactKernel();
  kernel.run = [exact = kernel.run](const norm::KernelCall& call) {
    const norm::CallResult result = exact(call);
    auto* first = static_cast<unsigned char*>(call.y);
    if (result.ok() && call.rows > 0 && call.width > 2) first[0] ^= 1;
    return result;
  };
  for (const char* name : {"permutation", "duplication"})
    EXPECT_EQ(RunLaw(kernel, *std::ranges::find(Laws(), name, &Law::name), {}).state, State::kBroken) << name;
}

// FACTS.md F6, F12, F13: what runs down the columns depends on the batch, and its values are no LayerNorm's, so that they also
// leave the slack of the laws that compute with them; a row alone at epsilon 0 is NaN. What moves columns or parameters about
// and compares leaves it alone, as do the laws of memory and calls.
TEST(Contrast, BatchNormBreaksTheLawsOfRowsAndNoOther) {
  const std::set<std::string> broken_laws = {
      "judged", "special-values", "constant-row", "width-one", "bounded", "monotonic", "shift", "rms-is-layer-norm", "round-trip",
      "batch-independence", "batch-size", "row-ranges", "many-rows", "larger-epsilon", "beta-additive", "gamma-linear",
      "large-calls"};
  PropertyOptions options;
  options.all = true;
  for (const LawRun& run : RunLaws(BatchNormKernel(), options)) {
    const bool broken = run.state == State::kBroken;
    EXPECT_EQ(broken, broken_laws.contains(run.law)) << run.law << ": " << run.seen;
  }
}

// FACTS.md F6: BatchNorm of one example is 0 in every feature.
TEST(Contrast, BatchNormOfOneRowIsZero) {
  reference::Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, 4, 1e-5);
  for (std::size_t i = 0; i < 4; ++i) c.x[i] = reference::BitsOf(2.0 * static_cast<double>(i + 1), norm::Format::kF32);
  for (reference::Bits bits : reference::RunKernel(BatchNormKernel(), c, {}).y) EXPECT_EQ(reference::ValueOf(bits, norm::Format::kF32), 0);
  c.epsilon = 0;
  for (reference::Bits bits : reference::RunKernel(BatchNormKernel(), c, {}).y) EXPECT_TRUE(reference::IsNan(bits, norm::Format::kF32));
}

// Found by special-values at seed 7: in f32 the finite elements overflow against the row's infinity, and the mean is NaN.
TEST(Honest, MeanOfARowWithAnInfinityMayOverflowAgainstIt) {
  reference::Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, 3, 0);
  c.x = {reference::BitsOf(0x1p127, norm::Format::kF32), reference::BitsOf(0x1p127, norm::Format::kF32), reference::InfinityBits(norm::Format::kF32, true)};
  const Law& law = *std::ranges::find(Laws(), "special-values", &Law::name);
  EXPECT_EQ(CheckLaw(FindKernel("honest:two-pass-recursive-f32").value(), law, c).state, LawResult::State::kKept);
}

TEST(NullKernels, FailTheFirstLaw) {
  for (const norm::Kernel& kernel : NullKernels()) {
    const auto runs = RunLaws(kernel, {});
    EXPECT_EQ(runs.size(), 1u) << kernel.name;
    EXPECT_EQ(runs.back().state, State::kBroken) << kernel.name;
  }
}

TEST(Audit, NoConfigurationOfNarrowRowsIsPassedByANullKernel) {
  AuditOptions options;
  options.bands = 3;
  options.formats = 3;
  const Audit audit = AuditNullKernels(options);
  EXPECT_EQ(audit.configurations, std::size(norm::kOps) * 3 * 4 * 3 * 6);
  for (const auto& pass : audit.prove_nothing) ADD_FAILURE() << AuditMarkdown({1, 1, {pass.null_kernel}, {pass}}, options);
}

}  // namespace
}  // namespace normcheck::properties

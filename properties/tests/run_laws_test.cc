// RapidCheck runs of all laws: production and honest kernels keep them, mutants break one with a small case that tells.
#include "properties/run_laws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <new>
#include <sstream>

#include "norm/harness_fault.h"
#include "norm/layer_norm.h"
#include "properties/case_gen.h"
#include "properties/families.h"
#include "properties/guarded_call.h"
#include "properties/keeps_laws.h"
#include "properties/kernels.h"
#include "properties/mutants/families_of_mistakes.h"
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

// A whole round of large calls takes honest kernels ten seconds: a tenth of it here, all of it by the command line.
constexpr int kLargeShare = 10;

// Large calls come in rounds, whose number is drawn.
bool AskedAll(const LawRun& run, int cases) {
  const Law& law = *std::ranges::find(Laws(), run.law, &Law::name);
  const auto wanted = static_cast<std::uint64_t>(std::max(1, cases / law.every));
  return law.round != nullptr ? run.cases >= wanted / kLargeShare : run.cases == wanted;
}

// Runs every law and gives the number of outputs that the kernel wrote for them.
std::uint64_t ExpectAllLawsKept(const norm::Kernel& kernel, int cases) {
  std::atomic<std::uint64_t> outputs = 0;
  norm::Kernel counted = kernel;
  counted.run = [&](const norm::KernelCall& call) {
    outputs += call.rows * call.width;
    return kernel.run(call);
  };
  std::vector<LawRun> runs;
  for (const Law& law : Laws()) {
    const int share = law.round != nullptr ? std::max(1, cases / kLargeShare) : cases;
    runs.push_back(RunLaw(counted, law, Options(share, 1, true)));
  }
  for (const LawRun& run : runs) {
    if (run.state == State::kNotApplicable) continue;
    EXPECT_EQ(run.state, State::kKept) << kernel.name << ": " << Text(run);
    EXPECT_TRUE(AskedAll(run, cases)) << run.law << ": " << run.cases;
  }
  return outputs;
}

TEST(Production, KernelsKeepEveryLawOnTenMillionOutputs) {
  std::uint64_t outputs = 0;
  for (const norm::Kernel& kernel : norm::ProductionKernels()) outputs += ExpectAllLawsKept(kernel, 220);
  EXPECT_GE(outputs, 10'000'000u);
}

TEST(Honest, KernelsKeepEveryLaw) {
  std::uint64_t outputs = 0;
  for (const norm::Kernel& kernel : AllKernels())
    if (kernel.kind == norm::Kind::kHonest) outputs += ExpectAllLawsKept(kernel, 40);
  EXPECT_GE(outputs, 1'000'000u);
}

// The most elements of a shrunk case; wider faults are listed.
struct Limit {
  std::string_view mutant;
  std::size_t elements;
};
constexpr std::size_t kElements = 40;
constexpr Limit kLimits[] = {{"mutant:sticky-nan", 4096},  // earlier calls decide
                             {"mutant:one-pass-variance", 4},    {"mutant:eps-after-root", 2},      {"mutant:divisor-h-minus-1", 2},
                             {"mutant:long-row-unwritten", 257}, {"mutant:long-row-is-zero", 257},  {"mutant:last-element-skipped", 1},
                             {"mutant:gamma-off-by-one", 2},     {"mutant:beta-off-by-one", 2},     {"mutant:gamma-by-row", 4},
                             {"mutant:reads-beyond-row", 1},     {"mutant:stores-before-sums", 2},  {"mutant:tail-of-thirteen", 13},
                             {"mutant:large-batch-path", 256},    {"mutant:sticky-nan", 255},
                             {"mutant:batch-of-long-rows", 13 * 67}, {"mutant:last-of-tile", 16 * 512}, {"mutant:workspace-of-256-rows", 257 * 1024},
                             {"mutant:sums-stop-at-8192", 16384}, {"mutant:squares-stop-at-32768", 32769}};

std::size_t LimitOf(const std::string& mutant) {
  const auto limit = std::ranges::find(kLimits, mutant, &Limit::mutant);
  return limit == std::end(kLimits) ? kElements : limit->elements;
}

std::vector<std::string> NamesOfMutants() {
  std::vector<std::string> names;
  for (const auto& mutant : Mutants())
    if (mutant.kind == norm::Kind::kMutant) names.push_back(mutant.name);
  return names;
}

class Mutant : public testing::TestWithParam<std::string> {};

LawRun Killing(const std::string& mutant) {
  PropertyOptions options = Options(200, 1, false);
  options.fresh = [mutant] { return FindKernel(mutant).value(); };
  return RunLaws(options.fresh(), options).back();
}

// The shrunk case tells: the law breaks on it again with the mutant started anew, and holds with a sound one. Where
// the fault needs calls before it, the report says so, and the same run finds the same case again.
TEST_P(Mutant, IsKilledWithASmallCaseThatTells) {
  const LawRun last = Killing(GetParam());
  ASSERT_EQ(last.state, State::kBroken);
  ASSERT_TRUE(last.shrunk && !last.seen.empty());
  std::ostringstream row;
  showValue(*last.shrunk, row);
  RecordProperty("shrunk", last.law + ": " + row.str());
  EXPECT_LE(last.shrunk->x.size(), LimitOf(GetParam())) << Text(last);
  const Law& law = *std::ranges::find(Laws(), last.law, &Law::name);
  const bool breaks = CheckLaw(FindKernel(GetParam()).value(), law, *last.shrunk).state == LawResult::State::kBroken;
  EXPECT_EQ(breaks, last.alone) << Text(last);
  EXPECT_EQ(last.seen.find("only after other calls") == std::string::npos, last.alone) << Text(last);
  if (!last.alone) {
    const auto stateful = StateMutants();
    EXPECT_NE(std::ranges::find(stateful, GetParam(), &norm::Kernel::name), stateful.end()) << Text(last);
    const LawRun again = Killing(GetParam());
    EXPECT_TRUE(again.law == last.law && again.seen == last.seen && again.shrunk == last.shrunk) << Text(again);
  }
  const norm::Kernel sound = SoundKernel(last.shrunk->op);
  ASSERT_TRUE(norm::Supports(sound, last.shrunk->op, last.shrunk->formats));
  EXPECT_NE(CheckLaw(sound, law, *last.shrunk).state, LawResult::State::kBroken) << Text(last);
}

INSTANTIATE_TEST_SUITE_P(All, Mutant, testing::ValuesIn(NamesOfMutants()), [](const auto& instance) {
  std::string name = instance.param.substr(instance.param.find(':') + 1);
  std::ranges::replace(name, '-', '_');
  return name;
});

// The outputs of a kernel on the first cases of a seed, with its crashes and statistics.
std::string Behaviour(const norm::Kernel& kernel) {
  const CrashHandlers handlers;
  const norm::Kernel guarded = Guarded(kernel);
  std::string text;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Random random = Random(Seed{3}).Fork(i);
    Case c = MakeAnyCase(random, norm::kOps, norm::ProductionFormats(), 130);
    if (text.empty()) c.epsilon = 0x1p-9;  // what a kernel remembers of its first call is no other mutant's constant
    if (!norm::Supports(kernel, c.op, c.formats)) continue;
    try {
      const reference::Outputs outputs = reference::RunKernel(guarded, c, {});
      for (reference::Bits bits : outputs.y) text += std::to_string(bits) + ' ';
      for (float value : outputs.inv_std_dev) text += std::to_string(std::bit_cast<reference::Bits>(value)) + ' ';
      text += outputs.trespass.empty() && outputs.changed_input.empty() ? ";" : "!";
    } catch (const std::exception& e) {
      text += e.what();
    }
  }
  return text;
}

// Two mutants that differ on no case plant one fault. Those that compute as they should at these sizes (the faults of memory, state
// and calls) are told apart by the laws alone.
TEST(Mutants, EachIsAFaultOfItsOwn) {
  norm::Kernel production = FindKernel("honest:two-pass-f64").value();
  std::map<std::string, std::string> first = {{Behaviour(production), "sound"}};
  production.run = norm::Normalize;
  first.emplace(Behaviour(production), "sound");
  for (const auto& mutant : Mutants()) {
    const auto [same, is_new] = first.emplace(Behaviour(mutant), mutant.name);
    EXPECT_TRUE(is_new || same->second == "sound") << mutant.name << " is " << same->second;
  }
}

TEST(Mutants, AreSixtyAndMoreWithACitationEach) {
  EXPECT_GE(NamesOfMutants().size(), 60u);
  for (const auto& mutant : Mutants()) {
    const bool cited = mutant.about.find("CASES.md") != std::string::npos || mutant.about.find("FACTS.md") != std::string::npos ||
                       mutant.about.find("KernelCall") != std::string::npos || mutant.about.find("CASES2.md") != std::string::npos;
    EXPECT_TRUE(cited) << mutant.name << ": " << mutant.about;
  }
}

// Every second call is off: the case that repeats a call shows it by itself, a case that is judged once does not.
TEST(RunLaws, AFaultOfStateIsShrunkOnFreshKernelsOrSaidToNeedTheRun) {
  PropertyOptions options = Options(200, 1, false);
  options.fresh = [] { return FindKernel("mutant:second-call").value(); };
  const auto run = [&](std::string_view law) { return RunLaw(options.fresh(), *std::ranges::find(Laws(), law, &Law::name), options); };
  const LawRun repeated = run("repeatable"), judged = run("judged");
  ASSERT_TRUE(repeated.state == State::kBroken && judged.state == State::kBroken);
  EXPECT_TRUE(repeated.alone && !judged.alone);
  EXPECT_LE(repeated.shrunk->x.size(), 2u) << Text(repeated);
  EXPECT_NE(judged.seen.find("only after other calls"), std::string::npos);
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
  RunLaw(spy, Laws().front(), Options(20, seed, true));
  return cases;
}

TEST(RunLaws, AnotherSeedGivesOtherCases) {
  const auto first = Drawn(1);
  EXPECT_GE(first.size(), 20u);
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

// F3: a law that could not be asked is not broken, whichever way it runs the kernel.
TEST(RunLaws, WhatTheHarnessCannotDoBreaksNoLaw) {
  const norm::Kernel sound = FindKernel("honest:two-pass-f64").value();
  const auto calls = std::make_shared<std::atomic<int>>(0);
  const std::function<norm::CallResult()> failures[] = {
      []() -> norm::CallResult { throw norm::HarnessFault("no process is left"); },
      []() -> norm::CallResult { throw std::bad_alloc(); }};
  for (const auto& fail : failures) {
    norm::Kernel kernel = sound;
    kernel.run = [=](const norm::KernelCall& call) { return ++*calls % 3 == 0 ? fail() : sound.run(call); };
    for (const LawRun& run : RunLaws(kernel, Options(20, 1, true))) {
      EXPECT_NE(run.state, State::kBroken) << Text(run);
      EXPECT_TRUE(run.state == State::kNotApplicable || run.not_asked > 0) << run.law;
    }
  }
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
}

// RapidCheck would drop keys that it does not know, and RunLaws reads no environment: neither may pass unnoticed.
TEST(Gate, RcParamsAreRefusedAndNeverReadByRunLaws) {
  const norm::Kernel kernel = FindKernel("honest:two-pass-f64").value();
  PropertyOptions options = Options(2, 1, true);
  EXPECT_TRUE(KeepsEveryLaw(kernel, options));
  ASSERT_EQ(setenv("RC_PARAMS", "max_succes=1 seed=5", 1), 0);
  const auto refused = KeepsEveryLaw(kernel, options);
  const auto drawn = Drawn(1);
  unsetenv("RC_PARAMS");
  EXPECT_FALSE(refused);
  EXPECT_NE(std::string(refused.message()).find("RC_PARAMS"), std::string::npos);
  EXPECT_TRUE(drawn == Drawn(1));
}

TEST(RunLaws, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  RunLaws(FindKernel("mutant:eps-after-root").value(), Options(50, 1, true));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// A6: no law hands a beta to a kernel that has none, however the case came about.
TEST(RunLaws, AKernelWithoutBetaGetsNone) {
  norm::Kernel kernel = norm::ProductionKernels()[1];
  kernel.beta = false;
  std::atomic<bool> given = false;
  kernel.run = [&given, run = kernel.run](const norm::KernelCall& call) {
    if (call.beta != nullptr) given = true;
    return run(call);
  };
  for (const LawRun& run : RunLaws(kernel, Options(20, 1, true))) EXPECT_NE(run.state, State::kBroken) << Text(run);
  EXPECT_FALSE(given);
}

}  // namespace
}  // namespace normcheck::properties

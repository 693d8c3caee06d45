// How a broken promise is shown again (D1): alone, after the fewest calls, in a run of itself, sometimes, never.
#include "properties/reproduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "norm/layer_norm.h"
#include "properties/random.h"
#include "properties/run_laws.h"

namespace normcheck::properties {
namespace {

// What a process of a kernel remembers.
struct State {
  std::uint64_t calls = 0;
  std::vector<std::size_t> widths = {};
};
using IsOff = std::function<bool(State&, const norm::KernelCall&)>;

// The production LayerNorm, whose first output is off by far where `off` says so of the process and the call.
norm::Kernel Started(const IsOff& off) {
  norm::Kernel kernel = norm::ProductionKernels().front();
  kernel.run = [off, state = std::make_shared<State>()](const norm::KernelCall& call) {
    const norm::CallResult result = norm::Normalize(call);
    ++state->calls;
    if (off(*state, call) && call.rows * call.width > 0) *static_cast<std::uint32_t*>(call.y) ^= 1u << 20;
    state->widths.push_back(call.width);
    return result;
  };
  return kernel;
}

Case Row(std::size_t width) {
  Case c = reference::MakeCase(norm::Op::kLayerNorm, {}, 1, width, 1e-5);
  for (std::size_t i = 0; i < width; ++i) c.x[i] = std::bit_cast<reference::Bits>(static_cast<float>(i + 1));
  return c;
}

// By counts: the same on every machine.
Suspicion Judged(const IsOff& off) {
  Suspicion suspicion = JudgeSuspicion([off] { return Started(off); });
  suspicion.time.reset();
  return suspicion;
}

std::vector<Case> Rows(std::initializer_list<std::size_t> widths) {
  std::vector<Case> rows;
  for (const std::size_t width : widths) rows.push_back(Row(width));
  return rows;
}

bool Saw(const State& state, std::size_t width) { return std::ranges::find(state.widths, width) != state.widths.end(); }

TEST(Reproduce, AKernelWithoutStateShowsItAlone) {
  const auto how = Reproduce(Judged([](State&, const norm::KernelCall& call) { return call.width == 7; }), Row(7), Rows({3, 5}));
  EXPECT_EQ(how.kind, Reproduced::kAlone);
  EXPECT_TRUE(how.before.empty());
  EXPECT_EQ(ReproductionText(how) + RepeatOptions(how), "");
}

TEST(Reproduce, AFaultOfFirstCallsAloneShowsItAlone) {
  EXPECT_EQ(Reproduce(Judged([](State& state, const norm::KernelCall&) { return state.calls == 1; }), Row(7)).kind, Reproduced::kAlone);
}

TEST(Reproduce, ACounterShowsInARunOfTheCaseAlone) {
  for (const std::uint64_t limit : {1u, 10u, 1000u}) {
    const Suspicion suspicion = Judged([limit](State& state, const norm::KernelCall&) { return state.calls > limit; });
    const auto how = Reproduce(suspicion, Row(7), Rows({3, 5, 9}));
    EXPECT_EQ(how.kind, Reproduced::kAfterCalls) << limit;
    EXPECT_TRUE(how.before.empty());
    EXPECT_EQ(how.repeat, limit + 1);
    EXPECT_TRUE(ShowsBy(suspicion, how, Row(9)));
    EXPECT_NE(ReproductionText(how).find("earlier calls"), std::string::npos);
  }
}

TEST(Reproduce, WhatNeedsOtherCallsCarriesTheFewestInTheirOrder) {
  const auto needs = [](State& state, const norm::KernelCall& call) { return call.width == 7 && Saw(state, 3) && Saw(state, 13); };
  std::vector<Case> earlier = Rows({3});
  for (std::size_t i = 0; i < 60; ++i) earlier.push_back(Row(20 + i));
  earlier.push_back(Row(13));
  for (std::size_t i = 0; i < 40; ++i) earlier.push_back(Row(20 + i));
  const auto how = Reproduce(Judged(needs), Row(7), earlier);
  EXPECT_EQ(how.kind, Reproduced::kAfterCalls);
  ASSERT_EQ(how.before.size(), 2u);
  EXPECT_EQ(how.before[0].width, 3u);
  EXPECT_EQ(how.before[1].width, 13u);
  EXPECT_TRUE(ShowsBy(Judged(needs), how, Row(7)));
  EXPECT_NE(ReproductionText(how).find("2 calls"), std::string::npos) << ReproductionText(how);
}

IsOff OnceIn(std::uint64_t many) {
  return [random = std::make_shared<Random>(Seed{7}), many](State&, const norm::KernelCall&) { return random->OneIn(many); };
}

TEST(Reproduce, ChanceHasARateAndRunsEnoughToShow) {
  for (const std::uint64_t many : {2u, 5u, 100u, 1000u}) {
    const Suspicion suspicion = Judged(OnceIn(many));
    const auto how = Reproduce(suspicion, Row(7), Rows({3, 5}));
    ASSERT_EQ(how.kind, Reproduced::kSometimes) << many;
    EXPECT_GT(how.broken, 0u);
    EXPECT_LT(how.broken, how.runs);
    EXPECT_GE(how.repeat, 5 * many);
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(ShowsBy(suspicion, how, Row(7))) << many;
    EXPECT_NE(ReproductionText(how).find("not repeatable"), std::string::npos);
  }
}

TEST(Reproduce, WhatOnlyTheFirstCallOfSomeProcessesShowsIsStartedAnewEachTime) {
  const auto starts = std::make_shared<std::uint64_t>(0);
  const IsOff off = [starts](State& state, const norm::KernelCall&) { return state.calls == 1 && ++*starts % 3 == 0; };
  const auto how = Reproduce(Judged(off), Row(7));
  ASSERT_EQ(how.kind, Reproduced::kSometimes);
  EXPECT_TRUE(how.restarts);
  EXPECT_TRUE(ShowsBy(Judged(off), how, Row(7)));
  EXPECT_NE(RepeatOptions(how).find("--restart"), std::string::npos);
}

TEST(Reproduce, WhatNeverShowsAgainIsSaidWithTheRunsThatWereTried) {
  const auto how = Reproduce(Judged([](State&, const norm::KernelCall&) { return false; }), Row(7), Rows({3}));
  EXPECT_EQ(how.kind, Reproduced::kNever);
  EXPECT_GE(how.runs, 100u);
  EXPECT_NE(ReproductionText(how).find("in 0 of "), std::string::npos);
}

TEST(Reproduce, BeatsThePulseBeforeEveryQuestion) {
  std::uint64_t questions = 0, pulses = 0;
  Suspicion suspicion = Judged([](State&, const norm::KernelCall&) { return true; });
  suspicion.shows = [&, shows = suspicion.shows](const norm::Kernel& kernel, const Case& c) { return ++questions, shows(kernel, c); };
  suspicion.pulse = [&] { ++pulses; };
  Reproduce(suspicion, Row(7));
  EXPECT_GT(questions, 20u);
  EXPECT_GE(pulses, questions);
}

// A law's fault of state, found in a run (D1, D2): the run of the laws says how its case shows it.
TEST(RunLaws, SaysHowFreshKernelsShowABrokenLaw) {
  const Law& judged = *std::ranges::find(Laws(), "judged", &Law::name);
  for (const std::uint64_t limit : {0u, 30u}) {
    PropertyOptions options;
    options.reproduce = true;
    options.fresh = [limit] { return Started([limit](State& state, const norm::KernelCall&) { return state.calls > limit; }); };
    const LawRun run = RunLaw(options.fresh(), judged, options);
    ASSERT_EQ(run.state, LawRun::State::kBroken);
    EXPECT_EQ(run.alone, limit == 0);
    EXPECT_EQ(run.how.repeat, limit + 1);
    EXPECT_TRUE(ShowsBy(LawSuspicion(options.fresh, judged), run.how, *run.shrunk));
    EXPECT_EQ(run.seen.find("earlier calls") == std::string::npos, limit == 0) << run.seen;
  }
}

}  // namespace
}  // namespace normcheck::properties

// The law of large calls: what it draws, what it catches in which row (FAULTS.md A1, A2, A3), and whom it leaves alone.
#include "properties/large_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "properties/kernels.h"
#include "properties/mutants/call_engine.h"
#include "properties/run_laws.h"
#include "reference/contract.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using State = LawRun::State;

const Law& LargeCallsLaw() { return *std::ranges::find(Laws(), "large-calls", &Law::name); }

// A sound kernel but for one row of a call of `from` and larger, which is scaled by `factor`.
struct Fault {
  CallSize from;
  std::size_t row = 0;
  double factor = 1.001;
};

norm::Kernel Faulty(const Fault& fault) {
  CallParts parts;
  parts.statistics = [fault](const norm::KernelCall& call, std::size_t row, std::span<const double> x) {
    RowStatistics s = HonestStatistics(call.op, call.epsilon, x);
    const bool reached = call.rows >= fault.from.rows && call.width >= fault.from.width;
    if (reached && row == fault.row % call.rows) s.inv_root *= fault.factor;
    return s;
  };
  norm::Kernel kernel = CallMutant("faulty", "a test's own", parts);
  kernel.formats = {norm::Formats{}};
  return kernel;
}

LawRun RunLargeCalls(const norm::Kernel& kernel, std::optional<reference::Contract> contract = {}, int cases = 200, bool shrink = true) {
  PropertyOptions options;
  options.contract = contract;
  options.cases = cases;
  options.shrink = shrink;
  return RunLaw(kernel, LargeCallsLaw(), options);
}

reference::Contract RowUlp4() { return reference::ParseContract("row-ulp:4").value(); }

TEST(LargeCalls, CatchAFaultOfOneRowFromEveryCornerOn) {
  for (const Fault& fault : {Fault{{257, 1024}, 256}, Fault{{1024, 512}, 777}, Fault{{65536, 9}, 31000}, Fault{{65537, 1}, 65536}})
    EXPECT_EQ(RunLargeCalls(Faulty(fault), RowUlp4(), 200, false).state, State::kBroken) << fault.from.rows << " x " << fault.from.width;
}

TEST(LargeCalls, AreShrunkToTheCornerAndBreakTheLawAgain) {
  for (const Fault& fault : {Fault{{13, 67}, 5}, Fault{{1, 53248}, 0}, Fault{{2, 8192}, 1}}) {
    const LawRun run = RunLargeCalls(Faulty(fault), RowUlp4());
    ASSERT_EQ(run.state, State::kBroken) << fault.from.rows << " x " << fault.from.width;
    EXPECT_LE(run.shrunk->rows, fault.from.rows);
    EXPECT_LE(run.shrunk->width, fault.from.width + 1);
    EXPECT_EQ(CheckLaw(Faulty(fault), LargeCallsLaw(), *run.shrunk).state, LawResult::State::kBroken);
  }
}

// Within a loose contract only the bits tell; the row is named.
TEST(LargeCalls, NameTheRowWhoseBitsDependOnTheCall) {
  const LawRun run = RunLargeCalls(Faulty({{100, 70}, 99, 1 + 0x1p-23}), RowUlp4());
  ASSERT_EQ(run.state, State::kBroken);
  EXPECT_TRUE(run.seen.starts_with("row 99 of 100 x 70 differs from the same row ")) << run.seen;
}

TEST(LargeCalls, LeaveAKernelWhoseSumsDependOnTheBatchToItsContract) {
  norm::Kernel kernel = Faulty({{100, 70}, 99, 1 + 0x1p-23});
  kernel.batch_dependent = true;
  EXPECT_EQ(RunLargeCalls(kernel, RowUlp4(), 20).state, State::kKept);
  kernel.run = Faulty({{100, 70}, 99, 1.001}).run;
  EXPECT_EQ(RunLargeCalls(kernel, RowUlp4()).state, State::kBroken);
}

TEST(LargeCalls, SeeAFaultOfCallsInPlace) {
  const norm::Kernel sound = Faulty({{1, 1}, 0, 1});
  norm::Kernel kernel = sound;
  kernel.run = [sound](const norm::KernelCall& call) {
    const norm::CallResult result = sound.run(call);
    if (call.x == call.y && call.rows >= 5 && call.width >= 300) static_cast<float*>(call.y)[call.width] += 1;
    return result;
  };
  const LawRun run = RunLargeCalls(kernel);
  ASSERT_EQ(run.state, State::kBroken);
  EXPECT_NE(run.seen.find("in place"), std::string::npos) << run.seen;
}

TEST(LargeCalls, AreNoCauseOfStateThatTheCaseAloneDoesNotShow) {
  const auto make = [] {
    norm::Kernel kernel = Faulty({{1, 1}, 0, 1});
    kernel.run = [sound = kernel.run, wrong = Faulty({{13, 67}, 1}).run, calls = std::make_shared<int>(0)](const norm::KernelCall& call) {
      return ++*calls > 40 ? wrong(call) : sound(call);
    };
    return kernel;
  };
  PropertyOptions options;
  options.fresh = make;
  options.shrink = false;
  const LawRun run = RunLaw(make(), LargeCallsLaw(), options);
  ASSERT_EQ(run.state, State::kBroken);
  EXPECT_FALSE(run.alone);
}

TEST(LargeCalls, GiveUpWhereTheKernelSupportsNone) {
  norm::Kernel kernel = Faulty({{1, 1}, 0, 1});
  kernel.run = [](const norm::KernelCall&) { return norm::CallResult{norm::CallStatus::kUnsupported, {}, {}}; };
  EXPECT_EQ(RunLargeCalls(kernel, {}, 10).state, State::kGaveUp);
}

TEST(LargeCalls, OfARoundReachEveryCornerForEachOpAndEveryFormat) {
  norm::Kernel kernel = FindKernel("honest:two-pass-f64").value();
  Random random(Seed{1});
  const auto calls = LargeCallsOf(kernel, random);
  for (norm::Op op : kernel.ops) {
    std::set<std::size_t> formats;
    std::size_t widest = 0;
    for (const LargeCall& call : calls) {
      if (call.op != op) continue;
      formats.insert(static_cast<std::size_t>(std::ranges::find(kernel.formats, call.formats) - kernel.formats.begin()));
      if (call.size.rows >= 1024 && call.formats == norm::Formats{}) widest = std::max(widest, call.size.width);
    }
    EXPECT_EQ(formats.size(), kernel.formats.size());
    EXPECT_GE(widest, kLargestCorner / 1024);
  }
  kernel.kind = norm::Kind::kPlugIn;
  kernel.name = "exec:./slow";
  EXPECT_EQ(LargeCallsOf(kernel, random).size(), 1u);
}

TEST(LargeCalls, AreDrawnWithRowsThatDiffer) {
  for (norm::Format format : {norm::Format::kF32, norm::Format::kF16, norm::Format::kBf16}) {
    const LargeCall call = {norm::Op::kLayerNorm, {format, format, format}, {2000, 70}, Seed{4}};
    const Case c = DrawLargeCall(FindKernel("layer_norm").value(), call);
    EXPECT_EQ(c, DrawLargeCall(FindKernel("layer_norm").value(), call));
    std::map<std::vector<reference::Bits>, int> rows;
    for (std::size_t row = 0; row < c.rows; ++row) {
      const auto first = c.x.begin() + static_cast<std::ptrdiff_t>(row * c.width);
      ++rows[{first, first + static_cast<std::ptrdiff_t>(c.width)}];
    }
    EXPECT_GE(rows.size(), c.rows * 9 / 10);  // constant rows take few values
    EXPECT_TRUE(std::ranges::all_of(c.x, [&](reference::Bits bits) { return reference::IsFinite(bits, format); }));
  }
}

TEST(LargeCalls, HaveNoBetaWhereTheKernelHasNone) {
  norm::Kernel kernel = FindKernel("rms_norm").value();
  kernel.beta = false;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    EXPECT_FALSE(DrawLargeCall(kernel, {norm::Op::kRmsNorm, {}, {16, 64}, Seed{seed}}).beta);
}

// A round's mutants die of nothing else.
TEST(LargeMutants, DieOfLargeCallsAlone) {
  for (const char* name : {"mutant:batch-of-long-rows", "mutant:last-of-tile", "mutant:workspace-of-256-rows", "mutant:sums-stop-at-8192",
                           "mutant:squares-stop-at-32768"}) {
    PropertyOptions options;
    options.all = true;
    options.shrink = false;
    for (const LawRun& run : RunLaws(FindKernel(name).value(), options))
      EXPECT_EQ(run.state == State::kBroken, run.law == "large-calls") << name << ": " << run.law << ": " << run.seen;
  }
}

// CASES2.md n16: 32,768 ones and 20,480 threes.
TEST(LargeMutants, SquaresStopAsReported) {
  reference::Case c = reference::MakeCase(norm::Op::kRmsNorm, {}, 1, 53248, 1e-5);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = reference::BitsOf(i < 32768 ? 1 : 3, norm::Format::kF32);
  const auto got = reference::RunKernel(FindKernel("mutant:squares-stop-at-32768").value(), c, {});
  EXPECT_NEAR(reference::ValueOf(got.y.back(), norm::Format::kF32), 3.824, 1e-3);
  EXPECT_NEAR(reference::ValueOf(reference::RunKernel(FindKernel("rms_norm").value(), c, {}).y.back(), norm::Format::kF32), 1.48578143, 2e-5);
}

}  // namespace
}  // namespace normcheck::properties

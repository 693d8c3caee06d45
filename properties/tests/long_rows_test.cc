// Sizes that are slow to run, and the mutants that only they kill: 2^23 + 3 narrow rows, one row of 2^24 + 3 elements, rows whose offsets pass 2^32 (CASES.md 21, 65, 66).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "norm/harness_fault.h"
#include "properties/kernels.h"
#include "properties/run_laws.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;

KernelCall CallOf(norm::Op op, const std::vector<float>& x, std::size_t width, std::vector<float>& y) {
  KernelCall call;
  call.op = op;
  call.rows = x.size() / width;
  call.width = call.x_pitch = call.y_pitch = width;
  call.epsilon = 1e-5;
  call.x = x.data();
  call.y = y.data();
  return call;
}

// Rows repeat with a period, so each must have the bits of the first of its kind; the number of elements that have not.
std::size_t WrongOfManyRows(const norm::Kernel& kernel, norm::Op op) {
  constexpr std::size_t kRows = (std::size_t{1} << 23) + 3, kWidth = 5, kPeriod = 7;
  constexpr std::size_t kRoom = 64;  // for a mutant that stores past the end
  std::vector<float> x(kRows * kWidth), y(x.size() + kRoom, NAN), few(kPeriod * kWidth, NAN);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i / kWidth % kPeriod * 3 + (i % kWidth) * (i % kWidth));
  const std::vector<float> first(x.begin(), x.begin() + kPeriod * kWidth);
  EXPECT_TRUE(kernel.run(CallOf(op, x, kWidth, y)).ok());
  EXPECT_TRUE(kernel.run(CallOf(op, first, kWidth, few)).ok());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    wrong += std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(few[i % (kPeriod * kWidth)]);
  return wrong;
}

TEST(ManyRows, TwoToTheTwentyThirdAndThreeOfFive) {
  for (norm::Op op : norm::kProductionOps) EXPECT_EQ(WrongOfManyRows(FindKernel(NameOf(op)).value(), op), 0u);
}

// 1 and 3 in turn, one more 1: mean = 2 - 1/H, var = 1 - 1/H^2, in closed form.
std::size_t WrongOfLongRow(const norm::Kernel& kernel) {
  constexpr std::size_t kWidth = (std::size_t{1} << 24) + 3;
  std::vector<float> x(kWidth), y(kWidth, NAN);
  for (std::size_t i = 0; i < kWidth; ++i) x[i] = i % 2 == 0 ? 1 : 3;
  EXPECT_TRUE(kernel.run(CallOf(norm::Op::kLayerNorm, x, kWidth, y)).ok());
  const double h = static_cast<double>(kWidth);
  const double root = std::sqrt(1 - 1 / (h * h) + 1e-5);
  const float ones = static_cast<float>((-1 + 1 / h) / root), threes = static_cast<float>((1 + 1 / h) / root);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kWidth; ++i) wrong += y[i] == (i % 2 == 0 ? ones : threes) ? 0 : 1;
  return wrong;
}

TEST(LongRow, TwoToTheTwentyFourthAndThreeElements) { EXPECT_EQ(WrongOfLongRow(FindKernel("layer_norm").value()), 0u); }

TEST(LongMutants, DieOfTheSizesThatTheirEngineStands) {
  const norm::Kernel engine = FindKernel("honest:two-pass-f64").value();
  EXPECT_EQ(WrongOfLongRow(engine), 0u);
  EXPECT_GT(WrongOfLongRow(FindKernel("mutant:width-counted-in-float").value()), std::size_t{1} << 23);
  EXPECT_EQ(WrongOfManyRows(engine, norm::Op::kRmsNorm), 0u);
  EXPECT_GT(WrongOfManyRows(FindKernel("mutant:row-offset-in-float").value(), norm::Op::kRmsNorm), std::size_t{1} << 23);
}

// What makes them mutant-long: no case of the laws is large enough.
TEST(LongMutants, LiveThroughTheLaws) {
  int seen = 0;
  for (const norm::Kernel& mutant : Mutants()) {
    if (mutant.kind != norm::Kind::kMutantLong) continue;
    ++seen;
    PropertyOptions options;
    options.all = true;
    for (const LawRun& run : RunLaws(mutant, options)) EXPECT_NE(run.state, LawRun::State::kBroken) << mutant.name << ": " << run.law << ": " << run.seen;
  }
  EXPECT_EQ(seen, 4);
}

// Three rows of f16, 2^31 + 1 elements apart: offsets in elements pass 2^32, in bytes 2^33.
TEST(WidePitch, OffsetsPassTwoToTheThirtyTwo) {
  for (norm::Op op : norm::kProductionOps) {
    reference::Case c = reference::MakeCase(op, {norm::Format::kF16, norm::Format::kF32, norm::Format::kF16}, 3, 17, 1e-5);
    for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = reference::BitsOf(static_cast<double>(i * i % 11), norm::Format::kF16);
    const norm::Kernel kernel = FindKernel(NameOf(op)).value();
    const auto dense = reference::RunKernel(kernel, c, {});
    c.x_pitch = c.y_pitch = (std::size_t{1} << 31) + 1;
    reference::Outputs wide;
    try {
      wide = reference::RunKernel(kernel, c, {});
    } catch (const norm::HarnessFault& fault) {
      GTEST_SKIP() << fault.what();
    }
    ASSERT_TRUE(wide.result.ok());
    EXPECT_EQ(wide.y, dense.y);
    EXPECT_EQ(wide.trespass + wide.changed_input, "");
  }
}

}  // namespace
}  // namespace normcheck::properties

// Sizes that are slow to run: 2^23 + 3 narrow rows, one row of 2^24 + 3 elements, rows whose offsets pass 2^32 (CASES.md 21, 65, 66).
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "norm/layer_norm.h"
#include "properties/kernels.h"
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

// Rows repeat with a period, so each must have the bits of the first of its kind.
TEST(ManyRows, TwoToTheTwentyThirdAndThreeOfFive) {
  constexpr std::size_t kRows = (std::size_t{1} << 23) + 3, kWidth = 5, kPeriod = 7;
  for (norm::Op op : norm::kOps) {
    std::vector<float> x(kRows * kWidth), y(x.size(), NAN), few(kPeriod * kWidth, NAN);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i / kWidth % kPeriod * 3 + (i % kWidth) * (i % kWidth));
    const std::vector<float> first(x.begin(), x.begin() + kPeriod * kWidth);
    ASSERT_TRUE(norm::Normalize(CallOf(op, x, kWidth, y)).ok());
    ASSERT_TRUE(norm::Normalize(CallOf(op, first, kWidth, few)).ok());
    std::size_t different = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      different += std::bit_cast<std::uint32_t>(y[i]) != std::bit_cast<std::uint32_t>(few[i % (kPeriod * kWidth)]);
    EXPECT_EQ(different, 0u);
  }
}

// 1 and 3 in turn, one more 1: mean = 2 - 1/H, var = 1 - 1/H^2, in closed form.
TEST(LongRow, TwoToTheTwentyFourthAndThreeElements) {
  constexpr std::size_t kWidth = (std::size_t{1} << 24) + 3;
  std::vector<float> x(kWidth), y(kWidth, NAN);
  for (std::size_t i = 0; i < kWidth; ++i) x[i] = i % 2 == 0 ? 1 : 3;
  ASSERT_TRUE(norm::Normalize(CallOf(norm::Op::kLayerNorm, x, kWidth, y)).ok());
  const double h = static_cast<double>(kWidth);
  const double root = std::sqrt(1 - 1 / (h * h) + 1e-5);
  const float ones = static_cast<float>((-1 + 1 / h) / root), threes = static_cast<float>((1 + 1 / h) / root);
  std::size_t different = 0;
  for (std::size_t i = 0; i < kWidth; ++i) different += y[i] != (i % 2 == 0 ? ones : threes);
  EXPECT_EQ(different, 0u);
}

// Three rows of f16, 2^31 + 1 elements apart: offsets in elements pass 2^32, in bytes 2^33.
TEST(WidePitch, OffsetsPassTwoToTheThirtyTwo) {
  for (norm::Op op : norm::kOps) {
    reference::Case c = reference::MakeCase(op, {norm::Format::kF16, norm::Format::kF32, norm::Format::kF16}, 3, 17, 1e-5);
    for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = reference::BitsOf(static_cast<double>(i * i % 11), norm::Format::kF16);
    const norm::Kernel kernel = FindKernel(NameOf(op)).value();
    const auto dense = reference::RunKernel(kernel, c, {});
    c.x_pitch = c.y_pitch = (std::size_t{1} << 31) + 1;
    const auto wide = reference::RunKernel(kernel, c, {});
    if (wide.result.argument == "rows") GTEST_SKIP() << "no address space for the pitch";
    ASSERT_TRUE(wide.result.ok());
    EXPECT_EQ(wide.y, dense.y);
    EXPECT_TRUE(wide.padding_intact && wide.inputs_intact);
  }
}

}  // namespace
}  // namespace normcheck::properties

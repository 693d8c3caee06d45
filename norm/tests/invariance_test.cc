// Bits that must not change: across targets, alignments, batches, pitches, in place; and memory that must not be touched.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

TestCall RandomCall(Op op, const Formats& formats, std::size_t width, std::size_t rows = 1) {
  return {.op = op, .formats = formats, .epsilon = 1e-5, .x = RandomValues(width * rows, width, 3, 2),
          .gamma = RandomValues(width, width + 1), .beta = RandomValues(width, width + 2), .rows = rows};
}

// 1, and around 1, 2, 4, 8, 16, 32 lanes: N-1, N, N+1, 4N/3, 8N+2; around the chunk of 1024.
std::vector<std::size_t> Widths() {
  std::vector<std::size_t> widths = {1, 2, 3, 1023, 1024, 1025, 2048 + 31};
  for (std::size_t lanes : {4u, 8u, 16u, 32u})
    for (std::size_t width : {lanes - 1, lanes, lanes + 1, 4 * lanes / 3, 8 * lanes + 2}) widths.push_back(width);
  return widths;
}

std::vector<std::uint32_t> AllBits(const TestOutputs& outputs, std::size_t count) {
  std::vector<std::uint32_t> bits(count);
  for (std::size_t i = 0; i < count; ++i) bits[i] = outputs.y.Bits(i);
  return bits;
}

TEST(Invariance, EveryTargetAndAlignmentGivesTheScalarBits) {
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (std::size_t width : Widths()) {
        const TestCall call = RandomCall(op, formats, width);
        const TestOutputs want = RunOn(Targets().back(), call);
        for (std::string_view target : Targets())
          for (std::size_t skew = 0; skew < 16; ++skew) {
            const TestOutputs got = RunOn(target, call, skew);
            ASSERT_TRUE(got.result.ok());
            ASSERT_EQ(AllBits(got, width), AllBits(want, width)) << target << " width " << width << " skew " << skew;
            ASSERT_EQ(got.mean, want.mean) << target << width;
            ASSERT_EQ(got.inv_std_dev, want.inv_std_dev) << target << width;
            for (std::size_t i = 0; i < skew * TraitsOf(formats.y).bytes; ++i) ASSERT_EQ(got.y.bytes()[i], 0xee) << "wrote before y";
          }
      }
}

// The fast tier's bits may differ from target to target, and with nothing else.
TEST(Invariance, FastBitsDoNotDependOnAlignment) {
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (std::size_t width : Widths())
        for (std::string_view target : Targets()) {
          const TestCall call = RandomCall(op, formats, width);
          const TestOutputs want = RunOn(target, call, 0, &NormalizeFastOn);
          for (std::size_t skew : {1u, 3u, 7u, 15u}) {
            const TestOutputs got = RunOn(target, call, skew, &NormalizeFastOn);
            ASSERT_TRUE(got.result.ok());
            ASSERT_EQ(AllBits(got, width), AllBits(want, width)) << target << " width " << width << " skew " << skew;
            ASSERT_EQ(got.inv_std_dev, want.inv_std_dev) << target << width;
            for (std::size_t i = 0; i < skew * TraitsOf(formats.y).bytes; ++i) ASSERT_EQ(got.y.bytes()[i], 0xee) << "wrote before y";
          }
        }
}

CallResult WithoutStatistics(std::string_view target, const KernelCall& call, RunFunction run) {
  KernelCall y_alone = call;
  y_alone.mean = y_alone.inv_std_dev = nullptr;
  return run(target, y_alone);
}

void ExpectStatisticsChangeNoBit(const TestCall& call, RunFunction run, RunFunction y_alone) {
  const std::size_t elements = call.x.size();
  for (std::string_view target : Targets())
    ASSERT_EQ(AllBits(RunOn(target, call, 0, run), elements), AllBits(RunOn(target, call, 0, y_alone), elements))
        << target << " width " << elements / call.rows;
}

// Beside ordinary rows those of equal values, with gamma and beta of negative zeros: a zero has two signs.
TEST(Invariance, StatisticsThatAreAskedForChangeNoBitOfY) {
  const RunFunction exact = [](std::string_view target, const KernelCall& call) { return WithoutStatistics(target, call, &NormalizeOn); };
  const RunFunction fast = [](std::string_view target, const KernelCall& call) { return WithoutStatistics(target, call, &NormalizeFastOn); };
  for (Op op : kOps)
    for (const Formats& formats : ProductionFormats())
      for (std::size_t width : {1u, 5u, 33u, 1025u})
        for (bool equal : {false, true}) {
          TestCall call = RandomCall(op, formats, width, 3);
          if (equal) std::fill(call.x.begin(), call.x.end(), 0.0);
          if (equal) call.gamma = call.beta = std::vector<double>(width, -0.0);
          ExpectStatisticsChangeNoBit(call, &NormalizeOn, exact);
          ExpectStatisticsChangeNoBit(call, &NormalizeFastOn, fast);
        }
}

void ExpectRowsAloneGiveTheBatch(std::string_view target, const TestCall& batch, RunFunction run) {
  const std::size_t width = batch.x.size() / batch.rows;
  const TestOutputs together = RunOn(target, batch, 0, run);
  for (std::size_t row = 0; row < batch.rows; ++row) {
    TestCall single = batch;
    single.rows = 1;
    single.x.assign(batch.x.begin() + static_cast<std::ptrdiff_t>(row * width), batch.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
    const TestOutputs alone = RunOn(target, single, 0, run);
    for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(together.y.Bits(row * width + i), alone.y.Bits(i)) << target;
    ASSERT_EQ(together.inv_std_dev[row], alone.inv_std_dev[0]);
    ASSERT_EQ(together.mean[row], alone.mean[0]);
  }
}

// Rows of every path of the fast tier between one another: ordinary, offset, equal values.
TEST(Invariance, ARowDoesNotDependOnItsBatch) {
  constexpr std::size_t kRows = 11;
  for (Op op : kProductionOps)
    for (const Formats& formats : {Formats{}, Formats{Format::kF16, Format::kF32, Format::kF16}, Formats{Format::kBf16, Format::kBf16, Format::kF32}})
      for (std::size_t width : {7u, 64u, 1025u})
        for (std::string_view target : Targets())
          for (RunFunction run : kTiers) {
            TestCall batch = RandomCall(op, formats, width, kRows);
            for (std::size_t i = 0; i < width; ++i) batch.x[2 * width + i] += 30000, batch.x[5 * width + i] = 0.1, batch.x[7 * width + i] *= 0x1p-30;
            ExpectRowsAloneGiveTheBatch(target, batch, run);
          }
}

// Row ranges on several threads at once: the bits of one call.
TEST(Invariance, RowRangesOnThreadsGiveTheBitsOfOneCall) {
  constexpr std::size_t kRows = 203, kWidth = 300, kThreads = 4;
  for (Op op : kProductionOps)
    for (Format format : kFormats)
      for (RunFunction run : kTiers) {
        const TestCall test = RandomCall(op, {format, Format::kF32, format}, kWidth, kRows);
        const std::string_view target = Targets().front();
        const TestOutputs want = RunOn(target, test, 0, run);
        TestArray x(format, test.x), gamma(Format::kF32, test.gamma), beta(Format::kF32, test.beta), y(format, kRows * kWidth);
        const std::size_t bytes = kWidth * TraitsOf(format).bytes;
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < kThreads; ++t)
          threads.emplace_back([&, t] {
            const std::size_t first = kRows * t / kThreads, last = kRows * (t + 1) / kThreads;
            KernelCall part = {op, test.formats, last - first, kWidth, kWidth, kWidth, test.epsilon, static_cast<char*>(x.data()) + first * bytes, gamma.data(), beta.data()};
            part.y = static_cast<char*>(y.data()) + first * bytes;
            EXPECT_TRUE(run(target, part).ok());
          });
        for (std::thread& thread : threads) thread.join();
        ASSERT_EQ(y.bytes(), want.y.bytes()) << TraitsOf(format).name;
      }
}

TEST(Invariance, InPlaceEqualsOutOfPlace) {
  for (Op op : kProductionOps)
    for (Format format : kFormats)
      for (std::size_t width : {1u, 33u, 2500u})
        for (bool special_params : {false, true})
          for (const auto& [target, run] : TargetsAndTiers()) {
            TestCall test = RandomCall(op, {format, Format::kF32, format}, width, 2);
            if (special_params) test.gamma[width / 2] = test.gamma[width - 1] = kInf;
            const TestOutputs want = RunOn(target, test, 0, run);
            TestArray data(format, test.x);
            TestArray gamma(Format::kF32, test.gamma);
            TestArray beta(Format::kF32, test.beta);
            KernelCall call = {op, test.formats, 2, width, width, width, test.epsilon};
            call.x = call.y = data.data();
            call.gamma = gamma.data();
            call.beta = beta.data();
            ASSERT_TRUE(run(target, call).ok());
            ASSERT_EQ(data.bytes(), want.y.bytes()) << target << width;
          }
}

TEST(Invariance, PitchChangesNothingAndItsGapsStayUntouched) {
  constexpr std::size_t kRows = 3, kXPitch = 45, kYPitch = 51;
  for (const Formats& formats : ProductionFormats())
    for (std::size_t width : {1u, 37u, 45u})
      for (const auto& [target, run] : TargetsAndTiers()) {
        const TestCall test = RandomCall(Op::kLayerNorm, formats, width, kRows);
        const TestOutputs want = RunOn(target, test, 0, run);
        std::vector<double> pitched(kRows * kXPitch, kNaN);
        for (std::size_t i = 0; i < kRows * width; ++i) pitched[i / width * kXPitch + i % width] = test.x[i];
        TestArray x(formats.x, pitched);
        TestArray gamma(formats.params, test.gamma);
        TestArray beta(formats.params, test.beta);
        TestArray y(formats.y, kRows * kYPitch);
        KernelCall call = {test.op, formats, kRows, width, kXPitch, kYPitch, test.epsilon, x.data(), gamma.data(), beta.data(), y.data()};
        ASSERT_TRUE(run(target, call).ok());
        const std::uint32_t untouched = TraitsOf(formats.y).bytes == 4 ? 0xeeeeeeee : 0xeeee;
        for (std::size_t row = 0; row < kRows; ++row)
          for (std::size_t i = 0; i < kYPitch; ++i)
            ASSERT_EQ(y.Bits(row * kYPitch + i), i < width ? want.y.Bits(row * width + i) : untouched) << target << i;
      }
}

TEST(Invariance, AbsentParamsEqualOnesAndZeros) {
  for (Op op : kProductionOps)
    for (const auto& [target, run] : TargetsAndTiers()) {
      TestCall present = RandomCall(op, {}, 1100);
      std::fill(present.gamma.begin(), present.gamma.end(), 1.0);
      std::fill(present.beta.begin(), present.beta.end(), 0.0);
      TestCall absent = present;
      absent.gamma.clear();
      absent.beta.clear();
      ASSERT_EQ(RunOn(target, present, 0, run).y.bytes(), RunOn(target, absent, 0, run).y.bytes()) << target;
    }
}

TEST(Targets, EndInScalarAndHoldTheBestFirst) {
  const auto targets = Targets();
  ASSERT_GE(targets.size(), 1u);
  EXPECT_TRUE(targets.back() == "SCALAR" || targets.back() == "EMU128") << targets.back();
  const TestCall call = RandomCall(Op::kLayerNorm, {}, 100);
  TestArray x({}, call.x);
  TestArray y({}, 100);
  KernelCall plain = {Op::kLayerNorm, {}, 1, 100, 100, 100, call.epsilon, x.data(), nullptr, nullptr, y.data()};
  ASSERT_TRUE(Normalize(plain).ok());
  TestCall bare = call;
  bare.gamma.clear();
  bare.beta.clear();
  EXPECT_EQ(y.bytes(), RunOn(targets.front(), bare).y.bytes());
}

// 64 MiB and more with aligned rows go past the caches, and their x is fetched ahead.
TEST(Invariance, CallsBeyondTheCachesGiveTheSameBits) {
  constexpr std::size_t kRows = 8200, kWidth = 1027, kPitch = 1040, kLine = 16;
  std::vector<float> x(kRows * kPitch), y(kRows * kPitch + kLine), alone(kWidth);
  Lcg lcg(5);
  for (float& value : x) value = static_cast<float>(lcg.Uniform());
  float* aligned = y.data();
  while (reinterpret_cast<std::uintptr_t>(aligned) % 64 != 0) ++aligned;
  for (const auto& [target, run] : TargetsAndTiers()) {
    std::ranges::fill(y, -7.0f);
    KernelCall call = {Op::kLayerNorm, {}, kRows, kWidth, kPitch, kPitch, 1e-5, x.data()};
    call.y = aligned;
    ASSERT_TRUE(run(target, call).ok());
    for (std::size_t row : {std::size_t{0}, std::size_t{1}, std::size_t{4097}, kRows - 1}) {
      KernelCall one = call;
      one.rows = 1;
      one.x = x.data() + row * kPitch;
      one.y = alone.data();
      ASSERT_TRUE(run(target, one).ok());
      EXPECT_EQ(std::memcmp(alone.data(), aligned + row * kPitch, kWidth * sizeof(float)), 0) << target << " row " << row;
      EXPECT_EQ(aligned[row * kPitch + kWidth], -7.0f);
    }
  }
}

}  // namespace
}  // namespace normcheck::norm

// Tests of runs: what a kernel gets, what comes back, and every trespass that has to be seen.
#include "reference/outputs.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "norm/harness_fault.h"
#include "reference/number.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define NORMCHECK_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NORMCHECK_ASAN 1
#endif
#endif

namespace normcheck::reference {
namespace {

using norm::Kernel;
using norm::KernelCall;

Kernel Running(std::function<void(const KernelCall&)> body) {
  Kernel kernel;
  kernel.run = [body](const KernelCall& call) {
    body(call);
    return norm::CallResult{};
  };
  return kernel;
}

std::uint16_t* Halves(void* y) { return static_cast<std::uint16_t*>(y); }

// Writes x + r into every y of the half format, and r into the statistics.
void CopyBits(const KernelCall& call) {
  const auto* x = static_cast<const std::uint16_t*>(call.x);
  for (std::size_t r = 0; r < call.rows; ++r) {
    for (std::size_t i = 0; i < call.width; ++i)
      Halves(call.y)[r * call.y_pitch + i] = static_cast<std::uint16_t>(x[r * call.x_pitch + i] + r);
    if (call.mean != nullptr) call.mean[r] = static_cast<float>(r);
    if (call.inv_std_dev != nullptr) call.inv_std_dev[r] = 0.5f;
  }
}

Case HalfCase(std::size_t rows, std::size_t width) {
  Case c = MakeCase(Op::kLayerNorm, {Format::kF16, Format::kF16, Format::kF16}, rows, width, 1);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = static_cast<Bits>(100 + i);
  return c;
}

TEST(RunKernel, GivesBackWhatTheKernelWrote) {
  Case c = HalfCase(2, 3);
  c.x_pitch = 5;
  c.y_pitch = 4;
  const Outputs out = RunKernel(Running(CopyBits), c, {});
  EXPECT_EQ(out.y, (std::vector<Bits>{100, 101, 102, 104, 105, 106}));
  EXPECT_EQ(out.mean, (std::vector<float>{0, 1}));
  EXPECT_EQ(out.inv_std_dev, (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(out.trespass, "");
  EXPECT_TRUE(out.changed_input.empty());
  EXPECT_EQ(out.mxcsr_after, out.mxcsr_before);
}

TEST(RunKernel, UnwrittenElementsKeepThePoison) {
  for (const Format format : norm::kFormats) {
    const Case c = MakeCase(Op::kLayerNorm, {format, format, format}, 1, 2, 1);
    const Outputs out = RunKernel(Running([](const KernelCall&) {}), c, {});
    EXPECT_EQ(out.y, std::vector<Bits>(2, PoisonBits(format)));
    EXPECT_EQ(std::bit_cast<Bits>(out.mean[0]), PoisonBits(Format::kF32));
    EXPECT_EQ(std::bit_cast<Bits>(out.inv_std_dev[0]), PoisonBits(Format::kF32));
  }
}

TEST(PoisonBits, AreSignallingNans) {
  for (const Format format : norm::kFormats) {
    EXPECT_TRUE(IsNan(PoisonBits(format), format));
    const Bits quiet = Bits{1} << (norm::TraitsOf(format).precision - 2);
    EXPECT_EQ(PoisonBits(format) & quiet, 0u);
  }
}

TEST(RunKernel, HandsOverTheCaseAsItIs) {
  Case c = HalfCase(1, 2);
  c.beta = std::vector<Bits>{7, 8};
  c.y_pitch = 9;
  RunKernel(Running([&](const KernelCall& call) {
              EXPECT_EQ(call.op, c.op);
              EXPECT_EQ(call.formats, c.formats);
              EXPECT_EQ(call.epsilon, 1);
              EXPECT_EQ(call.x_pitch, 2u);
              EXPECT_EQ(call.y_pitch, 9u);
              EXPECT_EQ(call.gamma, nullptr);
              EXPECT_EQ(static_cast<const std::uint16_t*>(call.beta)[1], 8);
            }),
            c, {});
}

TEST(RunKernel, PlacesEveryPointerAtTheMisalignment) {
  Case c = HalfCase(2, 3);
  c.gamma = c.beta = std::vector<Bits>(3, 1);
  for (const std::size_t misalign : {0u, 1u, 7u, 31u}) {
    const auto offset = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 64; };
    RunKernel(Running([&](const KernelCall& call) {
                for (const void* pointer : {call.x, call.gamma, call.beta, static_cast<const void*>(call.y)})
                  EXPECT_EQ(offset(pointer), misalign * 2 % 64);
                EXPECT_EQ(offset(call.mean), misalign * 4 % 64);
                EXPECT_EQ(offset(call.inv_std_dev), misalign * 4 % 64);
              }),
              c, {.misalign = misalign});
  }
}

TEST(RunKernel, AsksForTheStatisticsThatAreThere) {
  const auto asked = [](Op op, bool option, bool supported) {
    Case c = HalfCase(1, 1);
    c.op = op;
    int pointers = 0;
    Kernel kernel = Running([&](const KernelCall& call) { pointers = (call.mean != nullptr) * 10 + (call.inv_std_dev != nullptr); });
    kernel.statistics = supported;
    RunKernel(kernel, c, {.statistics = option});
    return pointers;
  };
  EXPECT_EQ(asked(Op::kLayerNorm, true, true), 11);
  EXPECT_EQ(asked(Op::kRmsNorm, true, true), 1);
  EXPECT_EQ(asked(Op::kLayerNorm, false, true), 0);
  EXPECT_EQ(asked(Op::kLayerNorm, true, false), 0);
}

TEST(RunKernel, InPlaceIsOnePointer) {
  const Case c = HalfCase(2, 3);
  const Outputs out = RunKernel(Running([](const KernelCall& call) {
                                  EXPECT_EQ(call.x, call.y);
                                  CopyBits(call);
                                }),
                                c, {.in_place = true});
  EXPECT_EQ(out.y, (std::vector<Bits>{100, 101, 102, 104, 105, 106}));
  EXPECT_TRUE(out.changed_input.empty());
  Case pitched = c;
  pitched.y_pitch = 4;
  EXPECT_EQ(RunKernel(Running(CopyBits), pitched, {.in_place = true}).result.argument, "in_place");
}

TEST(RunKernel, SeesWritesIntoThePadding) {
  Case c = HalfCase(2, 3);
  c.y_pitch = 4;
  EXPECT_NE(RunKernel(Running([](const KernelCall& call) { Halves(call.y)[3] = 1; }), c, {}).trespass, "");
  c.y_pitch = 100'000;
  for (const std::size_t at : {std::size_t{3}, kWatchedPadding + 2, std::size_t{99'999}})
    EXPECT_NE(RunKernel(Running([=](const KernelCall& call) { Halves(call.y)[at] = 1; }), c, {}).trespass, "") << at;
}

#ifndef NORMCHECK_ASAN  // there the write itself is the fault
TEST(RunKernel, SeesWritesBeyondEveryArray) {
  Case c = HalfCase(1, 3);
  c.gamma = c.beta = std::vector<Bits>(3, 1);
  for (const int at : {-1, -64, 3, 66}) {
    EXPECT_NE(RunKernel(Running([=](const KernelCall& call) { Halves(call.y)[at] = 1; }), c, {}).trespass, "") << at;
    EXPECT_NE(RunKernel(Running([=](const KernelCall& call) { Halves(const_cast<void*>(call.gamma))[at] = 1; }), c, {}).trespass, "") << at;
  }
  EXPECT_NE(RunKernel(Running([](const KernelCall& call) { call.mean[1] = 0; }), c, {}).trespass, "");
  EXPECT_NE(RunKernel(Running([](const KernelCall& call) { call.inv_std_dev[-1] = 0; }), c, {}).trespass, "");
}
#endif

// D3: what was written, and where.
TEST(RunKernel, SaysWhereItTrespassed) {
  Case c = HalfCase(2, 3);
  c.x_pitch = c.y_pitch = 5;
  c.gamma = std::vector<Bits>(3, 1);
  const auto run = [&](const std::function<void(const KernelCall&)>& body) { return RunKernel(Running(body), c, {}); };
  EXPECT_EQ(run([](const KernelCall& call) { Halves(call.y)[4] = 1; }).trespass, "1 element of the padding behind row 0 of y, from element 4 on");
  EXPECT_EQ(run([](const KernelCall& call) { Halves(const_cast<void*>(call.x))[3] = 1; }).changed_input,
            "1 element of the padding behind row 0 of x, from element 3 on");
  EXPECT_EQ(run([](const KernelCall& call) { Halves(const_cast<void*>(call.x))[6] = 1; }).changed_input, "x, row 1 element 1");
  EXPECT_EQ(run([](const KernelCall& call) { Halves(const_cast<void*>(call.gamma))[2] = 9; }).changed_input, "gamma, row 0 element 2");
#ifndef NORMCHECK_ASAN
  EXPECT_EQ(run([](const KernelCall& call) { Halves(call.y)[8] = Halves(call.y)[9] = 1; }).trespass, "2 elements behind y, from 0 after its end on");
  EXPECT_EQ(run([](const KernelCall& call) { Halves(const_cast<void*>(call.gamma))[-7] = 1; }).trespass,
            "1 element before gamma, from 7 before its begin on");
#endif
}

TEST(RunKernel, SeesChangedInputs) {
  Case c = HalfCase(2, 3);
  c.x_pitch = 4;
  c.gamma = c.beta = std::vector<Bits>(3, 1);
  const auto intact = [&](const void* KernelCall::*input, std::size_t at) {
    return RunKernel(Running([=](const KernelCall& call) { Halves(const_cast<void*>(call.*input))[at] ^= 1; }), c, {}).changed_input.empty();
  };
  EXPECT_FALSE(intact(&KernelCall::x, 0));
  EXPECT_FALSE(intact(&KernelCall::x, 3));
  EXPECT_FALSE(intact(&KernelCall::gamma, 2));
  EXPECT_FALSE(intact(&KernelCall::beta, 0));
}

#if defined(__SSE__)
TEST(RunKernel, ReportsMxcsrAndPutsItBack) {
  const unsigned before = _mm_getcsr();
  const Outputs out = RunKernel(Running([](const KernelCall&) { _mm_setcsr(_mm_getcsr() | 0x8000u); }), HalfCase(1, 1), {});
  EXPECT_EQ(out.mxcsr_before, before);
  EXPECT_EQ(out.mxcsr_after, before | 0x8000u);
  EXPECT_EQ(_mm_getcsr(), before);
}
#endif

TEST(RunKernel, OneRowCostsNoPitch) {
  Case c = HalfCase(1, 2);
  c.x_pitch = c.y_pitch = kCountLimit - 1;
  EXPECT_EQ(BufferElements(c), 2u + 2u + 2u);
  EXPECT_EQ(RunKernel(Running(CopyBits), c, {}).y, c.x);
}

// Two rows 2^31 elements apart: 4 GiB of address space, a few pages of memory. Index arithmetic in 32 bits fails here.
TEST(RunKernel, TwoRowsMayStandBeyondThirtyTwoBitsOfElements) {
  Case c = HalfCase(2, 2);
  c.x_pitch = c.y_pitch = (std::size_t{1} << 31) + 4;
  Outputs out;
  try {
    out = RunKernel(Running(CopyBits), c, {});
  } catch (const norm::HarnessFault& fault) {
    GTEST_SKIP() << fault.what();
  }
  EXPECT_EQ(out.y, (std::vector<Bits>{100, 101, 103, 104}));
  EXPECT_EQ(out.trespass + out.changed_input, "");
}

// F3: no answer of the kernel's, which was never called.
TEST(RunKernel, WhatNoMachineHoldsIsNoFaultOfTheKernel) {
  Case c = HalfCase(0, 0);
  c.rows = kCountLimit - 1;
  EXPECT_THROW(RunKernel(Running([](const KernelCall&) { ADD_FAILURE() << "called"; }), c, {}), norm::HarnessFault);
  c.x_pitch = c.y_pitch = ~std::size_t{0};
  EXPECT_EQ(BufferElements(c), ~std::size_t{0});
}

TEST(RunKernel, EmptyShapesReachTheKernel) {
  for (const auto& [rows, width] : {std::pair<std::size_t, std::size_t>{0, 3}, {3, 0}, {0, 0}}) {
    int calls = 0;
    const Outputs out = RunKernel(Running([&](const KernelCall&) { ++calls; }), HalfCase(rows, width), {});
    EXPECT_EQ(calls, 1);
    EXPECT_TRUE(out.y.empty());
    EXPECT_EQ(out.mean.size(), rows);
  }
}

}  // namespace
}  // namespace normcheck::reference

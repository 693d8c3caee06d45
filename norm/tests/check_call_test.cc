// Every fault of a call's arguments, one at a time, is refused under the name of its field, and nothing is written.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include "norm/kernel_call.h"
#include "norm/layer_norm.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

struct Arrays {
  std::array<float, 64> x{};
  std::array<float, 8> gamma{};
  std::array<float, 8> beta{};
  std::array<float, 64> y{};
  std::array<float, 8> mean{};
  std::array<float, 8> inv_std_dev{};
};

// Two rows of four, pitch 8, everything present: sound as it stands.
KernelCall SoundCall(Arrays& arrays) {
  return {.op = Op::kLayerNorm,
          .formats = {},
          .rows = 2,
          .width = 4,
          .x_pitch = 8,
          .y_pitch = 8,
          .epsilon = 1e-5,
          .x = arrays.x.data(),
          .gamma = arrays.gamma.data(),
          .beta = arrays.beta.data(),
          .y = arrays.y.data(),
          .mean = arrays.mean.data(),
          .inv_std_dev = arrays.inv_std_dev.data()};
}

template <typename T>
T* OffByOneByte(T* pointer) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) + 1);
}

struct Fault {
  std::string_view argument;
  std::function<void(KernelCall&, Arrays&)> plant;
};

constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

const Fault kFaults[] = {
    {"op", [](KernelCall& call, Arrays&) { call.op = static_cast<Op>(std::size(kOps)); }},
    {"formats", [](KernelCall& call, Arrays&) { call.formats.x = static_cast<Format>(3); }},
    {"formats", [](KernelCall& call, Arrays&) { call.formats.params = static_cast<Format>(255); }},
    {"formats", [](KernelCall& call, Arrays&) { call.formats.y = static_cast<Format>(3); }},
    {"epsilon", [](KernelCall& call, Arrays&) { call.epsilon = kNaN; }},
    {"epsilon", [](KernelCall& call, Arrays&) { call.epsilon = kInf; }},
    {"epsilon", [](KernelCall& call, Arrays&) { call.epsilon = -kInf; }},
    {"epsilon", [](KernelCall& call, Arrays&) { call.epsilon = -5e-324; }},
    {"x_pitch", [](KernelCall& call, Arrays&) { call.x_pitch = 3; }},
    {"y_pitch", [](KernelCall& call, Arrays&) { call.y_pitch = 3; }},
    {"x_pitch", [](KernelCall& call, Arrays&) { call.x_pitch = std::size_t{1} << 63; }},
    {"y_pitch", [](KernelCall& call, Arrays&) { call.y_pitch = std::size_t{1} << 63; }},
    {"x_pitch", [](KernelCall& call, Arrays&) { call.x_pitch = std::size_t{1} << 61; }},
    {"y_pitch", [](KernelCall& call, Arrays&) { call.rows = 5, call.y_pitch = std::size_t{1} << 62; }},
    {"rows", [](KernelCall& call, Arrays&) { call.rows = kHuge; }},
    {"rows", [](KernelCall& call, Arrays&) { call.rows = std::size_t{1} << 62; }},
    {"width", [](KernelCall& call, Arrays&) { call.width = call.x_pitch = call.y_pitch = kHuge; }},
    {"width", [](KernelCall& call, Arrays&) { call.rows = 1, call.width = call.x_pitch = call.y_pitch = std::size_t{1} << 62; }},
    {"x", [](KernelCall& call, Arrays&) { call.rows = 1, call.width = call.x_pitch = call.y_pitch = std::size_t{1} << 60, call.x = reinterpret_cast<const void*>(~std::uintptr_t{0xffff}); }},
    {"x", [](KernelCall& call, Arrays&) { call.x = nullptr; }},
    {"y", [](KernelCall& call, Arrays&) { call.y = nullptr; }},
    {"x", [](KernelCall& call, Arrays& a) { call.x = OffByOneByte(a.x.data()); }},
    {"gamma", [](KernelCall& call, Arrays& a) { call.gamma = OffByOneByte(a.gamma.data()); }},
    {"beta", [](KernelCall& call, Arrays& a) { call.beta = OffByOneByte(a.beta.data()); }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = OffByOneByte(a.y.data()); }},
    {"mean", [](KernelCall& call, Arrays& a) { call.mean = OffByOneByte(a.mean.data()); }},
    {"inv_std_dev", [](KernelCall& call, Arrays& a) { call.inv_std_dev = OffByOneByte(a.inv_std_dev.data()); }},
    {"mean", [](KernelCall& call, Arrays&) { call.op = Op::kRmsNorm; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.x.data() + 1; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.x.data() + 11; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.x.data() + 4; }},  // the pitches' gaps belong to the range
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.x.data(), call.y_pitch = 9; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.x.data(), call.formats = {Format::kF16, Format::kF32, Format::kF32}; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.gamma.data(), call.rows = 1; }},
    {"y", [](KernelCall& call, Arrays& a) { call.y = a.beta.data() + 3, call.rows = 1; }},
    {"mean", [](KernelCall& call, Arrays& a) { call.mean = a.x.data() + 11; }},
    {"mean", [](KernelCall& call, Arrays& a) { call.mean = a.y.data(); }},
    {"mean", [](KernelCall& call, Arrays& a) { call.mean = a.gamma.data() + 3; }},
    {"inv_std_dev", [](KernelCall& call, Arrays& a) { call.inv_std_dev = a.mean.data() + 1; }},
    {"inv_std_dev", [](KernelCall& call, Arrays& a) { call.inv_std_dev = a.beta.data(); }},
};

TEST(CheckCall, NamesTheArgumentAtFaultAndWritesNothing) {
  int index = 0;
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(index++);
    Arrays arrays;
    arrays.x.fill(3);
    arrays.y.fill(7);
    KernelCall call = SoundCall(arrays);
    fault.plant(call, arrays);
    const CallResult result = Normalize(call);
    EXPECT_EQ(result.status, CallStatus::kBadArgument);
    EXPECT_EQ(result.argument, fault.argument) << result.reason;
    EXPECT_FALSE(result.reason.empty());
    for (float value : arrays.x) ASSERT_EQ(value, 3);
    for (float value : arrays.y) ASSERT_EQ(value, 7);
    for (float value : arrays.mean) ASSERT_EQ(value, 0);
  }
}

TEST(CheckCall, SoundCallsPass) {
  Arrays arrays;
  EXPECT_TRUE(CheckCall(SoundCall(arrays)).ok());
  KernelCall call = SoundCall(arrays);
  call.epsilon = -0.0;
  EXPECT_TRUE(CheckCall(call).ok()) << "-0 counts as 0";
  call.epsilon = std::numeric_limits<double>::max();
  EXPECT_TRUE(CheckCall(call).ok());
  call.y = arrays.x.data();
  EXPECT_TRUE(CheckCall(call).ok()) << "in place";
  call.y = arrays.x.data() + 12;
  EXPECT_TRUE(CheckCall(call).ok()) << "begins where x ends";
  call = SoundCall(arrays);
  call.beta = call.gamma;
  EXPECT_TRUE(CheckCall(call).ok()) << "inputs may overlap";
  call = SoundCall(arrays);
  call.gamma = call.beta = nullptr;
  call.mean = call.inv_std_dev = nullptr;
  EXPECT_TRUE(CheckCall(call).ok()) << "all but x and y may be null";
}

TEST(CheckCall, EmptyCallsNeedNoArrays) {
  for (std::size_t rows : {std::size_t{0}, std::size_t{3}, kHuge}) {
    KernelCall call;
    call.rows = rows;
    EXPECT_TRUE(Normalize(call).ok());
    call.rows = 0;
    call.width = call.x_pitch = call.y_pitch = rows;
    EXPECT_TRUE(Normalize(call).ok());
  }
}

TEST(Normalize, OtherFormatTriplesAreUnsupported) {
  int supported = 0;
  for (Format x : kFormats)
    for (Format params : kFormats)
      for (Format y : kFormats) {
        Arrays arrays;
        KernelCall call = SoundCall(arrays);
        call.formats = {x, params, y};
        const CallResult result = Normalize(call);
        const bool want = (params == Format::kF32 || params == x) && (y == Format::kF32 || y == x);
        EXPECT_EQ(result.status, want ? CallStatus::kOk : CallStatus::kUnsupported);
        supported += result.ok() ? 1 : 0;
      }
  EXPECT_EQ(supported, 9);
}

TEST(NormalizeOn, UnknownTargetIsNamed) {
  Arrays arrays;
  const CallResult result = NormalizeOn("AVX9", SoundCall(arrays));
  EXPECT_EQ(result.status, CallStatus::kBadArgument);
  EXPECT_EQ(result.argument, "target");
}

}  // namespace
}  // namespace normcheck::norm

// A call with its own arrays, for tests: values go in and come out as doubles, in any format, at any byte misalignment.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "norm/layer_norm.h"
#include "norm/rounding.h"

namespace normcheck::norm {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// `count` elements of a format, beginning `skew` elements into an allocation that malloc aligned.
class TestArray {
 public:
  TestArray() = default;
  TestArray(Format format, std::size_t count, std::size_t skew = 0)
      : format_(format), skew_(skew), bytes_((count + skew) * TraitsOf(format).bytes, 0xee) {}
  TestArray(Format format, const std::vector<double>& values, std::size_t skew = 0) : TestArray(format, values.size(), skew) {
    for (std::size_t i = 0; i < values.size(); ++i) Set(i, values[i]);
  }

  void* data() { return bytes_.empty() ? nullptr : At(0); }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

  void Set(std::size_t i, double value) {
    const float single = ToFloat32(value);
    const std::uint16_t half = format_ == Format::kF16 ? ToFloat16(value).bits : ToBFloat16(value).bits;
    if (format_ == Format::kF32) std::memcpy(At(i), &single, 4);
    else std::memcpy(At(i), &half, 2);
  }

  std::uint32_t Bits(std::size_t i) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, const_cast<TestArray*>(this)->At(i), TraitsOf(format_).bytes);
    return bits;
  }

  double Get(std::size_t i) const {
    const auto half = static_cast<std::uint16_t>(Bits(i));
    switch (format_) {
      case Format::kF16: return ToFloat(Float16{half});
      case Format::kBf16: return ToFloat(BFloat16{half});
      case Format::kF32: break;
    }
    float value;
    std::memcpy(&value, const_cast<TestArray*>(this)->At(i), 4);
    return value;
  }

 private:
  unsigned char* At(std::size_t i) { return bytes_.data() + (skew_ + i) * TraitsOf(format_).bytes; }

  Format format_ = Format::kF32;
  std::size_t skew_ = 0;
  std::vector<unsigned char> bytes_;
};

// One row or several, unpitched; gamma and beta are absent where empty.
struct TestCall {
  Op op = Op::kLayerNorm;
  Formats formats = {};
  double epsilon = 0;
  std::vector<double> x;
  std::vector<double> gamma = {};
  std::vector<double> beta = {};
  std::size_t rows = 1;
};

struct TestOutputs {
  CallResult result;
  TestArray y;
  std::vector<float> mean;
  std::vector<float> inv_std_dev;
};

using RunFunction = CallResult (*)(std::string_view target, const KernelCall& call);

// Both tiers, for what holds of both.
inline constexpr RunFunction kTiers[] = {&NormalizeOn, &NormalizeFastOn};

inline std::vector<std::pair<std::string_view, RunFunction>> TargetsAndTiers() {
  std::vector<std::pair<std::string_view, RunFunction>> all;
  for (std::string_view target : Targets())
    for (RunFunction run : kTiers) all.emplace_back(target, run);
  return all;
}

// Runs it on a target with every array `skew` elements off its alignment.
inline TestOutputs RunOn(std::string_view target, const TestCall& test, std::size_t skew = 0, RunFunction run = &NormalizeOn) {
  const std::size_t width = test.x.size() / test.rows;
  TestArray x(test.formats.x, test.x, skew);
  TestArray gamma = test.gamma.empty() ? TestArray() : TestArray(test.formats.params, test.gamma, skew);
  TestArray beta = test.beta.empty() ? TestArray() : TestArray(test.formats.params, test.beta, skew);
  TestOutputs outputs = {{}, TestArray(test.formats.y, test.x.size(), skew), std::vector<float>(test.rows), std::vector<float>(test.rows)};
  KernelCall call = {test.op, test.formats, test.rows, width, width, width, test.epsilon};
  call.x = x.data();
  call.gamma = gamma.data();
  call.beta = beta.data();
  call.y = outputs.y.data();
  call.mean = test.op == Op::kLayerNorm ? outputs.mean.data() : nullptr;
  call.inv_std_dev = outputs.inv_std_dev.data();
  outputs.result = run(target, call);
  return outputs;
}

// The bits of the canonical quiet NaN.
inline std::uint32_t CanonicalNan(Format format) {
  return format == Format::kF32 ? 0x7fc00000u : format == Format::kF16 ? 0x7e00u : 0x7fc0u;
}

// Small deterministic integers for inputs.
class Lcg {
 public:
  explicit Lcg(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ ^ (state_ >> 29);
  }
  // Uniform in [-1, 1).
  double Uniform() { return static_cast<double>(static_cast<std::int64_t>(Next())) * 0x1p-63; }

 private:
  std::uint64_t state_;
};

inline std::vector<double> RandomValues(std::size_t count, std::uint64_t seed, double scale = 1, double offset = 0) {
  Lcg lcg(seed);
  std::vector<double> values(count);
  for (double& value : values) value = offset + scale * lcg.Uniform();
  return values;
}

}  // namespace normcheck::norm

// All 2^32 floats to f16 and bf16, in shards: f16 against the processor's own conversion, bf16 against the carry formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "norm/rounding.h"

namespace normcheck::norm {
namespace {

constexpr std::uint32_t kShards = 8;
constexpr std::uint64_t kPerShard = (std::uint64_t{1} << 32) / kShards;

// All of them; builds with sanitizers, ten times slower, take every 61st.
#ifdef NORMCHECK_SANITIZED
constexpr std::uint64_t kStep = 61;
#else
constexpr std::uint64_t kStep = 1;
#endif

std::uint16_t NanOr(std::uint32_t float_bits, std::uint16_t nan, std::uint32_t otherwise) {
  return (float_bits & 0x7fffffff) > 0x7f800000 ? nan : static_cast<std::uint16_t>(otherwise);
}

// Round half to even on the upper half: infinity stays, and a carry out of the largest finite value makes one.
std::uint16_t WantBf16(std::uint32_t bits) { return NanOr(bits, 0x7fc0, (bits + 0x7fff + ((bits >> 16) & 1)) >> 16); }

#if defined(__x86_64__)
bool HasProcessorHalf() { return __builtin_cpu_supports("f16c") != 0; }
__attribute__((target("avx,f16c"))) std::uint16_t ProcessorHalf(float value) { return _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT); }
#else
bool HasProcessorHalf() { return false; }
std::uint16_t ProcessorHalf(float) { return 0; }
#endif

// Where the processor has no conversion: |value| in units of its f16 binade, made an integer by the C library.
std::uint32_t DefinedHalf(float value) {
  const float magnitude = std::fabs(value);
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  const int binade = std::max(std::ilogb(magnitude), -14);
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(static_cast<double>(magnitude), 10 - binade)));
  return sign | (units + (static_cast<std::uint32_t>(binade + 14) << 10));
}

std::uint16_t WantF16(std::uint32_t bits, bool processor) {
  const auto value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return 0x7e00;
  return static_cast<std::uint16_t>(processor ? ProcessorHalf(value) : DefinedHalf(value));
}

class AllFloats : public testing::TestWithParam<std::uint32_t> {};

TEST_P(AllFloats, RoundToF16) {
  const bool processor = HasProcessorHalf();
  for (std::uint64_t i = 0; i < kPerShard; i += kStep) {
    const auto bits = static_cast<std::uint32_t>(GetParam() * kPerShard + i);
    if (ToFloat16(std::bit_cast<float>(bits)).bits != WantF16(bits, processor)) FAIL() << std::hex << bits;
  }
}

TEST_P(AllFloats, RoundToBf16) {
  for (std::uint64_t i = 0; i < kPerShard; i += kStep) {
    const auto bits = static_cast<std::uint32_t>(GetParam() * kPerShard + i);
    if (ToBFloat16(std::bit_cast<float>(bits)).bits != WantBf16(bits)) FAIL() << std::hex << bits;
  }
}

INSTANTIATE_TEST_SUITE_P(Shards, AllFloats, testing::Range(std::uint32_t{0}, kShards));

// The processor's conversion is itself held to the definition, on every 4099th float.
TEST(AllFloatsReference, ProcessorAgreesWithTheDefinition) {
  if (!HasProcessorHalf()) return;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 4099)
    ASSERT_EQ(WantF16(static_cast<std::uint32_t>(bits), true), WantF16(static_cast<std::uint32_t>(bits), false)) << std::hex << bits;
}

}  // namespace
}  // namespace normcheck::norm

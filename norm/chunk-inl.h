// A row's elements in binary64 with their rounding test, vector by vector; compiled once per Highway target.
#if defined(NORMCHECK_NORM_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CHUNK_INL_H_
#undef NORMCHECK_NORM_CHUNK_INL_H_
#else
#define NORMCHECK_NORM_CHUNK_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "norm/params-inl.h"
#include "norm/row_stage.h"
#include "norm/stages-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// When a double may be rounded to a format although it is known only to within E. Its last `low_bits` bits are what
// rounding drops; halfway is 2^(low_bits - 1). Adding bias = halfway + 2^margin makes those bits, down to bit margin + 1,
// zero exactly where they lie closer to halfway than 2^margin units of the double. A unit is at least 2^-53*|y|, so
// E <= 2^(margin - 53)*|y| with normal |y| is enough (a power of two has its lower midpoint a quarter of the range below it).
// In 16 bits the margin is 2^29 units, and a rounding to f32 moves y by at most 2^28 of them: it may come first.
struct RoundingTest {
  std::uint64_t bias;
  std::uint64_t mask;
  double inverse_limit;    // 1.02*2^(53 - margin): more than 1/(2^(margin - 53) - e) for every e < 2^-42, of_y's bound (row_stage.h)
  double smallest_normal;  // below it rounding drops more bits
};

// The margin balances the elements that fail by their bits, 2^(margin + 1 - low_bits) of them, against those with |y| < E/limit.
constexpr RoundingTest RoundingTestOf(Format format) {
  const FormatTraits traits = TraitsOf(format);
  const int low_bits = 53 - traits.precision;
  const int margin = format == Format::kF32 ? 17 : 29;
  const std::uint64_t one = 1;
  return {(one << (low_bits - 1)) + (one << margin), (one << low_bits) - (one << (margin + 1)), 1.02 * PowerOfTwo(53 - margin),
          PowerOfTwo(traits.emin)};
}

// A row's scalars in vectors.
struct ElementScalars {
  ElementScalars(double row_pivot, double row_scale, double row_shift)
      : pivot(hn::Set(D64(), row_pivot)), scale(hn::Set(D64(), row_scale)), shift(hn::Set(D64(), row_shift)) {}
  V64 pivot, scale, shift;
};

// y = gamma*((x - pivot)*scale + shift) + beta. The last sum turns -0 into +0.
template <bool kPivoted>
HWY_INLINE V64 ElementsOf(const ElementScalars& row, V64 x, const double* gamma, const double* beta) {
  const D64 d;
  if constexpr (kPivoted) x = hn::Sub(x, row.pivot);
  return hn::MulAdd(hn::MulAdd(x, row.scale, row.shift), hn::LoadU(d, gamma), hn::LoadU(d, beta));
}

template <bool kPivoted>
HWY_INLINE Group ElementsOf(const ElementScalars& row, const Group& x, const double* gamma, const double* beta) {
  return {ElementsOf<kPivoted>(row, x.a, gamma, beta), ElementsOf<kPivoted>(row, x.b, gamma + kLanes, beta + kLanes),
          ElementsOf<kPivoted>(row, x.c, gamma + 2 * kLanes, beta + 2 * kLanes),
          ElementsOf<kPivoted>(row, x.d, gamma + 3 * kLanes, beta + 3 * kLanes)};
}

// The test of a group against a power of two in place of its section's floor: with 2^k the power from the floor on, bias = (1 - k)*2^52 +
// halfway + 2^margin, added to the bits of y. Below bit low_bits as before; bit 62, the top of the exponent, is zero where |y| < 2^k. A carry
// from the low part lets y pass that is below 2^k by 2^-24 of itself for f32, by 2^-8 at most for 16 bits, where inverse_limit has 0.4% and
// 1.9% to spare. For f32 the low bits lie in the low dword and the top bit in the high one: one test of dwords sees both. Requires finite y:
// infinity may have bit 62 set.
inline constexpr std::uint64_t kTopBit = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kBothMask = kTopBit + RoundingTestOf(Format::kF32).mask;

HWY_INLINE hn::Vec<DU64> Biased(V64 value, hn::Vec<DU64> bias) { return hn::Add(hn::BitCast(DU64(), value), bias); }

// True where the whole group may be rounded: no element close to halfway, none smaller than the floor (NaN fails all).
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Each test takes the one before as its write mask: the conjunction is free.
HWY_INLINE bool MayRound(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, V64 smallest) {
  __mmask8 safe = _mm512_test_epi64_mask(Biased(y.a, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, Biased(y.b, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, Biased(y.c, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, Biased(y.d, bias).raw, mask.raw);
  const V64 sizes = hn::Min(hn::Min(hn::Abs(y.a), hn::Abs(y.b)), hn::Min(hn::Abs(y.c), hn::Abs(y.d)));
  return _mm512_mask_cmp_pd_mask(safe, sizes.raw, smallest.raw, _CMP_GE_OQ) == 0xff;
}

HWY_INLINE bool MayRoundBy(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, hn::Vec<DU64> top) {
  const auto a = Biased(y.a, bias), b = Biased(y.b, bias), c = Biased(y.c, bias), d = Biased(y.d, bias);
  __mmask8 safe = _mm512_test_epi64_mask(a.raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, b.raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, c.raw, mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, d.raw, mask.raw);
  return _mm512_mask_test_epi64_mask(safe, hn::And(hn::And(a, b), hn::And(c, d)).raw, top.raw) == 0xff;
}

HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  __mmask16 safe = _mm512_test_epi32_mask(Biased(y.a, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, Biased(y.b, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, Biased(y.c, bias).raw, mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, Biased(y.d, bias).raw, mask.raw);
  return safe == 0xffff;
}
#else
HWY_INLINE auto AllZero(hn::Vec<DU64> biased, hn::Vec<DU64> mask) { return hn::Eq(hn::And(biased, mask), hn::Zero(DU64())); }

HWY_INLINE auto AnyClose(hn::Vec<DU64> a, hn::Vec<DU64> b, hn::Vec<DU64> c, hn::Vec<DU64> d, hn::Vec<DU64> mask) {
  return hn::Or(hn::Or(AllZero(a, mask), AllZero(b, mask)), hn::Or(AllZero(c, mask), AllZero(d, mask)));
}

HWY_INLINE bool MayRound(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, V64 smallest) {
  const D64 d;
  const auto close = AnyClose(Biased(y.a, bias), Biased(y.b, bias), Biased(y.c, bias), Biased(y.d, bias), mask);
  const V64 sizes = hn::Min(hn::Min(hn::Abs(y.a), hn::Abs(y.b)), hn::Min(hn::Abs(y.c), hn::Abs(y.d)));
  const auto small = hn::Not(hn::Ge(sizes, smallest));
  return hn::AllFalse(d, hn::Or(hn::RebindMask(d, close), small));
}

HWY_INLINE bool MayRoundBy(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, hn::Vec<DU64> top) {
  const auto a = Biased(y.a, bias), b = Biased(y.b, bias), c = Biased(y.c, bias), d = Biased(y.d, bias);
  const auto small = AllZero(hn::And(hn::And(a, b), hn::And(c, d)), top);
  return hn::AllFalse(DU64(), hn::Or(AnyClose(a, b, c, d, mask), small));
}

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  const hn::Repartition<std::uint32_t, D64> d32;
  const auto tested = [&](V64 value) HWY_ATTR { return hn::BitCast(d32, hn::And(Biased(value, bias), mask)); };
  const auto least = hn::Min(hn::Min(tested(y.a), tested(y.b)), hn::Min(tested(y.c), tested(y.d)));
  return hn::AllFalse(d32, hn::Eq(least, hn::Zero(d32)));
}
#else
HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  return MayRoundBy(y, bias, hn::And(mask, hn::Set(DU64(), kTopBit - 1)), hn::Set(DU64(), kTopBit));
}
#endif
#endif

// The rounding tests of a block of rows over a chunk: for each section the size from which on E, of_y's share apart, is small enough;
// NaN where a parameter is not finite. And the bias of the shorter test where that size is 2 at most, else 0.
struct SectionTests {
  alignas(64) double floors[kSections][kBlock];
  alignas(64) std::uint64_t biases[kSections][kBlock];
};

HWY_INLINE void SetSectionTests(const RoundingTest& test, std::size_t rows, const StageBlock& block, const BoundScales& scales, const ChunkParams& params,
                                std::size_t count, SectionTests& tests) {
  const DRows d;
  const DURows du;
  const VRows least = hn::Set(d, test.smallest_normal);
  for (std::size_t s = 0; s * kSection < count; ++s) {
    const VRows gamma = hn::Set(d, test.inverse_limit * scales.of_gamma * params.gamma_max[s]), beta = hn::Set(d, test.inverse_limit * scales.of_beta * params.beta_max[s]);
    for (std::size_t r = 0; r < rows; r += kRowLanes) {
      const VRows sum = hn::MulAdd(hn::Load(d, block.of_gamma + r), gamma, hn::Mul(hn::Load(d, block.of_beta + r), beta));
      const VRows floor = hn::IfThenElse(hn::Le(sum, least), least, sum);
      hn::Store(floor, d, tests.floors[s] + r);
      const auto power = hn::ShiftRight<52>(hn::Add(hn::BitCast(du, floor), hn::Set(du, (std::uint64_t{1} << 52) - 1)));  // the exponent, rounded up
      const auto bias = hn::Add(hn::ShiftLeft<52>(hn::Sub(hn::Set(du, 1024), power)), hn::Set(du, test.bias));
      hn::Store(hn::IfThenElseZero(hn::RebindMask(du, hn::Le(floor, hn::Set(d, 2.0))), bias), du, tests.biases[s] + r);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CHUNK_INL_H_

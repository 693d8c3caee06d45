// A row's elements in binary64 with their rounding test, vector by vector; compiled once per Highway target.
#if defined(NORMCHECK_NORM_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CHUNK_INL_H_
#undef NORMCHECK_NORM_CHUNK_INL_H_
#else
#define NORMCHECK_NORM_CHUNK_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "norm/groups-inl.h"
#include "norm/row_stage.h"

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
  double inverse_limit;    // 1.01*2^(53 - margin): 1/(2^(margin - 53) - e) for every e < 2^-44
  double smallest_normal;  // below it rounding drops more bits
};

// The margin balances the elements that fail by their bits, 2^(margin + 1 - low_bits) of them, against those with |y| < E/limit.
constexpr RoundingTest RoundingTestOf(Format format) {
  const FormatTraits traits = TraitsOf(format);
  const int low_bits = 53 - traits.precision;
  const int margin = format == Format::kF32 ? 17 : 29;
  const std::uint64_t one = 1;
  return {(one << (low_bits - 1)) + (one << margin), (one << low_bits) - (one << (margin + 1)), 1.01 * PowerOfTwo(53 - margin),
          PowerOfTwo(traits.emin)};
}

// The parameters of a chunk, padded with gamma 0 and beta 1 (a result that rounds safely), and their largest magnitudes by groups.
struct ChunkParams {
  const double* gamma;
  const double* beta;
  const double* gamma_max;
  const double* beta_max;
};

HWY_INLINE V64 LargestOf(const Group& g) {
  return hn::Max(hn::Max(hn::Abs(g.a), hn::Abs(g.b)), hn::Max(hn::Abs(g.c), hn::Abs(g.d)));
}

// Zeros, or NaN where an element is not finite.
HWY_INLINE V64 ZerosOf(const Group& g) {
  return hn::Add(hn::Add(hn::Sub(g.a, g.a), hn::Sub(g.b, g.b)), hn::Add(hn::Sub(g.c, g.c), hn::Sub(g.d, g.d)));
}

// The largest lane of each of two vectors of magnitudes.
HWY_INLINE void StoreLargest(V64 first, V64 second, double* to) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::CappedTag<double, 4> d4;
  const hn::CappedTag<double, 2> d2;
  const D64 d;
  const V64 pairs = hn::Max(hn::InterleaveLower(d, first, second), hn::InterleaveUpper(d, first, second));
  const auto four = [&](auto v) HWY_ATTR {
    if constexpr (kLanes == 8) return hn::Max(hn::LowerHalf(d4, v), hn::UpperHalf(d4, v));
    else return v;
  };
  const auto both = four(pairs);
  hn::StoreU(hn::Max(hn::LowerHalf(d2, both), hn::UpperHalf(d2, both)), d2, to);
#else
  to[0] = hn::GetLane(hn::MaxOfLanes(D64(), first));
  to[1] = hn::GetLane(hn::MaxOfLanes(D64(), second));
#endif
}

// Largest |value| of every group; NaN where one is not finite. There is room for one group more.
inline void GroupMaxima(const double* values, std::size_t padded, double* maxima) {
  const D64 d;
  V64 zeros = hn::Zero(d);
  for (std::size_t i = 0; i < padded; i += 2 * kGroup) {
    const Group one = LoadDoubles(values + i), other = LoadDoubles(i + kGroup < padded ? values + i + kGroup : values + i);
    zeros = hn::Add(zeros, hn::Add(ZerosOf(one), ZerosOf(other)));
    StoreLargest(LargestOf(one), LargestOf(other), maxima + i / kGroup);
  }
  if (hn::AllTrue(d, hn::Eq(zeros, hn::Zero(d)))) return;
  for (std::size_t i = 0; i < padded; i += kGroup) maxima[i / kGroup] += hn::GetLane(hn::SumOfLanes(d, ZerosOf(LoadDoubles(values + i))));
}

// A row's scalars in vectors.
struct ElementScalars {
  explicit ElementScalars(const RowStage& stage)
      : pivot(hn::Set(D64(), stage.pivot)), scale(hn::Set(D64(), stage.scale)), shift(hn::Set(D64(), stage.shift)) {}
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

// The test of a group of f32 results in one: with 2^k the power of two from the group's floor on (GroupBiases), bias =
// (1 - k)*2^52 + halfway + 2^margin, added to the bits of y: the low dword's bits margin + 1 to 28 are zero where y is close to
// halfway, the high dword's bit 30, the top of the exponent, where |y| < 2^k (a carry from the low part lets y pass that is below it by
// 2^-24 of itself: inverse_limit has 1% to spare). y that is not finite wraps to a small exponent and fails.
inline constexpr std::uint64_t kBothMask = (std::uint64_t{1} << 62) + RoundingTestOf(Format::kF32).mask;

// True where the whole group may be rounded: no element close to halfway, none smaller than the floor (NaN fails all).
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Each test takes the one before as its write mask: the conjunction is free.
HWY_INLINE bool MayRound(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, V64 smallest) {
  const auto biased = [&](V64 value) HWY_ATTR { return _mm512_add_epi64(_mm512_castpd_si512(value.raw), bias.raw); };
  __mmask8 safe = _mm512_test_epi64_mask(biased(y.a), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.b), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.c), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.d), mask.raw);
  const V64 sizes = hn::Min(hn::Min(hn::Abs(y.a), hn::Abs(y.b)), hn::Min(hn::Abs(y.c), hn::Abs(y.d)));
  return _mm512_mask_cmp_pd_mask(safe, sizes.raw, smallest.raw, _CMP_GE_OQ) == 0xff;
}

HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  const auto biased = [&](V64 value) HWY_ATTR { return _mm512_add_epi64(_mm512_castpd_si512(value.raw), bias.raw); };
  __mmask16 safe = _mm512_test_epi32_mask(biased(y.a), mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, biased(y.b), mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, biased(y.c), mask.raw);
  safe = _mm512_mask_test_epi32_mask(safe, biased(y.d), mask.raw);
  return safe == 0xffff;
}
#else
HWY_INLINE auto CloseToHalfway(V64 y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  return hn::Eq(hn::And(hn::Add(hn::BitCast(DU64(), y), bias), mask), hn::Zero(DU64()));
}

HWY_INLINE bool MayRound(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, V64 smallest) {
  const D64 d;
  const auto close = hn::Or(hn::Or(CloseToHalfway(y.a, bias, mask), CloseToHalfway(y.b, bias, mask)),
                            hn::Or(CloseToHalfway(y.c, bias, mask), CloseToHalfway(y.d, bias, mask)));
  const V64 sizes = hn::Min(hn::Min(hn::Abs(y.a), hn::Abs(y.b)), hn::Min(hn::Abs(y.c), hn::Abs(y.d)));
  const auto small = hn::Not(hn::Ge(sizes, smallest));
  return hn::AllFalse(d, hn::Or(hn::RebindMask(d, close), small));
}

#if HWY_TARGET != HWY_SCALAR
HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  const hn::Repartition<std::uint32_t, D64> d32;
  const auto tested = [&](V64 value) HWY_ATTR { return hn::BitCast(d32, hn::And(hn::Add(hn::BitCast(DU64(), value), bias), mask)); };
  const auto least = hn::Min(hn::Min(tested(y.a), tested(y.b)), hn::Min(tested(y.c), tested(y.d)));
  return hn::AllFalse(d32, hn::Eq(least, hn::Zero(d32)));
}
#else
HWY_INLINE bool MayRoundF32(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask) {
  const auto tested = [&](V64 value) { return hn::GetLane(hn::And(hn::Add(hn::BitCast(DU64(), value), bias), mask)); };
  const auto both = [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits) != 0 && bits >> 32 != 0; };
  return both(tested(y.a)) && both(tested(y.b)) && both(tested(y.c)) && both(tested(y.d));
}
#endif
#endif

// For every group the size from which on E, of_y's share apart, is small enough for the test: NaN where a parameter is not finite.
inline void GroupFloors(const ElementError& error, const RoundingTest& test, const ChunkParams& params, std::size_t groups, double* floors) {
  const D64 d;
  const V64 of_gamma = hn::Set(d, error.of_gamma * test.inverse_limit);
  const V64 of_beta = hn::Set(d, error.of_beta * test.inverse_limit);
  const V64 least = hn::Set(d, test.smallest_normal);
  for (std::size_t i = 0; i < groups; i += kLanes) {
    const V64 floor = hn::MulAdd(of_gamma, hn::Load(d, params.gamma_max + i), hn::Mul(of_beta, hn::Load(d, params.beta_max + i)));
    hn::Store(hn::IfThenElse(hn::Le(floor, least), least, floor), d, floors + i);
  }
}

// The biases of MayRoundF32 for floors between 2^-126 and 2, else 0: that group is tested by its floor.
inline void GroupBiases(const RoundingTest& test, const double* floors, std::size_t groups, std::uint64_t* biases) {
  for (std::size_t i = 0; i < groups; ++i) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(floors[i]);
    const std::uint64_t power = (bits + ((std::uint64_t{1} << 52) - 1)) >> 52;  // the exponent, rounded up; floors are positive
    biases[i] = floors[i] <= 2 ? ((std::uint64_t{1024} - power) << 52) + test.bias : 0;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CHUNK_INL_H_

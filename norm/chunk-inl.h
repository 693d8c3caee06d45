// A row's sums and its elements in binary64 with their rounding test, vector by vector; compiled once per Highway target.
#if defined(NORMCHECK_NORM_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CHUNK_INL_H_
#undef NORMCHECK_NORM_CHUNK_INL_H_
#else
#define NORMCHECK_NORM_CHUNK_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "norm/convert-inl.h"
#include "norm/row_stage.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Everything is done in groups of four vectors: four independent chains hide the latency.
inline constexpr std::size_t kLanes = hn::MaxLanes(D64());
inline constexpr std::size_t kGroup = 4 * kLanes;
inline constexpr std::size_t kChunk = 1024;
inline constexpr std::size_t kGroups = kChunk / kGroup;

constexpr std::size_t PaddedCount(std::size_t count) { return (count + kGroup - 1) / kGroup * kGroup; }

struct Group {
  V64 a, b, c, d;
};

template <typename Lanes>
HWY_INLINE Group LoadGroup(const typename Lanes::Bits* x) {
  const typename Lanes::Tag tag;
  return {Lanes::Widen(hn::LoadU(tag, x)), Lanes::Widen(hn::LoadU(tag, x + kLanes)), Lanes::Widen(hn::LoadU(tag, x + 2 * kLanes)),
          Lanes::Widen(hn::LoadU(tag, x + 3 * kLanes))};
}

// stream: past the caches, for which `to` is aligned to a vector. Highway streams 16 bytes where a vector has fewer, so
// those are stored as usual.
template <typename Lanes>
HWY_INLINE void StoreGroup(const Group& y, bool stream, typename Lanes::Bits* to) {
  const typename Lanes::Tag tag;
  const auto a = Lanes::NarrowSafe(y.a), b = Lanes::NarrowSafe(y.b), c = Lanes::NarrowSafe(y.c), d = Lanes::NarrowSafe(y.d);
  if constexpr (kLanes * sizeof(*to) >= 16) {
    if (stream) {
      hn::Stream(a, tag, to);
      hn::Stream(b, tag, to + kLanes);
      hn::Stream(c, tag, to + 2 * kLanes);
      hn::Stream(d, tag, to + 3 * kLanes);
      return;
    }
  }
  hn::StoreU(a, tag, to);
  hn::StoreU(b, tag, to + kLanes);
  hn::StoreU(c, tag, to + 2 * kLanes);
  hn::StoreU(d, tag, to + 3 * kLanes);
}

HWY_INLINE Group LoadDoubles(const double* from) {
  const D64 d;
  return {hn::LoadU(d, from), hn::LoadU(d, from + kLanes), hn::LoadU(d, from + 2 * kLanes), hn::LoadU(d, from + 3 * kLanes)};
}

inline void StoreDoubles(const Group& y, double* to) {
  const D64 d;
  hn::StoreU(y.a, d, to);
  hn::StoreU(y.b, d, to + kLanes);
  hn::StoreU(y.c, d, to + 2 * kLanes);
  hn::StoreU(y.d, d, to + 3 * kLanes);
}

// A vector of sums whose rounding errors are kept beside them.
struct VectorSum {
  V64 high, low;

  HWY_INLINE void Clear() { high = low = hn::Zero(D64()); }

  HWY_INLINE void Add(V64 term) {
    const V64 total = hn::Add(high, term);
    const V64 part = hn::Sub(total, high);
    low = hn::Add(low, hn::Add(hn::Sub(high, hn::Sub(total, part)), hn::Sub(term, part)));
    high = total;
  }
  HWY_INLINE double Total() const { return hn::GetLane(hn::Add(hn::SumOfLanes(D64(), high), hn::SumOfLanes(D64(), low))); }
};

// Four running sums of x - pivot and four of its square.
template <typename Lanes, bool kPivoted>
struct Accumulators {
  V64 s0, s1, s2, s3, q0, q1, q2, q3;

  HWY_INLINE void Clear() { s0 = s1 = s2 = s3 = q0 = q1 = q2 = q3 = hn::Zero(D64()); }

  HWY_INLINE void Add(const typename Lanes::Bits* x, V64 pivot) {
    Group g = LoadGroup<Lanes>(x);
    if constexpr (kPivoted) g = {hn::Sub(g.a, pivot), hn::Sub(g.b, pivot), hn::Sub(g.c, pivot), hn::Sub(g.d, pivot)};
    s0 = hn::Add(s0, g.a);
    s1 = hn::Add(s1, g.b);
    s2 = hn::Add(s2, g.c);
    s3 = hn::Add(s3, g.d);
    q0 = hn::MulAdd(g.a, g.a, q0);
    q1 = hn::MulAdd(g.b, g.b, q1);
    q2 = hn::MulAdd(g.c, g.c, q2);
    q3 = hn::MulAdd(g.d, g.d, q3);
  }
};

// Moments of x - pivot. Additions per term: kStepsPerFlush in a running sum, two joining four of them, none that rounds in
// VectorSum, at most three over its lanes and one at the end (row_stage.h). The last group is padded with the pivot.
template <typename Lanes, bool kPivoted>
HWY_NOINLINE Moments RowMomentsAs(const void* row, std::size_t width, double pivot_value) {
  const auto* x = static_cast<const typename Lanes::Bits*>(row);
  const V64 pivot = hn::Set(D64(), pivot_value);
  VectorSum sum, squares;
  sum.Clear();
  squares.Clear();
  Accumulators<Lanes, kPivoted> block;
  const std::size_t whole = width / kGroup * kGroup;
  for (std::size_t i = 0; i < whole;) {
    block.Clear();
    for (const std::size_t end = std::min(whole, i + kStepsPerFlush * kGroup); i < end; i += kGroup) block.Add(x + i, pivot);
    sum.Add(hn::Add(hn::Add(block.s0, block.s1), hn::Add(block.s2, block.s3)));
    squares.Add(hn::Add(hn::Add(block.q0, block.q1), hn::Add(block.q2, block.q3)));
  }
  if (whole != width) {
    double tail[kGroup];
    std::fill_n(tail, kGroup, pivot_value);
    WidenAs<Lanes>(x + whole, width - whole, tail);
    const Group g = LoadDoubles(tail);
    const Group d = {hn::Sub(g.a, pivot), hn::Sub(g.b, pivot), hn::Sub(g.c, pivot), hn::Sub(g.d, pivot)};
    sum.Add(hn::Add(hn::Add(d.a, d.b), hn::Add(d.c, d.d)));
    squares.Add(hn::Add(hn::MulAdd(d.a, d.a, hn::Mul(d.b, d.b)), hn::MulAdd(d.c, d.c, hn::Mul(d.d, d.d))));
  }
  return {sum.Total(), squares.Total()};
}

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

// Largest |value| of every group; NaN where one is not finite.
inline void GroupMaxima(const double* values, std::size_t padded, double* maxima) {
  const D64 d;
  for (std::size_t i = 0; i < padded; i += kGroup) {
    const Group g = LoadDoubles(values + i);
    const V64 sizes = hn::Max(hn::Max(hn::Abs(g.a), hn::Abs(g.b)), hn::Max(hn::Abs(g.c), hn::Abs(g.d)));
    const V64 zeros = hn::Add(hn::Add(hn::Sub(g.a, g.a), hn::Sub(g.b, g.b)), hn::Add(hn::Sub(g.c, g.c), hn::Sub(g.d, g.d)));
    maxima[i / kGroup] = hn::GetLane(hn::SumOfLanes(d, zeros)) + hn::GetLane(hn::MaxOfLanes(d, sizes));
  }
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

// True where the whole group may be rounded: no element close to halfway, none smaller than `smallest` (NaN fails all).
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// Each test takes the one before as its write mask: the conjunction is free.
HWY_INLINE bool MayRound(const Group& y, hn::Vec<DU64> bias, hn::Vec<DU64> mask, V64 smallest) {
  const auto biased = [&](V64 value) { return _mm512_add_epi64(_mm512_castpd_si512(value.raw), bias.raw); };
  __mmask8 safe = _mm512_test_epi64_mask(biased(y.a), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.b), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.c), mask.raw);
  safe = _mm512_mask_test_epi64_mask(safe, biased(y.d), mask.raw);
  const V64 sizes = hn::Min(hn::Min(hn::Abs(y.a), hn::Abs(y.b)), hn::Min(hn::Abs(y.c), hn::Abs(y.d)));
  return _mm512_mask_cmp_pd_mask(safe, sizes.raw, smallest.raw, _CMP_GE_OQ) == 0xff;
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

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CHUNK_INL_H_

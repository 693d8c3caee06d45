// The sums of a row in binary64; compiled once per Highway target.
#if defined(NORMCHECK_NORM_MOMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_MOMENTS_INL_H_
#undef NORMCHECK_NORM_MOMENTS_INL_H_
#else
#define NORMCHECK_NORM_MOMENTS_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "norm/groups-inl.h"
#include "norm/kernel_call.h"
#include "norm/row_stage.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

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
};

// The lanes of two vectors, each added up in three steps at most; together where the instructions for it are there.
HWY_INLINE Moments TotalsOf(V64 sum, V64 squares) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const hn::CappedTag<double, 4> d4;
  const hn::CappedTag<double, 2> d2;
  const auto four = [&](auto v) HWY_ATTR {
    if constexpr (kLanes == 8) return hn::Add(hn::LowerHalf(d4, v), hn::UpperHalf(d4, v));
    else return v;
  };
  const auto s = four(sum), q = four(squares);
  const auto pairs = hn::Add(hn::InterleaveLower(d4, s, q), hn::InterleaveUpper(d4, s, q));
  alignas(16) double both[2];
  hn::Store(hn::Add(hn::LowerHalf(d2, pairs), hn::UpperHalf(d2, pairs)), d2, both);
  return {both[0], both[1]};
#else
  return {hn::GetLane(hn::SumOfLanes(D64(), sum)), hn::GetLane(hn::SumOfLanes(D64(), squares))};
#endif
}

// The last elements of a row, fewer than a group, padded with the pivot.
template <typename Lanes>
HWY_INLINE Group TailGroup(const typename Lanes::Bits* x, std::size_t count, double pivot) {
  if (pivot == 0) return LoadTail<Lanes>(x, count);
  double tail[kGroup];
  std::fill_n(tail, kGroup, pivot);
  WidenAs<Lanes>(x, count, tail);
  return LoadDoubles(tail);
}

// Four running sums of x - pivot, unless those are not wanted, and four of its square.
template <typename Lanes, bool kPivoted, bool kSum>
struct Accumulators {
  V64 s0, s1, s2, s3, q0, q1, q2, q3;

  HWY_INLINE void Start(Group g, V64 pivot) {
    if constexpr (kPivoted) g = {hn::Sub(g.a, pivot), hn::Sub(g.b, pivot), hn::Sub(g.c, pivot), hn::Sub(g.d, pivot)};
    s0 = g.a, s1 = g.b, s2 = g.c, s3 = g.d;
    q0 = hn::Mul(g.a, g.a), q1 = hn::Mul(g.b, g.b), q2 = hn::Mul(g.c, g.c), q3 = hn::Mul(g.d, g.d);
  }

  // a + b, the same bits by another unit where multiply-adds have units of their own: the adders convert too and are the narrow place.
  static HWY_INLINE V64 Plus(V64 a, V64 b) { return HWY_NATIVE_FMA ? hn::MulAdd(a, hn::Set(D64(), 1.0), b) : hn::Add(a, b); }

  HWY_INLINE void Add(Group g, V64 pivot) {
    if constexpr (kPivoted) g = {hn::Sub(g.a, pivot), hn::Sub(g.b, pivot), hn::Sub(g.c, pivot), hn::Sub(g.d, pivot)};
    if constexpr (kSum) {
      s0 = hn::Add(s0, g.a);
      s1 = hn::Add(s1, g.b);
      s2 = hn::Add(s2, g.c);
      s3 = Plus(g.d, s3);
    }
    q0 = hn::MulAdd(g.a, g.a, q0);
    q1 = hn::MulAdd(g.b, g.b, q1);
    q2 = hn::MulAdd(g.c, g.c, q2);
    q3 = hn::MulAdd(g.d, g.d, q3);
  }

  // At most kStepsPerFlush groups, the last one padded.
  HWY_INLINE void Take(const typename Lanes::Bits* x, std::size_t count, double pivot_value) {
    const V64 pivot = hn::Set(D64(), pivot_value);
    if (HWY_UNLIKELY(count < kGroup)) return Start(TailGroup<Lanes>(x, count, pivot_value), pivot);
    Start(LoadGroup<Lanes>(x), pivot);
    std::size_t i = kGroup;
    for (; i + kGroup <= count; i += kGroup) Add(LoadGroup<Lanes>(x + i), pivot);
    if (HWY_UNLIKELY(i != count)) Add(TailGroup<Lanes>(x + i, count - i, pivot_value), pivot);
  }

  HWY_INLINE V64 Sum() const { return kSum ? hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)) : hn::Zero(D64()); }
  HWY_INLINE V64 Squares() const { return hn::Add(hn::Add(q0, q1), hn::Add(q2, q3)); }
};

// Moments of x - pivot, the sum 0 unless it is wanted. Additions per term: kStepsPerFlush in a running sum, two joining four of them, none that rounds in
// VectorSum, at most three over its lanes and one at the end (row_stage.h).
template <typename Lanes, bool kPivoted, bool kSum>
HWY_INLINE Moments MomentsOf(const typename Lanes::Bits* x, std::size_t width, double pivot) {
  constexpr std::size_t kFlush = kStepsPerFlush * kGroup;
  Accumulators<Lanes, kPivoted, kSum> block;
  if (width <= kFlush) {  // what the loop below would give
    block.Take(x, width, pivot);
    return TotalsOf(block.Sum(), block.Squares());
  }
  VectorSum sum, squares;
  sum.Clear();
  squares.Clear();
  for (std::size_t i = 0; i < width; i += kFlush) {
    block.Take(x + i, std::min(kFlush, width - i), pivot);
    if constexpr (kSum) sum.Add(block.Sum());
    squares.Add(block.Squares());
  }
  const Moments high = TotalsOf(sum.high, squares.high), low = TotalsOf(sum.low, squares.low);
  return {high.sum + low.sum, high.squares + low.squares};
}

template <typename Lanes, bool kPivoted, bool kSum>
HWY_NOINLINE Moments RowMomentsAs(const void* row, std::size_t width, double pivot) {
  return MomentsOf<Lanes, kPivoted, kSum>(static_cast<const typename Lanes::Bits*>(row), width, pivot);
}

// The same of `rows` rows about 0.
template <typename Lanes, bool kSum>
HWY_NOINLINE void RowsMomentsAs(const typename Lanes::Bits* x, std::size_t pitch, std::size_t rows, std::size_t width, double* sums, double* squares) {
  for (std::size_t r = 0; r < rows; ++r) {
    const Moments moments = MomentsOf<Lanes, false, kSum>(x + r * pitch, width, 0);
    sums[r] = moments.sum;
    squares[r] = moments.squares;
  }
}

template <typename Lanes>
Moments RowMomentsOf(Op op, const void* x, std::size_t width, double pivot) {
  if (op == Op::kRmsNorm) return RowMomentsAs<Lanes, false, false>(x, width, 0);
  return pivot != 0 ? RowMomentsAs<Lanes, true, true>(x, width, pivot) : RowMomentsAs<Lanes, false, true>(x, width, 0);
}

// RMSNorm has no use for the sum, and pivot 0.
inline Moments RowMoments(Op op, Format format, const void* x, std::size_t width, double pivot) {
  switch (format) {
    case Format::kF16: return RowMomentsOf<F16Lanes>(op, x, width, pivot);
    case Format::kBf16: return RowMomentsOf<Bf16Lanes>(op, x, width, pivot);
    case Format::kF32: break;
  }
  return RowMomentsOf<F32Lanes>(op, x, width, pivot);
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_MOMENTS_INL_H_

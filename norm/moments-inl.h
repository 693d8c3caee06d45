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

// Four running sums of x - pivot, unless those are not wanted, and four of its square.
template <typename Lanes, bool kPivoted, bool kSum>
struct Accumulators {
  V64 s0, s1, s2, s3, q0, q1, q2, q3;

  HWY_INLINE void Clear() { s0 = s1 = s2 = s3 = q0 = q1 = q2 = q3 = hn::Zero(D64()); }

  // a + b, the same bits by another unit where multiply-adds have units of their own: the adders convert too and are the narrow place.
  static HWY_INLINE V64 Plus(V64 a, V64 b) { return HWY_NATIVE_FMA ? hn::MulAdd(a, hn::Set(D64(), 1.0), b) : hn::Add(a, b); }

  HWY_INLINE void Add(const typename Lanes::Bits* x, V64 pivot) {
    Group g = LoadGroup<Lanes>(x);
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

  HWY_INLINE V64 Sum() const { return hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)); }
  HWY_INLINE V64 Squares() const { return hn::Add(hn::Add(q0, q1), hn::Add(q2, q3)); }
};

// Moments of x - pivot, the sum 0 unless it is wanted. Additions per term: kStepsPerFlush in a running sum, two joining four of them, none that rounds in
// VectorSum, at most three over its lanes and one at the end (row_stage.h). The last group is padded with the pivot.
template <typename Lanes, bool kPivoted, bool kSum>
HWY_NOINLINE Moments RowMomentsAs(const void* row, std::size_t width, double pivot_value) {
  const auto* x = static_cast<const typename Lanes::Bits*>(row);
  const V64 pivot = hn::Set(D64(), pivot_value);
  VectorSum sum, squares;
  sum.Clear();
  squares.Clear();
  Accumulators<Lanes, kPivoted, kSum> block;
  const std::size_t whole = width / kGroup * kGroup;
  if (whole == width && whole <= kStepsPerFlush * kGroup) {  // one flush: what the loop below would give
    block.Clear();
    for (std::size_t i = 0; i < whole; i += kGroup) block.Add(x + i, pivot);
    return TotalsOf(block.Sum(), block.Squares());
  }
  for (std::size_t i = 0; i < whole;) {
    block.Clear();
    for (const std::size_t end = std::min(whole, i + kStepsPerFlush * kGroup); i < end; i += kGroup) block.Add(x + i, pivot);
    if constexpr (kSum) sum.Add(block.Sum());
    squares.Add(block.Squares());
  }
  if (whole != width) {
    double tail[kGroup];
    std::fill_n(tail, kGroup, pivot_value);
    WidenAs<Lanes>(x + whole, width - whole, tail);
    const Group g = LoadDoubles(tail);
    const Group d = {hn::Sub(g.a, pivot), hn::Sub(g.b, pivot), hn::Sub(g.c, pivot), hn::Sub(g.d, pivot)};
    if constexpr (kSum) sum.Add(hn::Add(hn::Add(d.a, d.b), hn::Add(d.c, d.d)));
    squares.Add(hn::Add(hn::MulAdd(d.a, d.a, hn::Mul(d.b, d.b)), hn::MulAdd(d.c, d.c, hn::Mul(d.d, d.d))));
  }
  const Moments high = TotalsOf(sum.high, squares.high), low = TotalsOf(sum.low, squares.low);
  return {high.sum + low.sum, high.squares + low.squares};
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

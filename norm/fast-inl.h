// The fast tier's rows: sums, scalars of a block of rows at once, elements in binary32; compiled once per Highway target.
#if defined(NORMCHECK_NORM_FAST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_FAST_INL_H_
#undef NORMCHECK_NORM_FAST_INL_H_
#else
#define NORMCHECK_NORM_FAST_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "norm/fast_elements-inl.h"
#include "norm/fast_stage.h"
#include "norm/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Where a multiply-add rounds twice, or f16 is converted by hand, the fast tier is the correctly rounded one.
#undef NORMCHECK_HAS_FAST_TIER
#define NORMCHECK_HAS_FAST_TIER (HWY_NATIVE_FMA && NORMCHECK_NATIVE_F16)

#if NORMCHECK_HAS_FAST_TIER

// Sums of a block of rows, and the scalars with which their elements are formed; what lies beyond its rows means nothing.
struct FastBlock {
  std::size_t rows;
  alignas(64) double sum[kFastRows] = {};
  alignas(64) double squares[kFastRows] = {};
  alignas(64) double mean[kFastRows];
  alignas(64) float pivot[kFastRows];
  alignas(64) float scale[kFastRows];
  alignas(64) float shift[kFastRows];
};

enum class Sums { kF32, kF64, kF64AboutPivot };

// Limits of one kind of sums.
struct Guard {
  double spread;
  double pivot_share;
  double most_squares;
  double least_mean_square;
};

// What the rows of a call share.
struct FastCall {
  FastCall(const KernelCall& fast_call, double scale) : call(fast_call), inverse_width(1 / static_cast<double>(fast_call.width)) {
    const FastLimits limits;
    const double h = static_cast<double>(FloatAdditionsPerTerm(call.width) + 1);
    const double spread32 = limits.spread32 * PowerOfTwo(11 - TraitsOf(call.formats.y).precision) / h;
    guards[0] = {scale * spread32, kInfinity, limits.most_squares32, limits.least_squares32};
    guards[1] = {scale * limits.spread64, kInfinity, limits.most_squares, 0};
    guards[2] = {scale * limits.spread64, scale * limits.pivot_share, limits.most_squares, 0};
  }

  static constexpr double kInfinity = PowerOfTwo(1024);

  const KernelCall& call;
  double inverse_width;
  Guard guards[3];
};

// Scalars from sums: bit r of the answer is set where row r is within the guard (fast_stage.h). kShifted: 16-bit results.
template <bool kCentred, bool kShifted>
HWY_INLINE std::uint32_t SetScalars(const FastCall& fast, Sums sums, FastBlock& block) {
  const DRows d;
  const hn::Rebind<float, DRows> ds;
  const FastLimits limits;
  const Guard& guard = fast.guards[static_cast<int>(sums)];
  const VRows inverse_width = hn::Set(d, fast.inverse_width);
  std::uint32_t inside = 0;
  for (std::size_t r = 0; r < block.rows; r += kRowLanes) {
    const VRows squares = hn::Load(d, block.squares + r);
    const VRows mean_square = hn::Mul(squares, inverse_width);
    const VRows mean = hn::Mul(hn::Load(d, block.sum + r), inverse_width);
    const VRows variance = kCentred ? hn::NegMulAdd(mean, mean, mean_square) : mean_square;
    const VRows q = hn::Add(variance, hn::Set(d, fast.call.epsilon));
    const VRows scale = hn::Div(hn::Set(d, 1.0), hn::Sqrt(q));
    auto ok = hn::And(hn::Le(squares, hn::Set(d, guard.most_squares)), hn::Ge(mean_square, hn::Set(d, guard.least_mean_square)));
    ok = hn::And(ok, hn::And(hn::Ge(scale, hn::Set(d, limits.least_scale)), hn::Le(scale, hn::Set(d, 1 / limits.least_scale))));
    ok = hn::And(ok, hn::Ge(variance, hn::Mul(q, hn::Set(d, limits.least_share))));
    ok = hn::And(ok, hn::Le(kCentred ? mean_square : variance, hn::Mul(variance, hn::Set(d, guard.spread))));
    const auto rounded = hn::DemoteTo(ds, scale);
    hn::Store(rounded, ds, block.scale + r);
    if constexpr (kCentred) {
      VRows correction = mean;
      if constexpr (!kShifted) {
        const auto pivot = sums == Sums::kF64AboutPivot ? hn::Load(ds, block.pivot + r) : hn::DemoteTo(ds, mean);
        if (sums != Sums::kF64AboutPivot) correction = hn::Sub(mean, hn::PromoteTo(d, pivot));
        hn::Store(pivot, ds, block.pivot + r);
        hn::Store(hn::Add(hn::PromoteTo(d, pivot), correction), d, block.mean + r);
        ok = hn::And(ok, hn::Le(hn::Mul(correction, correction), hn::Mul(variance, hn::Set(d, guard.pivot_share))));
      }
      hn::Store(hn::DemoteTo(ds, hn::Neg(hn::Mul(correction, hn::PromoteTo(d, rounded)))), ds, block.shift + r);
    }
    inside |= BitsOf(ok) << r;
  }
  return inside & ((1u << block.rows) - 1);
}

// One block of rows of a call.
template <typename X, typename P, typename Y, bool kCentred>
class FastRows {
 public:
  static constexpr bool kShifted = !std::is_same_v<Y, F32Lanes>;

  explicit FastRows(const FastCall& fast) : fast_(fast), call_(fast.call), plan_(fast.call) {}

  void Run(std::size_t first, std::size_t rows) {
    block_.rows = rows;
    if constexpr (kShifted) {
      for (std::size_t r = 0; r < rows; ++r) Put(r, FloatMoments<X, kCentred>(RowX(first + r), call_.width));
    } else {
      RowsMomentsAs<X, kCentred>(RowX(first), call_.x_pitch, rows, call_.width, block_.sum, block_.squares);
    }
    const std::uint32_t inside = SetScalars<kCentred, kShifted>(fast_, kShifted ? Sums::kF32 : Sums::kF64, block_);
    if (HWY_LIKELY(inside == (1u << rows) - 1)) return FormRows(first, 0, rows);
    for (std::size_t r = 0; r < rows; ++r) {
      if ((inside >> r & 1) != 0 || IsBeta(first + r, r) || InsideAtSecond(first + r, r)) FormRows(first, r, r + 1);
      else RoundCorrectly(first + r);
    }
  }

 private:
  const typename X::Bits* RowX(std::size_t row) const { return static_cast<const typename X::Bits*>(call_.x) + row * call_.x_pitch; }
  typename Y::Bits* RowY(std::size_t row) const { return static_cast<typename Y::Bits*>(call_.y) + row * call_.y_pitch; }

  void Put(std::size_t r, const Moments& moments) {
    block_.sum[r] = moments.sum;
    block_.squares[r] = moments.squares;
  }

  // Rows of equal values, in RMSNorm of zeros: with these scalars their elements are beta. Where that rounds to bf16, ties are not to even.
  HWY_NOINLINE bool IsBeta(std::size_t row, std::size_t r) {
    constexpr bool kExact = std::is_same_v<P, Y> || !std::is_same_v<Y, Bf16Lanes>;
    double value = 0;
    if (!kExact || call_.epsilon == 0 || !std::isfinite(block_.squares[r])) return false;
    if (!IsConstant(call_.formats.x, reinterpret_cast<const char*>(RowX(row)), call_.width, value) || (!kCentred && value != 0)) return false;
    block_.pivot[r] = block_.scale[r] = block_.shift[r] = 0;
    return true;
  }

  // With better sums: in binary64 where they were not, else about the mean. RMSNorm in f32 has none.
  HWY_NOINLINE bool InsideAtSecond(std::size_t row, std::size_t r) {
    if (!std::isfinite(block_.sum[r]) || (!kCentred && !kShifted)) return false;
    const double pivot = kShifted ? 0 : block_.pivot[r];
    if (!std::isfinite(pivot)) return false;
    FastBlock again;
    again.rows = 1;
    again.pivot[0] = static_cast<float>(pivot);
    const Moments moments = pivot == 0 ? RowMomentsAs<X, false, kCentred>(RowX(row), call_.width, 0)
                                       : RowMomentsAs<X, true, kCentred>(RowX(row), call_.width, pivot);
    again.sum[0] = moments.sum;
    again.squares[0] = moments.squares;
    const bool inside = SetScalars<kCentred, kShifted>(fast_, kShifted ? Sums::kF64 : Sums::kF64AboutPivot, again) != 0;
    block_.mean[r] = again.mean[0];
    block_.pivot[r] = again.pivot[0];
    block_.scale[r] = again.scale[0];
    block_.shift[r] = again.shift[0];
    return inside;
  }

  // Elements of rows of the block.
  HWY_NOINLINE void FormRows(std::size_t first, std::size_t begin, std::size_t end) {
    const bool near = plan_.rows_at_once() * call_.width * sizeof(typename X::Bits) <= Ahead::kNearBytes;
    for (std::size_t r = begin; r < end; ++r) {
      const std::size_t row = first + r, ahead = row + plan_.rows_at_once();
      if (call_.mean != nullptr || call_.inv_std_dev != nullptr) Statistics(row, r);
      const Ahead x_ahead = {plan_.prefetch() && ahead < call_.rows ? reinterpret_cast<const char*>(RowX(ahead)) : nullptr, near};
      FormElements<X, P, Y, kCentred ? (kShifted ? Form::kShift : Form::kCentre) : Form::kScale>(
          plan_, {block_.pivot[r], block_.scale[r], block_.shift[r]}, RowX(row), x_ahead, RowY(row));
    }
  }

  // Sums in binary32 are too coarse for f32 statistics, and a row of IsBeta has no scale: those are the correctly rounded ones.
  HWY_NOINLINE void Statistics(std::size_t row, std::size_t r) {
    if (kShifted || block_.scale[r] == 0) {
      LazyExactRow exact;
      exact.Reset(call_, RowX(row));
      WriteStatistics(call_, StageOfRow(call_, reinterpret_cast<const char*>(RowX(row))), exact, &Widen, row);
    } else {
      if (call_.mean != nullptr) call_.mean[row] = static_cast<float>(block_.mean[r]);
      if (call_.inv_std_dev != nullptr) call_.inv_std_dev[row] = block_.scale[r];
    }
  }

  HWY_NOINLINE void RoundCorrectly(std::size_t row) {
    KernelCall one = call_;
    one.rows = 1;
    one.x = RowX(row);
    one.y = RowY(row);
    if (one.mean != nullptr) one.mean += row;
    if (one.inv_std_dev != nullptr) one.inv_std_dev += row;
    NormalizeRows(one, {});
  }

  const FastCall& fast_;
  const KernelCall& call_;
  ElementPlan<P> plan_;
  FastBlock block_;
};

template <typename X, typename P, typename Y, bool kCentred>
HWY_NOINLINE void NormalizeFastAs(const FastCall& fast) {
  FastRows<X, P, Y, kCentred> rows(fast);
  const std::size_t at_once = RowsAtOnce(fast.call);
  for (std::size_t row = 0; row < fast.call.rows; row += at_once) rows.Run(row, std::min(at_once, fast.call.rows - row));
  if (Streams(fast.call)) hwy::FlushStream();
}

template <typename X, typename P, typename Y>
void NormalizeFastAs(const FastCall& fast) {
  if (fast.call.op == Op::kLayerNorm) NormalizeFastAs<X, P, Y, true>(fast);
  else NormalizeFastAs<X, P, Y, false>(fast);
}

template <typename X>
void NormalizeFastFrom(const FastCall& fast) {
  const bool wide_params = fast.call.formats.params == Format::kF32, wide_y = fast.call.formats.y == Format::kF32;
  if (wide_params) return wide_y ? NormalizeFastAs<X, F32Lanes, F32Lanes>(fast) : NormalizeFastAs<X, F32Lanes, X>(fast);
  return wide_y ? NormalizeFastAs<X, X, F32Lanes>(fast) : NormalizeFastAs<X, X, X>(fast);
}

inline void NormalizeRowsFast(const KernelCall& call, double guard_scale) {
  if (call.width == 0) return;
  if (!ParamsFit(call)) return NormalizeRows(call, {});
  const FastCall fast(call, guard_scale);
  switch (call.formats.x) {
    case Format::kF16: return NormalizeFastFrom<F16Lanes>(fast);
    case Format::kBf16: return NormalizeFastFrom<Bf16Lanes>(fast);
    case Format::kF32: return NormalizeFastAs<F32Lanes, F32Lanes, F32Lanes>(fast);
  }
}

#else

inline void NormalizeRowsFast(const KernelCall& call, double) { NormalizeRows(call, {}); }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_FAST_INL_H_

// Groups that the rounding test holds back: by their own bounds, then in double-double, then exactly; compiled once per Highway target.
#if defined(NORMCHECK_NORM_SETTLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_SETTLE_INL_H_
#undef NORMCHECK_NORM_SETTLE_INL_H_
#else
#define NORMCHECK_NORM_SETTLE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "norm/chunk-inl.h"
#include "norm/exact_row.h"
#include "norm/lazy_exact_row.h"
#include "norm/row_stage.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// E of elements.
inline V64 BoundOf(const ElementError& error, V64 y, V64 gamma, V64 beta) {
  const D64 d;
  const V64 of_params = hn::MulAdd(hn::Abs(beta), hn::Set(d, error.of_beta), hn::Mul(hn::Abs(gamma), hn::Set(d, error.of_gamma)));
  return hn::MulAdd(hn::Abs(y), hn::Set(d, error.of_y), of_params);
}

// For a group that failed, a vector at a time. Bit i of the answer is set where y_i - E and y_i + E do not round to the same
// value or E is NaN, else y_i becomes that value.
template <typename Round>
HWY_INLINE std::uint32_t RoundDecidedBy(Round round, const ElementError& error, const double* gamma, const double* beta, double* y) {
  const D64 d;
  const V64 zero = hn::Zero(d);
  std::uint32_t undecided = 0;
  for (std::size_t i = 0; i < kGroup; i += kLanes) {
    const V64 value = hn::LoadU(d, y + i);
    const V64 bound = BoundOf(error, value, hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i));
    const V64 least = hn::Add(hn::Sub(value, bound), zero);
    const V64 low = F32Lanes::Widen(round(least));
    const V64 high = F32Lanes::Widen(round(hn::Add(hn::Add(value, bound), zero)));
    const auto same_bits = hn::RebindMask(d, hn::Eq(hn::BitCast(DU64(), low), hn::BitCast(DU64(), high)));
    const auto same = hn::And(same_bits, hn::Eq(hn::Sub(least, least), zero));
    hn::StoreU(hn::IfThenElse(same, low, value), d, y + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(same), bits);
    undecided |= std::uint32_t{bits[0]} << i;
  }
  return undecided;
}

inline std::uint32_t RoundDecided(const ElementError& error, Format format, const double* gamma, const double* beta, double* y) {
  switch (format) {
    case Format::kF16: return RoundDecidedBy([](V64 v) HWY_ATTR { return RoundTo16<Format::kF16>(v); }, error, gamma, beta, y);
    case Format::kBf16: return RoundDecidedBy([](V64 v) HWY_ATTR { return RoundTo16<Format::kBf16>(v); }, error, gamma, beta, y);
    case Format::kF32: break;
  }
  return RoundDecidedBy([](V64 v) HWY_ATTR { return F32Lanes::Narrow(v); }, error, gamma, beta, y);
}

#if HWY_NATIVE_FMA
struct PairVector {
  V64 high, low;
};

HWY_INLINE PairVector TwoSumOf(V64 a, V64 b) {
  const V64 sum = hn::Add(a, b);
  const V64 part = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, part)), hn::Sub(b, part))};
}

HWY_INLINE PairVector FastTwoSumOf(V64 a, V64 b) {
  const V64 sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

HWY_INLINE PairVector PlusOf(const PairVector& a, V64 b) {
  const PairVector sum = TwoSumOf(a.high, b);
  return FastTwoSumOf(sum.high, hn::Add(a.low, sum.low));
}

// a*(b_high + b_low): the fused operations only make the errors of double_double.h smaller.
HWY_INLINE PairVector TimesOf(const PairVector& a, V64 b_high, V64 b_low) {
  const V64 product = hn::Mul(a.high, b_high);
  const V64 rest = hn::MulAdd(a.low, b_high, hn::MulAdd(a.high, b_low, hn::MulSub(a.high, b_high, product)));
  return FastTwoSumOf(product, rest);
}

HWY_INLINE V64 RoundedVector(Format format, V64 v) {
  switch (format) {
    case Format::kF16: return F32Lanes::Widen(RoundTo16<Format::kF16>(v));
    case Format::kBf16: return F32Lanes::Widen(RoundTo16<Format::kBf16>(v));
    case Format::kF32: break;
  }
  return F32Lanes::Widen(F32Lanes::Narrow(v));
}

// y_i where the estimate leaves two neighbours, low <= high, or zero: held against m = (low + high)/2. With a = gamma*N, B = m - beta
// and r = sqrt(Q), sign(y - m) = sign(a - B*r); where N, B and r are doubles both products are pairs without error, and pairs are in
// the order of their parts. Equal: a tie, which rounding m settles, or an exact zero. a = 0 needs no r. Bits of `decided`: where so.
HWY_INLINE V64 RoundByProducts(const NarrowRow& row, Format format, const PairVector& deviation, V64 gamma, V64 beta, V64 low, V64 high, hn::Mask<D64>& decided) {
  const D64 d;
  const V64 zero = hn::Zero(d);
  const V64 middle = hn::Mul(hn::Add(low, high), hn::Set(d, 0.5));
  const PairVector difference = TwoSumOf(middle, hn::Neg(beta));
  const V64 root = hn::Set(d, row.root > 0 ? row.root : 1.0);
  const V64 a = hn::Mul(deviation.high, gamma), a_low = hn::MulSub(deviation.high, gamma, a);
  const V64 b = hn::Mul(difference.high, root), b_low = hn::MulSub(difference.high, root, b);
  const auto equal = hn::Eq(a, b);
  const auto above = hn::Or(hn::Gt(a, b), hn::And(equal, hn::Gt(a_low, b_low)));
  const auto tie = hn::And(equal, hn::Eq(a_low, b_low));
  const auto exact = hn::And(hn::Eq(deviation.low, zero), hn::Eq(difference.low, zero));
  const auto rational = hn::Or(hn::Eq(a, zero), hn::Gt(hn::Set(d, row.root), zero));
  const auto finite = hn::Eq(hn::Sub(b, b), zero);
  decided = hn::And(hn::And(exact, rational), hn::And(finite, hn::Eq(hn::Set(d, row.sum.low), zero)));
  return hn::IfThenElse(tie, RoundedVector(format, middle), hn::IfThenElse(above, high, low));
}

// NarrowRow::Element for a whole group: bit i of the answer is set where it does not decide, else y_i is the rounded value.
inline std::uint32_t RoundNarrow(const NarrowRow& row, Format format, const double* x, const double* gamma, const double* beta, double* y) {
  const D64 d;
  const V64 zero = hn::Zero(d);
  std::uint32_t undecided = 0;
  for (std::size_t i = 0; i < kGroup; i += kLanes) {
    const V64 g = hn::LoadU(d, gamma + i), b = hn::LoadU(d, beta + i);
    const V64 scaled = hn::Mul(hn::Set(d, row.count), hn::LoadU(d, x + i));
    const PairVector deviation = PlusOf(TwoSumOf(scaled, hn::Set(d, -row.sum.high)), hn::Set(d, -row.sum.low));
    const PairVector t = TimesOf(TimesOf(deviation, g, zero), hn::Set(d, row.inverse.high), hn::Set(d, row.inverse.low));
    const PairVector value = PlusOf(t, b);
    const V64 of_t = hn::MulAdd(hn::Abs(t.high), hn::Set(d, 1.01 * 0x1p-99), hn::Set(d, 1.01 * 0x1p-1000));
    const V64 reach = hn::MulAdd(hn::Abs(value.high), hn::Set(d, 0x1p-51 + 0x1p-103), of_t);
    const V64 low = RoundedVector(format, hn::Sub(value.high, reach)), high = RoundedVector(format, hn::Add(value.high, reach));
    const auto same = hn::And(hn::Eq(low, high), hn::Ne(low, zero));
    if (hn::AllTrue(d, same)) {
      hn::StoreU(low, d, y + i);
      continue;
    }
    auto by_products = same;
    const V64 settled = RoundByProducts(row, format, deviation, g, b, low, high, by_products);
    hn::StoreU(hn::IfThenElse(same, low, settled), d, y + i);
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Not(hn::Or(same, by_products)), bits);
    undecided |= std::uint32_t{bits[0]} << i;
  }
  return undecided;
}
#endif

// What settling takes of a row: its stage, and the exact row should it be needed.
struct RowState {
  RowStage stage;
  LazyExactRow exact;
};

// The elements that are left undecided: y_i becomes the correctly rounded value, one by one.
HWY_NOINLINE void SettleExactly(RowState& row, std::uint32_t undecided, Format format, const double* x, const double* gamma, const double* beta, double* y) {
  double rounded[kGroup] = {};
  [[maybe_unused]] const NarrowRow& narrow = row.exact.Get(&Widen).narrow();
  std::uint32_t open = undecided;
#if HWY_NATIVE_FMA
  if (narrow.fits) open &= RoundNarrow(narrow, format, x, gamma, beta, rounded);
#endif
  for (std::size_t i = 0; i < kGroup; ++i) {
    const std::uint32_t bit = std::uint32_t{1} << i;
    if ((undecided & bit) == 0) continue;
    y[i] = (open & bit) == 0 ? rounded[i] : row.exact.Element(x[i], gamma[i], beta[i], format);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_SETTLE_INL_H_

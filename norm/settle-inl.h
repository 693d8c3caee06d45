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

// Element by element, for a group that failed. Bit i of the answer is set where y_i - E and y_i + E do not round to the
// same value, else y_i becomes that value.
inline std::uint32_t RoundDecided(const ElementError& error, Format format, const double* gamma, const double* beta, double* y) {
  const D64 d;
  double low[kGroup], high[kGroup];
  for (std::size_t i = 0; i < kGroup; i += kLanes) {
    const V64 value = hn::LoadU(d, y + i);
    const V64 bound = BoundOf(error, value, hn::LoadU(d, gamma + i), hn::LoadU(d, beta + i));
    hn::StoreU(hn::Add(hn::Sub(value, bound), hn::Zero(d)), d, low + i);
    hn::StoreU(hn::Add(hn::Add(value, bound), hn::Zero(d)), d, high + i);
  }
  RoundTo(format, low, kGroup);
  RoundTo(format, high, kGroup);
  std::uint32_t undecided = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    const bool same = std::memcmp(low + i, high + i, sizeof(double)) == 0 && y[i] - y[i] == 0;
    if (same) y[i] = low[i];
    else undecided |= std::uint32_t{1} << i;
  }
  return undecided;
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

// NarrowRow::Element for a whole group: bit i of the answer is set where it does not decide, else y_i is the rounded value.
inline std::uint32_t RoundNarrow(const NarrowRow& row, Format format, const double* x, const double* gamma, const double* beta, double* y) {
  const D64 d;
  const V64 zero = hn::Zero(d);
  double low[kGroup], high[kGroup];
  for (std::size_t i = 0; i < kGroup; i += kLanes) {
    const V64 scaled = hn::Mul(hn::Set(d, row.count), hn::LoadU(d, x + i));
    const PairVector deviation = PlusOf(TwoSumOf(scaled, hn::Set(d, -row.sum.high)), hn::Set(d, -row.sum.low));
    const PairVector a = TimesOf(deviation, hn::LoadU(d, gamma + i), zero);
    const PairVector t = TimesOf(a, hn::Set(d, row.inverse.high), hn::Set(d, row.inverse.low));
    const PairVector value = PlusOf(t, hn::LoadU(d, beta + i));
    const V64 of_t = hn::MulAdd(hn::Abs(t.high), hn::Set(d, 1.01 * 0x1p-99), hn::Set(d, 1.01 * 0x1p-1000));
    const V64 reach = hn::MulAdd(hn::Abs(value.high), hn::Set(d, 0x1p-51 + 0x1p-103), of_t);
    hn::StoreU(hn::Sub(value.high, reach), d, low + i);
    hn::StoreU(hn::Add(value.high, reach), d, high + i);
  }
  RoundTo(format, low, kGroup);
  RoundTo(format, high, kGroup);
  std::uint32_t undecided = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    if (low[i] == high[i] && low[i] != 0) y[i] = low[i];
    else undecided |= std::uint32_t{1} << i;
  }
  return undecided;
}
#endif

// One row of a block: where it is, what its statistics are, and the exact row should it be needed.
struct RowState {
  const char* x;
  const char* x_ahead;  // the row to be fetched; null: none
  char* y;
  RowStage stage;
  LazyExactRow exact;
};

// A group that may not be rounded as it is: y_i becomes the correctly rounded value, element by element.
HWY_NOINLINE void SettleGroup(RowState& row, Format x_format, Format y_format, const void* x, const double* gamma, const double* beta, double* y) {
  std::uint32_t undecided = ~std::uint32_t{0};
  if (row.stage.kind != RowKind::kExact) undecided = RoundDecided(row.stage.error, y_format, gamma, beta, y);
  if (undecided == 0) return;
  double values[kGroup], rounded[kGroup] = {};
  Widen(x_format, x, kGroup, values);
  [[maybe_unused]] const NarrowRow& narrow = row.exact.Get(&Widen).narrow();
  std::uint32_t open = undecided;
#if HWY_NATIVE_FMA
  if (narrow.fits) open &= RoundNarrow(narrow, y_format, values, gamma, beta, rounded);
#endif
  for (std::size_t i = 0; i < kGroup; ++i) {
    const std::uint32_t bit = std::uint32_t{1} << i;
    if ((undecided & bit) == 0) continue;
    y[i] = (open & bit) == 0 ? rounded[i] : row.exact.Element(values[i], gamma[i], beta[i], y_format);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_SETTLE_INL_H_

// From the sums of rows to their stages; compiled once per Highway target.
#if defined(NORMCHECK_NORM_STAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_STAGES_INL_H_
#undef NORMCHECK_NORM_STAGES_INL_H_
#else
#define NORMCHECK_NORM_STAGES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "norm/moments-inl.h"
#include "norm/special_elements.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Rows that go through a chunk of gamma and beta together; where those are widened once for the call, only as many as leave
// the first-level cache room beside them.
inline constexpr std::size_t kBlock = 4;
inline constexpr std::size_t kBlockBytes = std::size_t{1} << 12;

inline StageInputs InputsOf(const KernelCall& call) { return {call.op, call.width, 1 / static_cast<double>(call.width), call.epsilon}; }

// Calls visit(values, count) over the row, widened; stops where that is false, and answers whether it went through.
template <typename Visit>
bool VisitRow(Format format, const char* x, std::size_t width, const Visit& visit) {
  constexpr std::size_t kPiece = 256;
  double values[kPiece];
  for (std::size_t offset = 0; offset < width; offset += kPiece) {
    const std::size_t count = std::min(kPiece, width - offset);
    Widen(format, x + offset * TraitsOf(format).bytes, count, values);
    if (!visit(values, count)) return false;
  }
  return true;
}

// Finite values are equal where their bits are, zeros of both signs apart: the row held against itself, one element on.
HWY_NOINLINE bool IsConstant(Format format, const char* x, std::size_t width, double& first) {
  const std::size_t bytes = TraitsOf(format).bytes;
  Widen(format, x, 1, &first);
  if (std::memcmp(x, x + bytes, (width - 1) * bytes) == 0) return true;
  return first == 0 && VisitRow(format, x, width, [&](const double* values, std::size_t count) {
           return std::all_of(values, values + count, [&](double value) { return value == 0; });
         });
}

HWY_NOINLINE RowStage NonFiniteRow(const KernelCall& call, const char* x) {
  NonFinite found;
  VisitRow(call.formats.x, x, call.width, [&](const double* values, std::size_t count) {
    NoteNonFinite(values, count, found);
    return true;
  });
  return NonFiniteStage(call.op, found);
}

// Where kOrdinary does not hold about 0: rows that are not finite, rows of equal values, rows whose mean is large.
HWY_NOINLINE void SetOtherStage(const KernelCall& call, const StageInputs& inputs, const char* x, const Moments& about_zero, RowStage& stage) {
  const Format format = call.formats.x;
  double first = 0;
  if (!std::isfinite(about_zero.squares)) {
    stage = NonFiniteRow(call, x);
  } else if (call.op == Op::kRmsNorm ? about_zero.squares == 0 : IsConstant(format, x, call.width, first)) {
    stage = ConstantStage(first + 0.0, call.epsilon);
  } else if (stage.kind == RowKind::kExact && call.op == Op::kLayerNorm) {
    const double pivot = stage.mean;
    const Moments about_mean = RowMoments(call.op, format, x, call.width, pivot);
    SetOrdinaryStage(inputs, about_mean, pivot, InvStdDevOf(inputs, about_mean), stage);
  }
}

// Sums of finite values cannot overflow binary64: |sum| < 2^192, squares < 2^320.
inline void SetStageFrom(const KernelCall& call, const StageInputs& inputs, const char* x, const Moments& about_zero, double inv_std_dev, RowStage& stage) {
  SetOrdinaryStage(inputs, about_zero, 0, inv_std_dev, stage);
  if (HWY_UNLIKELY(stage.kind != RowKind::kOrdinary || !stage.spread)) SetOtherStage(call, inputs, x, about_zero, stage);
}

inline void SetStage(const KernelCall& call, const char* x, RowStage& stage) {
  const StageInputs inputs = InputsOf(call);
  const Moments about_zero = RowMoments(call.op, call.formats.x, x, call.width, 0);
  SetStageFrom(call, inputs, x, about_zero, InvStdDevOf(inputs, about_zero), stage);
}

// InvStdDevOf of a block of rows, by the same operations.
HWY_INLINE void InvStdDevsOf(const StageInputs& inputs, const double* sums, const double* squares, double* inv_std_devs) {
  const hn::CappedTag<double, kBlock> d;
  const auto inverse_width = hn::Set(d, inputs.inverse_width);
  for (std::size_t r = 0; r < kBlock; r += hn::Lanes(d)) {
    const auto correction = hn::Mul(hn::Load(d, sums + r), inverse_width);
    const auto variance = hn::Sub(hn::Mul(hn::Load(d, squares + r), inverse_width), hn::Mul(correction, correction));
    hn::Store(hn::Div(hn::Set(d, 1.0), hn::Sqrt(hn::Add(variance, hn::Set(d, inputs.epsilon)))), d, inv_std_devs + r);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_STAGES_INL_H_

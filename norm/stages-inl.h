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
#include <cstdint>
#include <cstring>
#include <limits>

#include "norm/moments-inl.h"
#include "norm/special_elements.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Rows whose scalars are made together and that go through a chunk of gamma and beta together.
inline constexpr std::size_t kBlock = 8;

// Their sums about the pivot, the scalars of their elements and the coefficients of their errors (RowStage); what lies beyond the rows means nothing.
struct StageBlock {
  alignas(64) double sum[kBlock] = {};
  alignas(64) double squares[kBlock] = {};
  alignas(64) double pivot[kBlock] = {};
  alignas(64) double scale[kBlock];
  alignas(64) double shift[kBlock];
  alignas(64) double of_y[kBlock];
  alignas(64) double of_beta[kBlock];
  alignas(64) double of_gamma[kBlock];
  std::uint32_t ordinary = 0;  // bit r: kOrdinary holds for row r
  std::uint32_t spread = 0;    // its values are certainly not all equal, in RMSNorm zeros
};

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

// Four rows at a time: blocks of fewer are common, and roots and divisions take as long as their vectors are wide.
using DRows = hn::CappedTag<double, 4>;
using DURows = hn::RebindToUnsigned<DRows>;
using VRows = hn::Vec<DRows>;
inline constexpr std::size_t kRowLanes = hn::MaxLanes(DRows());

HWY_INLINE std::uint32_t BitsOf(hn::Mask<DRows> mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(DRows(), mask, bits);
  return bits[0];
}

// Scalars and coefficients from the sums, by the formulas of row_stage.h; RMSNorm's sums are 0.
HWY_INLINE void SetScalars(const StageInputs& inputs, std::size_t rows, StageBlock& block) {
  const DRows d;
  const auto times = [d](VRows v, double factor) HWY_ATTR { return hn::Mul(v, hn::Set(d, factor)); };
  const double of_tau = inputs.op == Op::kRmsNorm ? 0 : 1;
  block.ordinary = block.spread = 0;
  for (std::size_t r = 0; r < rows; r += kRowLanes) {
    const VRows mean_square = times(hn::Load(d, block.squares + r), inputs.inverse_width);
    const VRows correction = times(hn::Load(d, block.sum + r), inputs.inverse_width);
    const VRows variance = hn::NegMulAdd(correction, correction, mean_square);
    const VRows scale = hn::Div(hn::Set(d, 1.0), hn::Sqrt(hn::Add(variance, hn::Set(d, inputs.epsilon))));
    const VRows kappa2 = hn::Mul(hn::Mul(mean_square, scale), scale);
    const VRows kappa = hn::MulAdd(kappa2, hn::Set(d, 0.5), hn::Set(d, 0.5));
    const VRows m = hn::Mul(hn::Abs(correction), scale);
    const VRows er = hn::MulAdd(kappa2, hn::Set(d, kErOfKappa2), hn::MulAdd(hn::Mul(m, kappa), hn::Set(d, kErOfMKappa), hn::Set(d, kErFixed)));
    hn::Store(scale, d, block.scale + r);
    hn::Store(hn::Neg(hn::Mul(correction, scale)), d, block.shift + r);
    hn::Store(hn::Add(er, hn::Set(d, kSlack * 6 * kUnit)), d, block.of_y + r);
    hn::Store(hn::Add(er, hn::Set(d, kSlack * 4 * kUnit)), d, block.of_beta + r);
    hn::Store(hn::MulAdd(kappa, hn::Set(d, of_tau * kTauOfKappa), times(m, of_tau * kTauOfM)), d, block.of_gamma + r);
    block.ordinary |= BitsOf(hn::Le(kappa2, hn::Set(d, kMostKappa2))) << r;
    block.spread |= BitsOf(hn::Gt(variance, times(mean_square, 0x1p-46))) << r;  // equal values: 0, to within 2(h + 7)u of the mean square
  }
  if (inputs.width > kMaxStageWidth) block.ordinary = 0;
}

// Row r of a block, statistics included, unless it is of another kind.
inline RowStage StageOf(const StageInputs& inputs, const StageBlock& block, std::size_t r) {
  const double scale = block.scale[r], mean_square = block.squares[r] * inputs.inverse_width, correction = block.sum[r] * inputs.inverse_width;
  const double root = (mean_square - correction * correction + inputs.epsilon) * scale;
  const double kappa = 0.5 * (mean_square * scale * scale + 1);
  RowStage stage = {.pivot = block.pivot[r], .scale = scale, .shift = block.shift[r], .mean = block.pivot[r] + correction, .inv_std_dev = scale};
  stage.error = {block.of_y[r], block.of_beta[r], block.of_gamma[r]};
  stage.mean_error = kTauOfKappa * kappa * root + kSlack * kUnit * 2 * std::fabs(stage.mean);
  stage.inv_std_dev_error = stage.error.of_y * scale;
  if ((block.ordinary >> r & 1) != 0) return stage;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  stage.kind = RowKind::kExact;
  stage.error = {unknown, unknown, unknown};  // no group passes the rounding test
  return stage;
}

HWY_NOINLINE RowStage StageAbout(const KernelCall& call, const StageInputs& inputs, const char* x, double pivot) {
  StageBlock one;
  const Moments moments = RowMoments(call.op, call.formats.x, x, call.width, pivot);
  one.sum[0] = moments.sum;
  one.squares[0] = moments.squares;
  one.pivot[0] = pivot;
  SetScalars(inputs, 1, one);
  return StageOf(inputs, one, 0);
}

// Any row of a block with sums about 0. Sums of finite values cannot overflow binary64: |sum| < 2^192, squares < 2^320.
HWY_NOINLINE RowStage AnyStageOf(const KernelCall& call, const StageInputs& inputs, const char* x, const StageBlock& block, std::size_t r) {
  const RowStage stage = StageOf(inputs, block, r);
  if (stage.kind == RowKind::kOrdinary && (block.spread >> r & 1) != 0) return stage;
  double first = 0;
  if (!std::isfinite(block.squares[r])) return NonFiniteRow(call, x);
  if (call.op == Op::kRmsNorm ? block.squares[r] == 0 : IsConstant(call.formats.x, x, call.width, first)) return ConstantStage(first + 0.0, call.epsilon);
  return stage.kind == RowKind::kExact && call.op == Op::kLayerNorm ? StageAbout(call, inputs, x, stage.mean) : stage;
}

// The only row of a call.
inline RowStage StageOfRow(const KernelCall& call, const char* x) {
  StageBlock one;
  const StageInputs inputs = InputsOf(call);
  const Moments about_zero = RowMoments(call.op, call.formats.x, x, call.width, 0);
  one.sum[0] = about_zero.sum;
  one.squares[0] = about_zero.squares;
  SetScalars(inputs, 1, one);
  return AnyStageOf(call, inputs, x, one, 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_STAGES_INL_H_

// A call's rows, one after the other: statistics, elements, outputs; compiled once per Highway target.
#if defined(NORMCHECK_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_ROWS_INL_H_
#undef NORMCHECK_NORM_ROWS_INL_H_
#else
#define NORMCHECK_NORM_ROWS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "norm/chunk-inl.h"
#include "norm/exact_sum.h"
#include "norm/kernel_call.h"
#include "norm/rounding.h"
#include "norm/row_stage.h"
#include "norm/special_elements.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

inline Moments RowMoments(ChunkReader& x, std::size_t width, double pivot) {
  CompensatedSum sum;
  CompensatedSum squares;
  for (std::size_t offset = 0; offset < width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, width - offset);
    const Moments chunk = ChunkMoments(x.Read(offset, count, pivot), PaddedCount(count), pivot);
    sum.Add(chunk.sum);
    squares.Add(chunk.squares);
  }
  return {sum.Total(), squares.Total()};
}

// Ends at the first different value, so it costs something on constant rows alone.
inline bool IsConstant(ChunkReader& x, std::size_t width) {
  const double first = x.Read(0, std::min(kChunk, width), 0)[0];
  for (std::size_t offset = 0; offset < width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, width - offset);
    const double* values = x.Read(offset, count, first);
    if (std::any_of(values, values + count, [first](double value) { return value != first; })) return false;
  }
  return true;
}

inline RowStage NonFiniteRow(Op op, ChunkReader& x, std::size_t width) {
  NonFinite found;
  for (std::size_t offset = 0; offset < width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, width - offset);
    NoteNonFinite(x.Read(offset, count, 0), count, found);
  }
  return NonFiniteStage(op, found);
}

// Sums of finite values cannot overflow binary64: |sum| < 2^192, squares < 2^320.
inline RowStage StageOf(const KernelCall& call, ChunkReader& x) {
  const Moments about_zero = RowMoments(x, call.width, 0);
  if (!std::isfinite(about_zero.squares)) return NonFiniteRow(call.op, x, call.width);
  if (call.op == Op::kRmsNorm) return RmsStage(about_zero.squares, call.width, call.epsilon);
  if (IsConstant(x, call.width)) return ConstantStage(x.Read(0, std::min(kChunk, call.width), 0)[0], call.epsilon);
  const double pivot = about_zero.sum / static_cast<double>(call.width);
  return CentredStage(RowMoments(x, call.width, pivot), pivot, call.width, call.epsilon);
}

inline ExactSum ExactSumOf(ChunkReader& x, std::size_t width) {
  ExactSum sum;
  for (std::size_t offset = 0; offset < width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, width - offset);
    const double* values = x.Read(offset, count, 0);
    for (std::size_t i = 0; i < count; ++i) sum.Add(static_cast<float>(values[i]));
  }
  return sum;
}

// The arrays of a call as the rows share them.
struct Rows {
  explicit Rows(const KernelCall& rows_call)
      : call(rows_call),
        x(call.formats.x, call.x, 0),
        gamma(call.formats.params, call.gamma, 1),
        beta(call.formats.params, call.beta, 0),
        finite_params(AllFinite(gamma, call.gamma) && AllFinite(beta, call.beta)) {}

  bool AllFinite(ChunkReader& params, const void* base) const {
    return base == nullptr || std::isfinite(RowMoments(params, call.width, 0).squares);
  }

  const KernelCall& call;
  ChunkReader x;
  ChunkReader gamma;
  ChunkReader beta;
  bool finite_params;
};

inline void WriteElements(Rows& rows, const RowStage& stage, const ExactSum& sum, void* y) {
  const KernelCall& call = rows.call;
  alignas(64) double results[kChunk];
  for (std::size_t offset = 0; offset < call.width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, call.width - offset);
    const Chunk chunk = {rows.x.Read(offset, count, 0), rows.gamma.Read(offset, count, 0), rows.beta.Read(offset, count, 0), results, count};
    if (stage.kind == RowKind::kOrdinary) {
      ChunkElements(stage, chunk.x, chunk.gamma, chunk.beta, PaddedCount(count), results);
      if (!rows.finite_params) RepairNonFiniteParams(sum, call.width, chunk);
    } else {
      FillSpecial(stage.kind, chunk);
    }
    Narrow(call.formats.y, results, count, static_cast<char*>(y) + offset * TraitsOf(call.formats.y).bytes);
  }
}

inline void NormalizeRow(Rows& rows, std::size_t row) {
  const KernelCall& call = rows.call;
  rows.x.MoveTo(static_cast<const char*>(call.x) + row * call.x_pitch * TraitsOf(call.formats.x).bytes);
  const RowStage stage = StageOf(call, rows.x);
  const bool exact = !rows.finite_params && call.op == Op::kLayerNorm && stage.kind == RowKind::kOrdinary;
  const ExactSum sum = exact ? ExactSumOf(rows.x, call.width) : ExactSum();
  WriteElements(rows, stage, sum, static_cast<char*>(call.y) + row * call.y_pitch * TraitsOf(call.formats.y).bytes);
  if (call.mean != nullptr) call.mean[row] = ToFloat32(stage.mean + 0.0);
  if (call.inv_std_dev != nullptr) call.inv_std_dev[row] = ToFloat32(stage.inv_std_dev);
}

inline void NormalizeRows(const KernelCall& call) {
  if (call.width == 0) return;
  Rows rows(call);
  for (std::size_t row = 0; row < call.rows; ++row) NormalizeRow(rows, row);
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_ROWS_INL_H_

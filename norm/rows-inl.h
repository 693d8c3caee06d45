// A call's rows, one after the other: statistics, elements, outputs; compiled once per Highway target.
#if defined(NORMCHECK_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_ROWS_INL_H_
#undef NORMCHECK_NORM_ROWS_INL_H_
#else
#define NORMCHECK_NORM_ROWS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "norm/chunk-inl.h"
#include "norm/exact_row.h"
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
  const bool equal = call.op == Op::kRmsNorm ? about_zero.squares == 0 : IsConstant(x, call.width);
  if (equal) return ConstantStage(x.Read(0, std::min(kChunk, call.width), 0)[0] + 0.0, call.epsilon);
  const RowStage stage = OrdinaryStage(call.op, about_zero, 0, call.width, call.epsilon);
  if (stage.kind == RowKind::kOrdinary || call.op == Op::kRmsNorm) return stage;
  return OrdinaryStage(call.op, RowMoments(x, call.width, stage.mean), stage.mean, call.width, call.epsilon);
}

// The exact row, made when first asked for. Reads x from the caller's memory: must be asked before any of the row is overwritten.
class LazyExactRow {
 public:
  LazyExactRow(const KernelCall& call, const void* x) : call_(call), x_(static_cast<const char*>(x)) {}

  HWY_NOINLINE const ExactRow& Get() {
    if (row_) return *row_;
    ExactMoments moments;
    double values[kVirtualLanes * 8];
    for (std::size_t offset = 0; offset < call_.width; offset += std::size(values)) {
      const std::size_t count = std::min(std::size(values), call_.width - offset);
      Widen(call_.formats.x, x_ + offset * TraitsOf(call_.formats.x).bytes, count, values);
      moments.Add({values, count});
    }
    return row_.emplace(call_.op, call_.width, call_.epsilon, moments);
  }

 private:
  const KernelCall& call_;
  const char* x_;
  std::optional<ExactRow> row_;
};

// The arrays of a call as the rows share them.
struct Rows {
  Rows(const KernelCall& rows_call, double scale)
      : call(rows_call),
        bound_scale(scale),
        test(RoundingTestOf(rows_call.formats.y)),
        x(call.formats.x, call.x, 0),
        gamma(call.formats.params, call.gamma, 1),
        beta(call.formats.params, call.beta, 0) {}

  ChunkParams Params(std::size_t offset, std::size_t count) {
    const ChunkParams params = {gamma.Read(offset, count, 0), beta.Read(offset, count, 1), gamma_max, beta_max};
    if (maxima_of == offset) return params;
    GroupMaxima(params.gamma, PaddedCount(count), gamma_max);
    GroupMaxima(params.beta, PaddedCount(count), beta_max);
    maxima_of = offset;
    return params;
  }

  const KernelCall& call;
  double bound_scale;
  RoundingTest test;
  ChunkReader x;
  ChunkReader gamma;
  ChunkReader beta;
  std::size_t maxima_of = ~std::size_t{0};
  alignas(64) double results[kChunk];
  double gamma_max[kGroups];
  double beta_max[kGroups];
};

// Elements `offset` on of a row, ready to be rounded to y's format. Where one of them is undecided and `exact` is null: false.
inline bool DecideChunk(Rows& rows, const RowStage& stage, LazyExactRow* exact, std::size_t offset, std::size_t count) {
  const Format format = rows.call.formats.y;
  const double* x = rows.x.Read(offset, count, 0);
  const ChunkParams params = rows.Params(offset, count);
  std::uint32_t failed = ~std::uint32_t{0};
  if (stage.kind != RowKind::kExact) failed = ChunkElements(stage, rows.test, x, params, PaddedCount(count), rows.results);
  for (; failed != 0; failed &= failed - 1) {
    const std::size_t first = static_cast<std::size_t>(std::countr_zero(failed)) * kGroup;
    if (first >= count) break;
    std::uint32_t undecided = ~std::uint32_t{0};
    if (stage.kind != RowKind::kExact) undecided = UndecidedOf(stage.error, format, params.gamma + first, params.beta + first, rows.results + first);
    for (; undecided != 0; undecided &= undecided - 1) {
      const std::size_t i = first + static_cast<std::size_t>(std::countr_zero(undecided));
      if (i >= count) break;
      if (exact == nullptr) return false;
      rows.results[i] = exact->Get().Element(x[i], params.gamma[i], params.beta[i], format);
    }
  }
  return true;
}

// In place, the exact row must be made before the first chunk is overwritten: a row of several chunks is gone through once more.
inline void PrepareInPlace(Rows& rows, const RowStage& stage, LazyExactRow& exact) {
  const KernelCall& call = rows.call;
  if (call.x != call.y || call.width <= kChunk) return;
  for (std::size_t offset = 0; offset < call.width; offset += kChunk)
    if (!DecideChunk(rows, stage, nullptr, offset, std::min(kChunk, call.width - offset))) {
      exact.Get();
      return;
    }
}

inline void WriteElements(Rows& rows, const RowStage& stage, LazyExactRow& exact, void* y) {
  const KernelCall& call = rows.call;
  const bool equal = stage.kind == RowKind::kZero || stage.kind == RowKind::kNan;
  if (!equal) PrepareInPlace(rows, stage, exact);
  for (std::size_t offset = 0; offset < call.width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, call.width - offset);
    if (equal) {
      const double* x = rows.x.Read(offset, count, 0);
      const ChunkParams params = rows.Params(offset, count);
      FillSpecial(stage.kind, {x, params.gamma, params.beta, rows.results, count});
    } else {
      DecideChunk(rows, stage, &exact, offset, count);
    }
    Narrow(call.formats.y, rows.results, count, static_cast<char*>(y) + offset * TraitsOf(call.formats.y).bytes);
  }
}

inline RowStage ScaledStage(RowStage stage, double scale) {
  for (double* bound : {&stage.error.of_y, &stage.error.of_beta, &stage.error.of_gamma, &stage.mean_error, &stage.inv_std_dev_error}) *bound *= scale;
  return stage;
}

inline bool RoundsAlike(double value, double error) {
  return std::bit_cast<std::uint32_t>(ToFloat32(value - error)) == std::bit_cast<std::uint32_t>(ToFloat32(value + error));
}

inline void WriteStatistics(const KernelCall& call, const RowStage& stage, LazyExactRow& exact, std::size_t row) {
  const bool unknown = stage.kind == RowKind::kExact;
  if (call.mean != nullptr) {
    const bool safe = !unknown && RoundsAlike(stage.mean, stage.mean_error);
    call.mean[row] = ToFloat32(safe ? stage.mean + 0.0 : exact.Get().Mean());
  }
  if (call.inv_std_dev != nullptr) {
    const bool safe = !unknown && RoundsAlike(stage.inv_std_dev, stage.inv_std_dev_error);
    call.inv_std_dev[row] = ToFloat32(safe ? stage.inv_std_dev : exact.Get().InvStdDev());
  }
}

inline void NormalizeRow(Rows& rows, std::size_t row) {
  const KernelCall& call = rows.call;
  const void* x = static_cast<const char*>(call.x) + row * call.x_pitch * TraitsOf(call.formats.x).bytes;
  rows.x.MoveTo(x);
  const RowStage stage = ScaledStage(StageOf(call, rows.x), rows.bound_scale);
  LazyExactRow exact(call, x);
  WriteStatistics(call, stage, exact, row);
  WriteElements(rows, stage, exact, static_cast<char*>(call.y) + row * call.y_pitch * TraitsOf(call.formats.y).bytes);
}

inline void NormalizeRows(const KernelCall& call, double bound_scale) {
  if (call.width == 0) return;
  Rows rows(call, bound_scale);
  for (std::size_t row = 0; row < call.rows; ++row) NormalizeRow(rows, row);
}

// The binary64 stage's y and E of a call's first row; false where it has none.
inline bool EstimateRow(const KernelCall& call, double* y, double* error) {
  Rows rows(call, 1);
  rows.x.MoveTo(call.x);
  const RowStage stage = StageOf(call, rows.x);
  if (stage.kind != RowKind::kOrdinary) return false;
  alignas(64) double bounds[kChunk];
  for (std::size_t offset = 0; offset < call.width; offset += kChunk) {
    const std::size_t count = std::min(kChunk, call.width - offset);
    const ChunkParams params = rows.Params(offset, count);
    ChunkElements(stage, rows.test, rows.x.Read(offset, count, 0), params, PaddedCount(count), rows.results);
    const D64 d;
    for (std::size_t i = 0; i < PaddedCount(count); i += hn::Lanes(d))
      hn::Store(BoundOf(stage.error, hn::Load(d, rows.results + i), hn::Load(d, params.gamma + i), hn::Load(d, params.beta + i)), d, bounds + i);
    std::copy_n(rows.results, count, y + offset);
    std::copy_n(bounds, count, error + offset);
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_ROWS_INL_H_

// A call's rows, in blocks that share a chunk of gamma and beta: statistics, elements, outputs; compiled once per Highway target.
#if defined(NORMCHECK_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_ROWS_INL_H_
#undef NORMCHECK_NORM_ROWS_INL_H_
#else
#define NORMCHECK_NORM_ROWS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hwy/cache_control.h"
#include "norm/kernel_call.h"
#include "norm/lazy_exact_row.h"
#include "norm/row_stage.h"
#include "norm/settle-inl.h"
#include "norm/special_elements.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Rows that go through a chunk of gamma and beta together.
inline constexpr std::size_t kBlock = 4;

// From this many bytes of x and y on, the next block's x is fetched while this one's elements are formed (an L2 holds no
// more), and y goes past the caches.
inline constexpr std::size_t kPrefetchBytes = std::size_t{1} << 20;
inline constexpr std::size_t kStreamBytes = std::size_t{64} << 20;
inline constexpr std::size_t kLineBytes = 64;

// What the rows of a call share.
struct Rows {
  Rows(const KernelCall& rows_call, double scale) : call(rows_call), bound_scale(scale), test(RoundingTestOf(rows_call.formats.y)) {
    if (call.gamma == nullptr) std::fill_n(gamma, kChunk, 1.0);
    if (call.beta == nullptr) std::fill_n(beta, kChunk, 0.0);
    const std::size_t y_bytes = TraitsOf(call.formats.y).bytes;
    const std::size_t bytes = call.rows * call.width * (TraitsOf(call.formats.x).bytes + y_bytes);
    const bool lines = reinterpret_cast<std::uintptr_t>(call.y) % kLineBytes == 0 && call.y_pitch * y_bytes % kLineBytes == 0;
    prefetch = bytes >= kPrefetchBytes;
    stream = bytes >= kStreamBytes && lines && call.x != call.y;
  }

  // Widened once for a call of one chunk, else once for every block of rows.
  ChunkParams Params(std::size_t offset, std::size_t count) {
    if (held != offset) {
      Load(call.gamma, offset, count, 0, gamma);
      Load(call.beta, offset, count, 1, beta);
      GroupMaxima(gamma, PaddedCount(count), gamma_max);
      GroupMaxima(beta, PaddedCount(count), beta_max);
      held = offset;
    }
    return {gamma, beta, gamma_max, beta_max};
  }

  const KernelCall& call;
  double bound_scale;
  RoundingTest test;
  bool prefetch = false;
  bool stream = false;

 private:
  void Load(const void* base, std::size_t offset, std::size_t count, double pad, double* to) const {
    if (base == nullptr) return;
    Widen(call.formats.params, static_cast<const char*>(base) + offset * TraitsOf(call.formats.params).bytes, count, to);
    std::fill(to + count, to + PaddedCount(count), pad);
  }

  std::size_t held = ~std::size_t{0};
  alignas(64) double gamma[kChunk];
  alignas(64) double beta[kChunk];
  alignas(64) double gamma_max[kGroups + kLanes];
  alignas(64) double beta_max[kGroups + kLanes];
};

inline Moments RowMoments(Format format, const void* x, std::size_t width, double pivot) {
  const bool pivoted = pivot != 0;
  switch (format) {
    case Format::kF16: return pivoted ? RowMomentsAs<F16Lanes, true>(x, width, pivot) : RowMomentsAs<F16Lanes, false>(x, width, 0);
    case Format::kBf16: return pivoted ? RowMomentsAs<Bf16Lanes, true>(x, width, pivot) : RowMomentsAs<Bf16Lanes, false>(x, width, 0);
    case Format::kF32: break;
  }
  return pivoted ? RowMomentsAs<F32Lanes, true>(x, width, pivot) : RowMomentsAs<F32Lanes, false>(x, width, 0);
}

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
HWY_NOINLINE void SetOtherStage(const KernelCall& call, const char* x, const Moments& about_zero, RowStage& stage) {
  const Format format = call.formats.x;
  double first = 0;
  if (!std::isfinite(about_zero.squares)) {
    stage = NonFiniteRow(call, x);
  } else if (call.op == Op::kRmsNorm ? about_zero.squares == 0 : IsConstant(format, x, call.width, first)) {
    stage = ConstantStage(first + 0.0, call.epsilon);
  } else if (stage.kind == RowKind::kExact && call.op == Op::kLayerNorm) {
    const double pivot = stage.mean;
    SetOrdinaryStage(call.op, RowMoments(format, x, call.width, pivot), pivot, call.width, call.epsilon, stage);
  }
}

// Sums of finite values cannot overflow binary64: |sum| < 2^192, squares < 2^320.
inline void SetStage(const KernelCall& call, const char* x, RowStage& stage) {
  const Moments about_zero = RowMoments(call.formats.x, x, call.width, 0);
  SetOrdinaryStage(call.op, about_zero, 0, call.width, call.epsilon, stage);
  if (HWY_UNLIKELY(stage.kind != RowKind::kOrdinary || !stage.spread)) SetOtherStage(call, x, about_zero, stage);
}

// One group: x to y, both of kGroup elements.
template <typename X, typename Y, bool kPivoted>
HWY_INLINE void NormalizeGroup(const Rows& rows, RowState& row, const ElementScalars& scalars, const double* floor, const typename X::Bits* x,
                               const double* gamma, const double* beta, bool stream, typename Y::Bits* y) {
  const auto bias = hn::Set(DU64(), rows.test.bias);
  const auto mask = hn::Set(DU64(), rows.test.mask);
  Group group = ElementsOf<kPivoted>(scalars, LoadGroup<X>(x), gamma, beta);
  if (HWY_UNLIKELY(!MayRound(group, bias, mask, hn::Set(D64(), *floor)))) {
    double values[kGroup];
    const V64 zero = hn::Zero(D64());
    StoreDoubles({hn::Add(group.a, zero), hn::Add(group.b, zero), hn::Add(group.c, zero), hn::Add(group.d, zero)}, values);
    SettleGroup(row, rows.call.formats.x, rows.call.formats.y, x, gamma, beta, values);
    group = LoadDoubles(values);
  }
  StoreGroup<Y>(group, stream, y);
}

HWY_INLINE void PrefetchGroup(const char* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kLineBytes) hwy::Prefetch(from + i);
}

// A chunk of one row.
template <typename X, typename Y, bool kPivoted>
HWY_NOINLINE void NormalizeChunk(const Rows& rows, RowState& row, const ChunkParams& params, std::size_t offset, std::size_t count) {
  const auto* x = reinterpret_cast<const typename X::Bits*>(row.x) + offset;
  auto* y = reinterpret_cast<typename Y::Bits*>(row.y) + offset;
  const ElementScalars scalars(row.stage);
  alignas(64) double floors[kGroups + kLanes];
  GroupFloors(row.stage.error, rows.test, params, (count + kGroup - 1) / kGroup, floors);
  const double* floor = floors;
  std::size_t i = 0;
  const char* ahead = row.x_ahead == nullptr ? nullptr : row.x_ahead + offset * sizeof(*x);
  for (; i + kGroup <= count; i += kGroup, ++floor) {
    if (ahead != nullptr) PrefetchGroup(ahead + i * sizeof(*x), kGroup * sizeof(*x));
    NormalizeGroup<X, Y, kPivoted>(rows, row, scalars, floor, x + i, params.gamma + i, params.beta + i, rows.stream, y + i);
  }
  if (i == count) return;
  typename X::Bits x_tail[kGroup] = {};
  typename Y::Bits y_tail[kGroup];
  std::memcpy(x_tail, x + i, (count - i) * sizeof(*x));
  NormalizeGroup<X, Y, kPivoted>(rows, row, scalars, floor, x_tail, params.gamma + i, params.beta + i, false, y_tail);
  std::memcpy(y + i, y_tail, (count - i) * sizeof(*y));
}

using ChunkLoop = void (*)(const Rows&, RowState&, const ChunkParams&, std::size_t offset, std::size_t count);

template <typename X, typename Y>
ChunkLoop ChunkLoopAs(bool pivoted) {
  return pivoted ? &NormalizeChunk<X, Y, true> : &NormalizeChunk<X, Y, false>;
}

// y's format is f32 or x's.
inline ChunkLoop ChunkLoopOf(const Formats& formats, bool pivoted) {
  const bool widening = formats.y == Format::kF32;
  switch (formats.x) {
    case Format::kF16: return widening ? ChunkLoopAs<F16Lanes, F32Lanes>(pivoted) : ChunkLoopAs<F16Lanes, F16Lanes>(pivoted);
    case Format::kBf16: return widening ? ChunkLoopAs<Bf16Lanes, F32Lanes>(pivoted) : ChunkLoopAs<Bf16Lanes, Bf16Lanes>(pivoted);
    case Format::kF32: break;
  }
  return ChunkLoopAs<F32Lanes, F32Lanes>(pivoted);
}

// Rows that are not finite, and undefined ones.
HWY_NOINLINE void FillChunk(const Rows& rows, const RowState& row, const ChunkParams& params, std::size_t offset, std::size_t count) {
  const Formats& formats = rows.call.formats;
  double x[kChunk], y[kChunk];
  Widen(formats.x, row.x + offset * TraitsOf(formats.x).bytes, count, x);
  FillSpecial(row.stage.kind, {x, params.gamma, params.beta, y, count});
  Narrow(formats.y, y, count, row.y + offset * TraitsOf(formats.y).bytes);
}

// In place the exact row has to be made before x is overwritten. Copies of short rows are cheaper than going twice through them.
inline void PrepareInPlace(const KernelCall& call, RowState& row) {
  if (call.x != call.y || row.stage.kind == RowKind::kZero || row.stage.kind == RowKind::kNan) return;
  row.exact.Keep(&Widen);
}

inline void NormalizeBlock(Rows& rows, RowState* block, std::size_t first, std::size_t count) {
  const KernelCall& call = rows.call;
  for (std::size_t r = 0; r < count; ++r) {
    RowState& row = block[r];
    row.x = static_cast<const char*>(call.x) + (first + r) * call.x_pitch * TraitsOf(call.formats.x).bytes;
    row.x_ahead = rows.prefetch && first + r + kBlock < call.rows ? row.x + kBlock * call.x_pitch * TraitsOf(call.formats.x).bytes : nullptr;
    row.y = static_cast<char*>(call.y) + (first + r) * call.y_pitch * TraitsOf(call.formats.y).bytes;
    SetStage(call, row.x, row.stage);
    if (rows.bound_scale != 1) ScaleBounds(row.stage, rows.bound_scale);
    row.exact.Reset(call, row.x);
    if (call.mean != nullptr || call.inv_std_dev != nullptr) WriteStatistics(call, row.stage, row.exact, &Widen, first + r);
    PrepareInPlace(call, row);
  }
  for (std::size_t offset = 0; offset < call.width; offset += kChunk) {
    const std::size_t width = std::min(kChunk, call.width - offset);
    const ChunkParams params = rows.Params(offset, width);
    for (std::size_t r = 0; r < count; ++r) {
      RowState& row = block[r];
      if (row.stage.kind == RowKind::kZero || row.stage.kind == RowKind::kNan) FillChunk(rows, row, params, offset, width);
      else ChunkLoopOf(call.formats, row.stage.pivot != 0)(rows, row, params, offset, width);
    }
  }
}

inline void NormalizeRows(const KernelCall& call, double bound_scale) {
  if (call.width == 0) return;
  Rows rows(call, bound_scale);
  RowState block[kBlock];
  for (std::size_t row = 0; row < call.rows; row += kBlock) NormalizeBlock(rows, block, row, std::min(kBlock, call.rows - row));
  if (rows.stream) hwy::FlushStream();
}

// The binary64 stage's y and E of a call's first row; false where it has none.
inline bool EstimateRow(const KernelCall& call, double* y, double* error) {
  Rows rows(call, 1);
  RowStage stage;
  SetStage(call, static_cast<const char*>(call.x), stage);
  if (stage.kind != RowKind::kOrdinary) return false;
  for (std::size_t offset = 0; offset < call.width; offset += kGroup) {
    const std::size_t chunk = offset / kChunk * kChunk;
    const ChunkParams params = rows.Params(chunk, std::min(kChunk, call.width - chunk));
    const double* gamma = params.gamma + (offset - chunk);
    const double* beta = params.beta + (offset - chunk);
    const std::size_t count = std::min(kGroup, call.width - offset);
    double x[kGroup] = {}, values[kGroup], bounds[kGroup];
    Widen(call.formats.x, static_cast<const char*>(call.x) + offset * TraitsOf(call.formats.x).bytes, count, x);
    StoreDoubles(stage.pivot != 0 ? ElementsOf<true>(ElementScalars(stage), LoadDoubles(x), gamma, beta)
                                  : ElementsOf<false>(ElementScalars(stage), LoadDoubles(x), gamma, beta), values);
    for (std::size_t i = 0; i < kGroup; i += kLanes)
      hn::StoreU(BoundOf(stage.error, hn::LoadU(D64(), values + i), hn::LoadU(D64(), gamma + i), hn::LoadU(D64(), beta + i)), D64(), bounds + i);
    std::copy_n(values, count, y + offset);
    std::copy_n(bounds, count, error + offset);
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_ROWS_INL_H_

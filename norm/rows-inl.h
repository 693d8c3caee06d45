// A call's rows, in blocks that share a chunk of gamma and beta: statistics, elements, outputs; compiled once per Highway target.
#if defined(NORMCHECK_NORM_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_ROWS_INL_H_
#undef NORMCHECK_NORM_ROWS_INL_H_
#else
#define NORMCHECK_NORM_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "norm/kernel_call.h"
#include "norm/lazy_exact_row.h"
#include "norm/row_stage.h"
#include "norm/settle-inl.h"
#include "norm/special_elements.h"
#include "norm/stages-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Rows up to this width keep the largest magnitudes of all their groups of parameters for the call.
inline constexpr std::size_t kKeptMaxima = 16 * kChunk;

inline std::size_t RowsAtOnceOf(const KernelCall& call) {
  if (call.width > kChunk) return kBlock;
  return std::clamp<std::size_t>(kBlockBytes / (call.width * TraitsOf(call.formats.x).bytes), 1, kBlock);
}

// From this many bytes of x and y on, the next block's x is fetched while this one's elements are formed (an L2 holds no
// more), and y goes past the caches.
inline constexpr std::size_t kPrefetchBytes = std::size_t{1} << 20;
inline constexpr std::size_t kStreamBytes = std::size_t{64} << 20;
inline constexpr std::size_t kLineBytes = 64;

inline std::size_t CallBytes(const KernelCall& call) { return call.rows * call.width * (TraitsOf(call.formats.x).bytes + TraitsOf(call.formats.y).bytes); }

// What the rows of a call share.
struct Rows {
  Rows(const KernelCall& rows_call, const BoundScales& scales)
      : call(rows_call), inputs(InputsOf(rows_call)), bound_scales(scales), test(RoundingTestOf(rows_call.formats.y)), at_once(RowsAtOnceOf(rows_call)) {
    if (call.gamma == nullptr) std::fill_n(gamma, kChunk, 1.0);
    if (call.beta == nullptr) std::fill_n(beta, kChunk, 0.0);
    const std::size_t y_bytes = TraitsOf(call.formats.y).bytes;
    const bool lines = reinterpret_cast<std::uintptr_t>(call.y) % kLineBytes == 0 && call.y_pitch * y_bytes % kLineBytes == 0;
    prefetch = CallBytes(call) >= kPrefetchBytes;
    stream = CallBytes(call) >= kStreamBytes && lines && call.x != call.y;
  }

  // Widened once for a call of one chunk, else once for every block of rows; the maxima of all chunks of such rows are kept.
  ChunkParams Params(std::size_t offset, std::size_t count) {
    const std::size_t place = call.width <= kKeptMaxima ? offset / kGroup : 0;
    if (held != offset) {
      Load(call.gamma, offset, count, 0, gamma);
      Load(call.beta, offset, count, 1, beta);
      if (!maxima_known) {
        GroupMaxima(gamma, PaddedCount(count), gamma_max + place);
        GroupMaxima(beta, PaddedCount(count), beta_max + place);
      }
      held = offset;
    }
    maxima_known |= call.width <= kKeptMaxima && offset + count == call.width;
    return {gamma, beta, gamma_max + place, beta_max + place};
  }

  const KernelCall& call;
  StageInputs inputs;
  BoundScales bound_scales;
  RoundingTest test;
  std::size_t at_once;
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
  bool maxima_known = false;  // of the whole width
  alignas(64) double gamma_max[kKeptMaxima / kGroup + kLanes];
  alignas(64) double beta_max[kKeptMaxima / kGroup + kLanes];
};

// What the groups of a chunk share, in registers.
struct ChunkVectors {
  ChunkVectors(const Rows& rows, const RowStage& stage)
      : scalars(stage), bias(hn::Set(DU64(), rows.test.bias)), mask(hn::Set(DU64(), rows.test.mask)), both(hn::Set(DU64(), kBothMask)) {}
  ElementScalars scalars;
  hn::Vec<DU64> bias, mask, both;
};

// Where a group's test stands: its floor, and for f32 results the bias of the shorter test, 0 where there is none.
template <typename Y>
HWY_INLINE bool PassesTest(const ChunkVectors& chunk, const Group& group, double floor, std::uint64_t bias) {
  if constexpr (std::is_same_v<Y, F32Lanes>) {
    if (HWY_LIKELY(bias != 0)) return MayRoundF32(group, hn::Set(DU64(), bias), chunk.both);
  }
  return MayRound(group, chunk.bias, chunk.mask, hn::Set(D64(), floor));
}

// One group: x to y, both of kGroup elements.
template <typename X, typename Y, bool kPivoted>
HWY_INLINE void NormalizeGroup(const Rows& rows, RowState& row, const ChunkVectors& chunk, double floor, std::uint64_t bias, const typename X::Bits* x,
                               const double* gamma, const double* beta, bool stream, typename Y::Bits* y) {
  Group group = ElementsOf<kPivoted>(chunk.scalars, LoadGroup<X>(x), gamma, beta);
  if (HWY_UNLIKELY(!PassesTest<Y>(chunk, group, floor, bias))) {
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

// The floors of a chunk's groups and, for f32 results, the biases.
template <typename Y>
struct GroupTests {
  GroupTests(const Rows& rows, const RowStage& stage, const ChunkParams& params, std::size_t count) {
    const std::size_t groups = (count + kGroup - 1) / kGroup;
    GroupFloors(stage.error, rows.test, params, groups, floors);
    if constexpr (std::is_same_v<Y, F32Lanes>) GroupBiases(rows.test, floors, groups, biases);
  }
  std::uint64_t BiasOf(std::size_t group) const { return std::is_same_v<Y, F32Lanes> ? biases[group] : 0; }

  alignas(64) double floors[kGroups + kLanes];
  std::uint64_t biases[std::is_same_v<Y, F32Lanes> ? kGroups : 1];
};

// A chunk of one row.
template <typename X, typename Y, bool kPivoted>
HWY_NOINLINE void NormalizeChunk(const Rows& rows, RowState& row, const ChunkParams& params, std::size_t offset, std::size_t count) {
  const auto* x = reinterpret_cast<const typename X::Bits*>(row.x) + offset;
  auto* y = reinterpret_cast<typename Y::Bits*>(row.y) + offset;
  const double* const gamma = params.gamma;
  const double* const beta = params.beta;
  const bool stream = rows.stream;
  const ChunkVectors chunk(rows, row.stage);
  const GroupTests<Y> tests(rows, row.stage, params, count);
  const char* const ahead = row.x_ahead == nullptr ? nullptr : row.x_ahead + offset * sizeof(*x);
  std::size_t i = 0, group = 0;
  for (; i + kGroup <= count; i += kGroup, ++group) {
    if (ahead != nullptr) PrefetchGroup(ahead + i * sizeof(*x), kGroup * sizeof(*x));
    NormalizeGroup<X, Y, kPivoted>(rows, row, chunk, tests.floors[group], tests.BiasOf(group), x + i, gamma + i, beta + i, stream, y + i);
  }
  if (i == count) return;
  typename X::Bits x_tail[kGroup] = {};
  typename Y::Bits y_tail[kGroup];
  std::memcpy(x_tail, x + i, (count - i) * sizeof(*x));
  NormalizeGroup<X, Y, kPivoted>(rows, row, chunk, tests.floors[group], tests.BiasOf(group), x_tail, gamma + i, beta + i, false, y_tail);
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

inline const char* RowX(const KernelCall& call, std::size_t row) {
  return static_cast<const char*>(call.x) + row * call.x_pitch * TraitsOf(call.formats.x).bytes;
}

// Sums, then what takes a root or a division of all rows together, then the rest: their latencies overlap.
inline void SetStages(Rows& rows, RowState* block, std::size_t first, std::size_t count) {
  const KernelCall& call = rows.call;
  alignas(64) double sums[kBlock] = {}, squares[kBlock] = {}, inv_std_devs[kBlock];
  for (std::size_t r = 0; r < count; ++r) {
    const Moments moments = RowMoments(call.op, call.formats.x, RowX(call, first + r), call.width, 0);
    sums[r] = moments.sum;
    squares[r] = moments.squares;
  }
  InvStdDevsOf(rows.inputs, sums, squares, inv_std_devs);
  for (std::size_t r = 0; r < count; ++r)
    SetStageFrom(call, rows.inputs, RowX(call, first + r), {sums[r], squares[r]}, inv_std_devs[r], block[r].stage);
}

inline void NormalizeBlock(Rows& rows, RowState* block, std::size_t first, std::size_t count) {
  const KernelCall& call = rows.call;
  SetStages(rows, block, first, count);
  for (std::size_t r = 0; r < count; ++r) {
    RowState& row = block[r];
    row.x = RowX(call, first + r);
    row.x_ahead = rows.prefetch && first + r + rows.at_once < call.rows ? RowX(call, first + r + rows.at_once) : nullptr;
    row.y = static_cast<char*>(call.y) + (first + r) * call.y_pitch * TraitsOf(call.formats.y).bytes;
    if (HWY_UNLIKELY(!(rows.bound_scales == BoundScales()))) ScaleBounds(row.stage, rows.bound_scales);
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

inline void NormalizeRows(const KernelCall& call, const BoundScales& bound_scales) {
  if (call.width == 0) return;
  Rows rows(call, bound_scales);
  RowState block[kBlock];
  for (std::size_t row = 0; row < call.rows; row += rows.at_once) NormalizeBlock(rows, block, row, std::min(rows.at_once, call.rows - row));
  if (rows.stream) hwy::FlushStream();
}

// The binary64 stage's y and E of a call's first row; false where it has none.
inline bool EstimateRow(const KernelCall& call, double* y, double* error) {
  Rows rows(call, {});
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

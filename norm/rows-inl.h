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
#include <new>
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

// From this many bytes of x and y on, the next block's x is fetched while this one's elements are formed (an L2 holds no
// more), and y goes past the caches.
inline constexpr std::size_t kPrefetchBytes = std::size_t{1} << 20;
inline constexpr std::size_t kStreamBytes = std::size_t{64} << 20;
inline constexpr std::size_t kLineBytes = 64;

inline bool InPlace(const KernelCall& call) { return call.x == call.y; }
inline std::size_t RowBytes(const KernelCall& call) { return call.width * TraitsOf(call.formats.x).bytes; }
inline std::size_t CallBytes(const KernelCall& call) { return call.rows * call.width * (TraitsOf(call.formats.x).bytes + TraitsOf(call.formats.y).bytes); }

inline bool Streams(const KernelCall& call) {
  if (HWY_LIKELY(CallBytes(call) < kStreamBytes)) return false;
  const std::size_t y_bytes = TraitsOf(call.formats.y).bytes;
  const bool lines = reinterpret_cast<std::uintptr_t>(call.y) % kLineBytes == 0 && call.y_pitch * y_bytes % kLineBytes == 0;
  return lines && !InPlace(call);
}

// In place, rows of at most kCopyBytes are copied before they are overwritten.
inline constexpr std::size_t kCopyBytes = std::size_t{1} << 13;

inline bool Copies(const KernelCall& call) { return InPlace(call) && call.width <= kCopyBytes / TraitsOf(call.formats.x).bytes; }

// On the stack a row of a block takes its state and, where it is copied, its x: room for one state, for
// those of any block, and for three of the longest rows that are copied.
inline constexpr std::size_t kStateBytes = (sizeof(RowState) + kLineBytes - 1) / kLineBytes * kLineBytes;
inline constexpr std::size_t kStatesBytes = kBlock * kStateBytes;
inline constexpr std::size_t kRoomBytes = 3 * (kStateBytes + kCopyBytes);

inline std::size_t PlaceBytes(const KernelCall& call) {
  return kStateBytes + (Copies(call) ? (RowBytes(call) + kLineBytes - 1) / kLineBytes * kLineBytes : 0);
}

// Rows of one chunk: as many as leave a first-level cache room beside gamma and beta. Longer ones: as a second-level cache holds.
// A single row needs no division.
inline std::size_t RowsAtOnceOf(const KernelCall& call) {
  if (call.rows == 1) return 1;
  const std::size_t row_bytes = RowBytes(call);
  if (call.width > kChunk && Copies(call)) return std::min(kRoomBytes / PlaceBytes(call), kBlock);
  if (call.width > kChunk) return std::clamp<std::size_t>((std::size_t{1} << 19) / row_bytes, kBlock / 2, kBlock);
  return std::clamp<std::size_t>((std::size_t{1} << 14) / row_bytes, 1, kBlock);
}
static_assert(kStatesBytes + (std::size_t{1} << 14) + kBlock * kLineBytes <= kRoomBytes, "a block of rows of one chunk");

// What is fetched ahead. A block of rows of more than kNearBytes would drive what is in use from a first-level cache: it goes into the second.
struct Ahead {
  static constexpr std::size_t kNearBytes = std::size_t{1} << 13;

  HWY_INLINE void Fetch(std::size_t offset, std::size_t bytes) const {
    if (from == nullptr) return;
    for (std::size_t i = 0; i < bytes; i += kLineBytes) {
      if (near) __builtin_prefetch(from + offset + i, 0, 3);
      else __builtin_prefetch(from + offset + i, 0, 2);
    }
  }

  HWY_INLINE Ahead At(std::size_t offset) const { return {from == nullptr ? nullptr : from + offset, near}; }

  const char* from;  // null: nothing
  bool near;
};

// The test of a section's groups, in registers. kShort: the floor is in the bias.
template <typename Y, bool kShort>
struct GroupTest {
  static constexpr bool kOne = kShort && std::is_same_v<Y, F32Lanes>;

  GroupTest(const RoundingTest& test, double section_floor, std::uint64_t section_bias)
      : bias(hn::Set(DU64(), kShort ? section_bias : test.bias)),
        mask(hn::Set(DU64(), kOne ? kBothMask : test.mask)),
        top(hn::Set(DU64(), kTopBit)),
        floor(hn::Set(D64(), section_floor)) {}
  HWY_INLINE bool Passes(const Group& group) const {
    if constexpr (kOne) return MayRoundF32(group, bias, mask);
    else return kShort ? MayRoundBy(group, bias, mask, top) : MayRound(group, bias, mask, floor);
  }
  hn::Vec<DU64> bias, mask, top;
  V64 floor;
};

// The rows of a call from X to Y, block by block. `room`: places of as many rows as go at once.
template <typename X, typename Y>
class RoundedRows {
 public:
  HWY_INLINE RoundedRows(const KernelCall& call, const BoundScales& scales, std::byte* room)
      : call_(call), scales_(scales), room_(room), place_(InPlace(call) ? PlaceBytes(call) : kStateBytes), inputs_(InputsOf(call)), test_(RoundingTestOf(call.formats.y)), at_once_(RowsAtOnceOf(call)), params_(call) {
    prefetch_ = CallBytes(call) >= kPrefetchBytes;
    near_ = at_once_ * call.width * sizeof(XBits) <= Ahead::kNearBytes;
    stream_ = Streams(call);
    lazy_ = !InPlace(call) && call.mean == nullptr && call.inv_std_dev == nullptr;
  }

  void Run() {
    for (std::size_t row = 0; row < call_.rows; row += at_once_) Block(row, std::min(at_once_, call_.rows - row));
    if (stream_) hwy::FlushStream();
  }

 private:
  using XBits = typename X::Bits;
  using YBits = typename Y::Bits;

  const XBits* RowX(std::size_t row) const { return static_cast<const XBits*>(call_.x) + row * call_.x_pitch; }
  YBits* RowY(std::size_t row) const { return static_cast<YBits*>(call_.y) + row * call_.y_pitch; }

  void Block(std::size_t first, std::size_t count) {
    first_ = first;
    if (call_.op == Op::kRmsNorm) RowsMomentsAs<X, false>(RowX(first), call_.x_pitch, count, call_.width, block_.sum, block_.squares);
    else RowsMomentsAs<X, true>(RowX(first), call_.x_pitch, count, call_.width, block_.sum, block_.squares);
    SetScalars(inputs_, count, block_);
    const std::uint32_t all = (1u << count) - 1, plain = block_.ordinary & block_.spread & all;
    ready_ = special_ = pivoted_ = 0;
    if (HWY_UNLIKELY(plain != all || !lazy_))
      for (std::size_t r = 0; r < count; ++r)
        if (!lazy_ || (plain >> r & 1) == 0) TakeStage(r);
    // Back from the last chunk where its gamma and beta are still there.
    const std::size_t last = (call_.width - 1) / kChunk * kChunk;
    const bool back = last != 0 && params_.Holds(last);
    for (std::size_t i = 0; i <= last; i += kChunk) {
      const std::size_t offset = back ? last - i : i;
      Chunk(offset, std::min(kChunk, call_.width - offset), count);
    }
  }

  void Chunk(std::size_t offset, std::size_t width, std::size_t count) {
    const ChunkParams params = params_.Chunk(offset, width);
    SetSectionTests(test_, count, block_, scales_, params, width, tests_);
    if (HWY_LIKELY((special_ | pivoted_) == 0)) return FormRows<false>(0, count, params, offset, width);
    for (std::size_t r = 0; r < count; ++r) {
      if ((special_ >> r & 1) != 0) FillChunk(r, params, offset, width);
      else if ((pivoted_ >> r & 1) != 0) FormRows<true>(r, r + 1, params, offset, width);
      else FormRows<false>(r, r + 1, params, offset, width);
    }
  }

  RowState& State(std::size_t r) const { return *std::launder(reinterpret_cast<RowState*>(room_ + r * place_)); }

  // What settling and statistics need of row r.
  HWY_NOINLINE RowState& Ready(std::size_t r) {
    RowState& row = State(r);
    if ((ready_ >> r & 1) != 0) return row;
    ready_ |= 1u << r;
    ::new (static_cast<void*>(&row)) RowState;  // not RowState(), which would clear the exact row's place
    const auto* x = reinterpret_cast<const char*>(RowX(first_ + r));
    row.stage = AnyStageOf(call_, inputs_, x, block_, r);
    row.stage.mean_error *= scales_.mean;
    row.stage.inv_std_dev_error *= scales_.inv_std_dev;
    row.exact.Reset(call_, x);
    return row;
  }

  // Rows whose stage is not what the block's sums make of it, rows in place, rows whose statistics are wanted. In place the exact
  // row has to be made before x is overwritten; copies of short rows are cheaper than going twice through them.
  HWY_NOINLINE void TakeStage(std::size_t r) {
    RowState& row = Ready(r);
    const RowStage& stage = row.stage;
    if (!lazy_) WriteStatistics(call_, stage, row.exact, &Widen, first_ + r);
    const bool special = stage.kind == RowKind::kZero || stage.kind == RowKind::kNan;
    special_ |= std::uint32_t{special} << r;
    pivoted_ |= std::uint32_t{stage.pivot != 0} << r;
    if (InPlace(call_) && !special) row.exact.Keep(&Widen, {room_ + r * place_ + kStateBytes, place_ - kStateBytes});
    block_.scale[r] = stage.scale;
    block_.shift[r] = stage.shift;
    block_.of_y[r] = stage.error.of_y;
    block_.of_beta[r] = stage.error.of_beta;
    block_.of_gamma[r] = stage.error.of_gamma;
  }

  // Rows that are not finite, and undefined ones.
  HWY_NOINLINE void FillChunk(std::size_t r, const ChunkParams& params, std::size_t offset, std::size_t count) {
    constexpr std::size_t kPiece = 128;
    double x[kPiece], y[kPiece];
    for (std::size_t i = 0; i < count; i += kPiece) {
      const std::size_t width = std::min(kPiece, count - i);
      WidenAs<X>(RowX(first_ + r) + offset + i, width, x);
      FillSpecial(State(r).stage.kind, {x, params.gamma + i, params.beta + i, y, width});
      NarrowAs<Y>(y, width, RowY(first_ + r) + offset + i);
    }
  }

  // A group that may not be rounded as it is.
  HWY_NOINLINE void Settle(std::size_t r, const double* x, const double* gamma, const double* beta, double* y) {
    const ElementError error = {scales_.of_y * block_.of_y[r], scales_.of_beta * block_.of_beta[r], scales_.of_gamma * block_.of_gamma[r]};
    const std::uint32_t undecided = RoundDecided(error, call_.formats.y, gamma, beta, y);
    if (HWY_UNLIKELY(undecided != 0)) SettleExactly(Ready(r), undecided, call_.formats.y, x, gamma, beta, y);
  }

  template <bool kPivoted>
  HWY_NOINLINE void FormRows(std::size_t first, std::size_t end, const ChunkParams& params, std::size_t offset, std::size_t count) {
    for (std::size_t r = first; r < end; ++r) FormChunk<kPivoted>(r, params, offset, count);
  }

  template <bool kPivoted>
  HWY_INLINE void FormChunk(std::size_t r, const ChunkParams& params, std::size_t offset, std::size_t count) {
    const ElementScalars scalars(kPivoted ? State(r).stage.pivot : 0, block_.scale[r], block_.shift[r]);
    const XBits* const x = RowX(first_ + r) + offset;
    const bool fetch = prefetch_ && first_ + r + at_once_ < call_.rows;
    const Ahead ahead = {fetch ? reinterpret_cast<const char*>(RowX(first_ + r + at_once_) + offset) : nullptr, near_};
    YBits* const y = RowY(first_ + r) + offset;
    for (std::size_t i = 0, s = 0; i < count; i += kSection, ++s) {
      const std::size_t width = std::min(kSection, count - i);
      const Ahead next = ahead.At(i * sizeof(*x));
      const double floor = tests_.floors[s][r];
      const std::uint64_t bias = tests_.biases[s][r];
      const double *gamma = params.gamma + i, *beta = params.beta + i;
      if (HWY_LIKELY(bias != 0)) FormSection<kPivoted>(r, scalars, GroupTest<Y, true>(test_, floor, bias), x + i, next, gamma, beta, width, y + i);
      else FormSection<kPivoted>(r, scalars, GroupTest<Y, false>(test_, floor, bias), x + i, next, gamma, beta, width, y + i);
    }
  }

  template <bool kPivoted, typename Test>
  HWY_INLINE void FormSection(std::size_t r, const ElementScalars& scalars, const Test& test, const XBits* x, const Ahead& ahead, const double* gamma,
                              const double* beta, std::size_t count, YBits* y) {
    const bool stream = stream_;
    std::size_t i = 0;
    for (; i + kGroup <= count; i += kGroup) {
      ahead.Fetch(i * sizeof(*x), kGroup * sizeof(*x));
      FormGroup<kPivoted, false>(r, scalars, test, x + i, gamma + i, beta + i, kGroup, stream, y + i);
    }
    if (i != count) FormGroup<kPivoted, true>(r, scalars, test, x + i, gamma + i, beta + i, count - i, false, y + i);
  }

  template <bool kTail>
  static HWY_INLINE Group LoadX(const XBits* x, std::size_t count) {
    if constexpr (kTail) return LoadTail<X>(x, count);
    else return LoadGroup<X>(x);
  }

  template <bool kPivoted, bool kTail, typename Test>
  HWY_INLINE void FormGroup(std::size_t r, const ElementScalars& scalars, const Test& test, const XBits* x, const double* gamma, const double* beta,
                            std::size_t count, bool stream, YBits* y) {
    Group group = ElementsOf<kPivoted>(scalars, LoadX<kTail>(x, count), gamma, beta);
    if (HWY_UNLIKELY(!test.Passes(group))) {
      double x_values[kGroup], values[kGroup];
      const V64 zero = hn::Zero(D64());
      StoreDoubles(LoadX<kTail>(x, count), x_values);
      StoreDoubles({hn::Add(group.a, zero), hn::Add(group.b, zero), hn::Add(group.c, zero), hn::Add(group.d, zero)}, values);
      Settle(r, x_values, gamma, beta, values);
      group = LoadDoubles(values);
    }
    if constexpr (kTail) StoreTail<Y>(group, count, y);
    else StoreGroup<Y>(group, stream, y);
  }

  const KernelCall& call_;
  const BoundScales& scales_;
  std::byte* room_;
  std::size_t place_;
  StageInputs inputs_;
  RoundingTest test_;
  std::size_t at_once_;
  bool prefetch_, near_, stream_;
  bool lazy_;  // a row's stage and exact row are made when they are needed

  std::size_t first_ = 0;
  std::uint32_t ready_ = 0, special_ = 0, pivoted_ = 0;
  StageBlock block_;
  SectionTests tests_;
  Params params_;
  static_assert(std::is_trivially_destructible_v<RowState>);  // made one by one when they are needed
};

// Frames of the sizes that calls need: a large one is probed page by page.
template <typename X, typename Y, std::size_t kBytes>
HWY_NOINLINE void NormalizeRowsWithin(const KernelCall& call, const BoundScales& scales) {
  alignas(kLineBytes) std::byte room[kBytes];
  RoundedRows<X, Y>(call, scales, room).Run();
}

template <typename X, typename Y>
HWY_INLINE void NormalizeRowsAs(const KernelCall& call, const BoundScales& scales) {
  const std::size_t bytes = std::min(call.rows, kBlock) * (Copies(call) ? PlaceBytes(call) : kStateBytes);
  if (HWY_LIKELY(bytes == kStateBytes)) return NormalizeRowsWithin<X, Y, kStateBytes>(call, scales);
  if (HWY_LIKELY(bytes <= kStatesBytes)) return NormalizeRowsWithin<X, Y, kStatesBytes>(call, scales);
  return NormalizeRowsWithin<X, Y, kRoomBytes>(call, scales);
}

// y's format is f32 or x's.
inline void NormalizeRows(const KernelCall& call, const BoundScales& scales) {
  if (call.width == 0) return;
  const bool widening = call.formats.y == Format::kF32;
  switch (call.formats.x) {
    case Format::kF16:
      return widening ? NormalizeRowsAs<F16Lanes, F32Lanes>(call, scales) : NormalizeRowsAs<F16Lanes, F16Lanes>(call, scales);
    case Format::kBf16:
      return widening ? NormalizeRowsAs<Bf16Lanes, F32Lanes>(call, scales) : NormalizeRowsAs<Bf16Lanes, Bf16Lanes>(call, scales);
    case Format::kF32: return NormalizeRowsAs<F32Lanes, F32Lanes>(call, scales);
  }
}

// The binary64 stage's y and E of a call's first row; false where it has none.
inline bool EstimateRow(const KernelCall& call, double* y, double* error) {
  Params all_params(call);
  const RowStage stage = StageOfRow(call, static_cast<const char*>(call.x));
  if (stage.kind != RowKind::kOrdinary) return false;
  const ElementScalars scalars(stage.pivot, stage.scale, stage.shift);
  for (std::size_t offset = 0; offset < call.width; offset += kGroup) {
    const std::size_t chunk = offset / kChunk * kChunk;
    const ChunkParams params = all_params.Chunk(chunk, std::min(kChunk, call.width - chunk));
    const double* gamma = params.gamma + (offset - chunk);
    const double* beta = params.beta + (offset - chunk);
    const std::size_t count = std::min(kGroup, call.width - offset);
    double x[kGroup] = {}, values[kGroup], bounds[kGroup];
    Widen(call.formats.x, static_cast<const char*>(call.x) + offset * TraitsOf(call.formats.x).bytes, count, x);
    StoreDoubles(stage.pivot != 0 ? ElementsOf<true>(scalars, LoadDoubles(x), gamma, beta) : ElementsOf<false>(scalars, LoadDoubles(x), gamma, beta), values);
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

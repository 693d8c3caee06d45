// Chunks of a row in binary64 on the stack, their sums in fixed virtual lanes, and their elements; per Highway target.
#if defined(NORMCHECK_NORM_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CHUNK_INL_H_
#undef NORMCHECK_NORM_CHUNK_INL_H_
#else
#define NORMCHECK_NORM_CHUNK_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "norm/convert-inl.h"
#include "norm/row_stage.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Every target adds in the same order: 32 running sums a chunk, element i into sum i mod 32, then a binary tree; products
// and sums are rounded apart. So results do not depend on the vector length or on fused multiply-add.
inline constexpr std::size_t kVirtualLanes = 32;
inline constexpr std::size_t kChunk = 1024;

constexpr std::size_t PaddedCount(std::size_t count) { return (count + kVirtualLanes - 1) / kVirtualLanes * kVirtualLanes; }

// Reads one array chunk by chunk and keeps the last chunk; an absent array (null) reads as a constant.
class ChunkReader {
 public:
  ChunkReader(Format format, const void* base, double absent) : format_(format), base_(base) {
    if (base == nullptr) std::fill_n(values_, kChunk, absent);
  }

  void MoveTo(const void* base) {
    base_ = base;
    held_ = kNothing;
  }

  // Elements offset..offset+count as binary64, and `pad` after them up to PaddedCount(count). offset is a multiple of kChunk.
  const double* Read(std::size_t offset, std::size_t count, double pad) {
    if (base_ == nullptr) return values_;
    if (held_ != offset) {
      Widen(format_, static_cast<const char*>(base_) + offset * TraitsOf(format_).bytes, count, values_);
      held_ = offset;
    }
    std::fill(values_ + count, values_ + PaddedCount(count), pad);
    return values_;
  }

 private:
  static constexpr std::size_t kNothing = 1;  // no multiple of kChunk

  alignas(64) double values_[kChunk];
  Format format_;
  const void* base_;
  std::size_t held_ = kNothing;
};

// The binary tree over the virtual lanes.
inline double TreeSum(double* lanes) {
  for (std::size_t half = kVirtualLanes / 2; half != 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// Moments of x - pivot over a padded chunk. Four vectors of lanes at a time: four independent additions hide the latency.
inline Moments ChunkMoments(const double* x, std::size_t padded, double pivot) {
  const D64 d;
  const std::size_t step = hn::Lanes(d);
  const V64 centre = hn::Set(d, pivot);
  alignas(64) double sums[kVirtualLanes];
  alignas(64) double squares[kVirtualLanes];
  for (std::size_t lane = 0; lane < kVirtualLanes; lane += 4 * step) {
    V64 s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, q0 = s0, q1 = s0, q2 = s0, q3 = s0;
    for (std::size_t i = lane; i < padded; i += kVirtualLanes) {
      const V64 d0 = hn::Sub(hn::Load(d, x + i), centre);
      const V64 d1 = hn::Sub(hn::Load(d, x + i + step), centre);
      const V64 d2 = hn::Sub(hn::Load(d, x + i + 2 * step), centre);
      const V64 d3 = hn::Sub(hn::Load(d, x + i + 3 * step), centre);
      s0 = hn::Add(s0, d0);
      s1 = hn::Add(s1, d1);
      s2 = hn::Add(s2, d2);
      s3 = hn::Add(s3, d3);
      q0 = hn::Add(q0, hn::Mul(d0, d0));
      q1 = hn::Add(q1, hn::Mul(d1, d1));
      q2 = hn::Add(q2, hn::Mul(d2, d2));
      q3 = hn::Add(q3, hn::Mul(d3, d3));
    }
    double* to = sums + lane;
    for (const V64 sum : {s0, s1, s2, s3}) hn::Store(sum, d, to), to += step;
    to = squares + lane;
    for (const V64 square : {q0, q1, q2, q3}) hn::Store(square, d, to), to += step;
  }
  return {TreeSum(sums), TreeSum(squares)};
}

// y = gamma*(((x - pivot) - correction)*inv_std_dev) + beta over a padded chunk. The last sum turns -0 into +0.
inline void ChunkElements(const RowStage& stage, const double* x, const double* gamma, const double* beta, std::size_t padded, double* y) {
  const D64 d;
  const V64 pivot = hn::Set(d, stage.pivot);
  const V64 correction = hn::Set(d, stage.correction);
  const V64 inv_std_dev = hn::Set(d, stage.inv_std_dev);
  const V64 zero = hn::Zero(d);
  for (std::size_t i = 0; i < padded; i += hn::Lanes(d)) {
    const V64 deviation = hn::Sub(hn::Sub(hn::Load(d, x + i), pivot), correction);
    const V64 scaled = hn::Mul(hn::Mul(deviation, inv_std_dev), hn::Load(d, gamma + i));
    hn::Store(hn::Add(hn::Add(scaled, hn::Load(d, beta + i)), zero), d, y + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CHUNK_INL_H_

// Chunks of a row in binary64 on the stack, their sums in fixed virtual lanes, and their elements; per Highway target.
#if defined(NORMCHECK_NORM_CHUNK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CHUNK_INL_H_
#undef NORMCHECK_NORM_CHUNK_INL_H_
#else
#define NORMCHECK_NORM_CHUNK_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

// Elements are tested in groups of this many.
inline constexpr std::size_t kGroup = kVirtualLanes;
inline constexpr std::size_t kGroups = kChunk / kGroup;

// When a double may be rounded to a format although it is known only to within E. Its last `low_bits` bits are what
// rounding drops; halfway is 2^(low_bits - 1). Adding bias = halfway + 2^margin makes those bits, down to bit margin + 1,
// zero exactly where they lie closer to halfway than 2^margin units of the double. A unit is at least 2^-53*|y|, so
// E <= 2^(margin - 53)*|y| with normal |y| is enough (a power of two has its lower midpoint a quarter of the range below it).
struct RoundingTest {
  std::uint64_t bias;
  std::uint64_t mask;
  double limit;            // 2^(margin - 53)
  double smallest_normal;  // below it rounding drops more bits
};

// The margin balances the elements that fail by their bits, 2^(margin + 1 - low_bits) of them, against those with |y| < E/limit.
constexpr RoundingTest RoundingTestOf(Format format) {
  const FormatTraits traits = TraitsOf(format);
  const int low_bits = 53 - traits.precision;
  const int margin = format == Format::kF32 ? 17 : 29;
  const std::uint64_t one = 1;
  return {(one << (low_bits - 1)) + (one << margin), (one << low_bits) - (one << (margin + 1)), PowerOfTwo(margin - 53),
          PowerOfTwo(traits.emin)};
}

// The parameters of a chunk, padded with gamma 0 and beta 1 (a result that rounds safely), and their largest magnitudes by groups.
struct ChunkParams {
  const double* gamma;
  const double* beta;
  const double* gamma_max;
  const double* beta_max;
};

// Largest |value| of every group; infinity where one is not finite.
inline void GroupMaxima(const double* values, std::size_t padded, double* maxima) {
  const D64 d;
  for (std::size_t i = 0; i < padded; i += kGroup) {
    V64 largest = hn::Zero(d);
    for (std::size_t j = i; j < i + kGroup; j += hn::Lanes(d)) {
      const V64 magnitude = hn::Abs(hn::Load(d, values + j));
      const auto finite = hn::Le(magnitude, hn::Set(d, PowerOfTwo(1000)));
      largest = hn::Max(largest, hn::IfThenElse(finite, magnitude, hn::Set(d, PowerOfTwo(1024))));
    }
    maxima[i / kGroup] = hn::GetLane(hn::MaxOfLanes(d, largest));
  }
}

// y = gamma*((x - pivot)*inv_std_dev + shift) + beta over a padded chunk; bit k of the answer: group k may not be rounded
// yet. The last sum turns -0 into +0.
inline std::uint32_t ChunkElements(const RowStage& stage, const RoundingTest& test, const double* x, const ChunkParams& params,
                                   std::size_t padded, double* y) {
  const D64 d;
  const DU64 du;
  const V64 pivot = hn::Set(d, stage.pivot);
  const V64 shift = hn::Set(d, stage.shift);
  const V64 inv_std_dev = hn::Set(d, stage.inv_std_dev);
  const auto bias = hn::Set(du, test.bias);
  const auto low_mask = hn::Set(du, test.mask);
  const double limit = test.limit - stage.error.of_y;
  const double gamma_share = stage.error.of_gamma / limit;
  const double beta_share = stage.error.of_beta / limit;
  std::uint32_t failed = 0;
  for (std::size_t group = 0; group * kGroup < padded; ++group) {
    const double floor = gamma_share * params.gamma_max[group] + beta_share * params.beta_max[group];
    const V64 smallest = hn::Set(d, !(floor <= test.smallest_normal) ? floor : test.smallest_normal);
    auto close = hn::Zero(du);
    auto small = hn::Zero(d);
    for (std::size_t i = group * kGroup; i < (group + 1) * kGroup; i += hn::Lanes(d)) {
      const V64 xhat = hn::MulAdd(hn::Sub(hn::Load(d, x + i), pivot), inv_std_dev, shift);
      const V64 value = hn::Add(hn::MulAdd(xhat, hn::Load(d, params.gamma + i), hn::Load(d, params.beta + i)), hn::Zero(d));
      hn::Store(value, d, y + i);
      const auto kept = hn::And(hn::Add(hn::BitCast(du, value), bias), low_mask);
      close = hn::Or(close, hn::VecFromMask(du, hn::Eq(kept, hn::Zero(du))));
      small = hn::Or(small, hn::VecFromMask(d, hn::Not(hn::Ge(hn::Abs(value), smallest))));
    }
    const auto any = hn::Or(close, hn::BitCast(du, small));
    if (!hn::AllTrue(du, hn::Eq(any, hn::Zero(du)))) failed |= std::uint32_t{1} << group;
  }
  return failed;
}

// E of elements, from their magnitudes.
inline V64 BoundOf(const ElementError& error, V64 y, V64 gamma, V64 beta) {
  const D64 d;
  const V64 of_params = hn::MulAdd(hn::Abs(beta), hn::Set(d, error.of_beta), hn::Mul(hn::Abs(gamma), hn::Set(d, error.of_gamma)));
  return hn::MulAdd(hn::Abs(y), hn::Set(d, error.of_y), of_params);
}

// Element by element, for a group that failed: bit i is set where y_i - E and y_i + E do not round to the same bits.
inline HWY_NOINLINE std::uint32_t UndecidedOf(const ElementError& error, Format format, const double* gamma, const double* beta, const double* y) {
  const D64 d;
  alignas(64) double low[kGroup];
  alignas(64) double high[kGroup];
  for (std::size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
    const V64 value = hn::Load(d, y + i);
    const V64 bound = BoundOf(error, value, hn::Load(d, gamma + i), hn::Load(d, beta + i));
    hn::Store(hn::Sub(value, bound), d, low + i);
    hn::Store(hn::Add(value, bound), d, high + i);
  }
  std::uint32_t low_bits[kGroup];
  std::uint32_t high_bits[kGroup];
  Narrow(format, low, kGroup, low_bits);
  Narrow(format, high, kGroup, high_bits);
  const std::size_t bytes = TraitsOf(format).bytes;
  std::uint32_t undecided = 0;
  for (std::size_t i = 0; i < kGroup; ++i) {
    const char* a = reinterpret_cast<const char*>(low_bits) + i * bytes;
    const char* b = reinterpret_cast<const char*>(high_bits) + i * bytes;
    const bool finite = low[i] - low[i] == 0 && high[i] - high[i] == 0;
    if (!finite || std::memcmp(a, b, bytes) != 0) undecided |= std::uint32_t{1} << i;
  }
  return undecided;
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CHUNK_INL_H_

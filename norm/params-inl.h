// A call's gamma and beta, widened chunk by chunk, with the largest magnitudes of their sections; compiled once per Highway target.
#if defined(NORMCHECK_NORM_PARAMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_PARAMS_INL_H_
#undef NORMCHECK_NORM_PARAMS_INL_H_
#else
#define NORMCHECK_NORM_PARAMS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "norm/groups-inl.h"
#include "norm/kernel_call.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Elements that share a floor in the rounding test.
inline constexpr std::size_t kSection = 256;
inline constexpr std::size_t kSections = kChunk / kSection;

// The parameters of a chunk, padded to whole groups with gamma 0 and beta 1 (a result that rounds safely), and a bound on the
// magnitudes of each of its sections: NaN where a parameter is not finite.
struct ChunkParams {
  const double* gamma;
  const double* beta;
  const double* gamma_max;
  const double* beta_max;
};

// The high words of doubles without their signs order magnitudes; infinities and NaN are above all others.
#if HWY_TARGET == HWY_SCALAR
using DWords = DU64;
#else
using DWords = hn::Repartition<std::uint32_t, D64>;
#endif
using Words = hn::Vec<DWords>;

HWY_INLINE Words HighWords(V64 values) { return hn::BitCast(DWords(), hn::And(hn::BitCast(DU64(), values), hn::Set(DU64(), std::uint64_t{0x7fffffff} << 32))); }

HWY_INLINE Words LargestWords(const Group& g, Words so_far) {
  return hn::Max(hn::Max(hn::Max(HighWords(g.a), HighWords(g.b)), hn::Max(HighWords(g.c), HighWords(g.d))), so_far);
}

// The next double with a low word of 0: no less than any value with this high word, NaN from infinity's on (the last NaN's has no next).
HWY_INLINE double BoundOfWords(Words words) {
  const auto largest = hn::GetLane(hn::MaxOfLanes(DWords(), words));
  const std::uint64_t high = sizeof(largest) == 8 ? std::uint64_t{largest} >> 32 : largest;
  return std::bit_cast<double>(std::min<std::uint64_t>(high + 1, 0x7fffffff) << 32);
}

// A section of parameters in binary64, then zeros up to a whole group; the bound of their magnitudes.
template <typename P>
HWY_INLINE double WidenSection(const typename P::Bits* from, std::size_t count, double* to) {
  Words words = hn::Zero(DWords());
  std::size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    const Group group = LoadGroup<P>(from + i);
    StoreDoubles(group, to + i);
    words = LargestWords(group, words);
  }
  if (i != count) {
    const Group group = LoadTail<P>(from + i, count - i);
    StoreDoubles(group, to + i);
    words = LargestWords(group, words);
  }
  return BoundOfWords(words);
}

template <typename P>
HWY_NOINLINE void WidenSections(const void* params, std::size_t offset, std::size_t count, double* to, double* largest) {
  const auto* from = static_cast<const typename P::Bits*>(params) + offset;
  for (std::size_t i = 0; i < count; i += kSection) *largest++ = WidenSection<P>(from + i, std::min(kSection, count - i), to + i);
}

// The parameters of a call; what is absent is 1 or 0 throughout. Those of one chunk are widened once, else once for every block of rows.
class Params {
 public:
  explicit Params(const KernelCall& call) : call_(call) {}

  bool Holds(std::size_t offset) const { return held_ == offset; }

  ChunkParams Chunk(std::size_t offset, std::size_t count) {
    if (held_ != offset) {
      Load(call_.gamma, 1, offset, count, gamma_, gamma_max_);
      Load(call_.beta, 0, offset, count, beta_, beta_max_);
      std::fill(beta_ + count, beta_ + PaddedCount(count), 1.0);
      held_ = offset;
      held_count_ = count;
    }
    return {gamma_, beta_, gamma_max_, beta_max_};
  }

 private:
  void Load(const void* params, double absent, std::size_t offset, std::size_t count, double* to, double* largest) const {
    if (params == nullptr) {
      if (count == held_count_) return;  // as it stands since the last chunk
      Fill(absent, count, to);
      for (std::size_t i = 0; i < count; i += kSection) *largest++ = absent;
      return;
    }
    switch (call_.formats.params) {
      case Format::kF32: return WidenSections<F32Lanes>(params, offset, count, to, largest);
      case Format::kF16: return WidenSections<F16Lanes>(params, offset, count, to, largest);
      case Format::kBf16: return WidenSections<Bf16Lanes>(params, offset, count, to, largest);
    }
  }

  // In vectors: a load that waits for narrower stores costs more than a short row.
  static void Fill(double value, std::size_t count, double* to) {
    const V64 all = hn::Set(D64(), value);
    for (std::size_t i = 0; i < count; i += kGroup) StoreDoubles({all, all, all, all}, to + i);
    std::fill(to + count, to + PaddedCount(count), 0.0);
  }

  const KernelCall& call_;
  std::size_t held_ = ~std::size_t{0};
  std::size_t held_count_ = 0;
  alignas(64) double gamma_[kChunk];
  alignas(64) double beta_[kChunk];
  double gamma_max_[kSections];
  double beta_max_[kSections];
};

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_PARAMS_INL_H_

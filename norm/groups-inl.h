// Groups of four vectors of doubles: loads and stores in every format; compiled once per Highway target.
#if defined(NORMCHECK_NORM_GROUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_GROUPS_INL_H_
#undef NORMCHECK_NORM_GROUPS_INL_H_
#else
#define NORMCHECK_NORM_GROUPS_INL_H_
#endif

#include <cstddef>
#include <cstring>

#include "hwy/highway.h"
#include "norm/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Everything is done in groups of four vectors: four independent chains hide the latency.
inline constexpr std::size_t kLanes = hn::MaxLanes(D64());
inline constexpr std::size_t kGroup = 4 * kLanes;
inline constexpr std::size_t kChunk = 1024;

constexpr std::size_t PaddedCount(std::size_t count) { return (count + kGroup - 1) / kGroup * kGroup; }

struct Group {
  V64 a, b, c, d;
};

template <typename Lanes>
HWY_INLINE Group LoadGroup(const typename Lanes::Bits* x) {
  const typename Lanes::Tag tag;
  return {Lanes::Widen(hn::LoadU(tag, x)), Lanes::Widen(hn::LoadU(tag, x + kLanes)), Lanes::Widen(hn::LoadU(tag, x + 2 * kLanes)),
          Lanes::Widen(hn::LoadU(tag, x + 3 * kLanes))};
}

// Fewer elements than a group, from or to memory of their own: whole vectors as such, so that loads find what was stored.
template <typename Lanes>
HWY_INLINE void CopyTail(const typename Lanes::Bits* from, std::size_t count, typename Lanes::Bits* to) {
  const typename Lanes::Tag tag;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) hn::StoreU(hn::LoadU(tag, from + i), tag, to + i);
  if (i != count) std::memcpy(to + i, from + i, (count - i) * sizeof(*from));
}

// stream: past the caches, for which `to` is aligned to a vector. Highway streams 16 bytes where a vector has fewer, so
// those are stored as usual.
template <typename Lanes>
HWY_INLINE void StoreGroup(const Group& y, bool stream, typename Lanes::Bits* to) {
  const typename Lanes::Tag tag;
  const auto a = Lanes::NarrowSafe(y.a), b = Lanes::NarrowSafe(y.b), c = Lanes::NarrowSafe(y.c), d = Lanes::NarrowSafe(y.d);
  if constexpr (kLanes * sizeof(*to) >= 16) {
    if (stream) {
      hn::Stream(a, tag, to);
      hn::Stream(b, tag, to + kLanes);
      hn::Stream(c, tag, to + 2 * kLanes);
      hn::Stream(d, tag, to + 3 * kLanes);
      return;
    }
  }
  hn::StoreU(a, tag, to);
  hn::StoreU(b, tag, to + kLanes);
  hn::StoreU(c, tag, to + 2 * kLanes);
  hn::StoreU(d, tag, to + 3 * kLanes);
}

HWY_INLINE Group LoadDoubles(const double* from) {
  const D64 d;
  return {hn::LoadU(d, from), hn::LoadU(d, from + kLanes), hn::LoadU(d, from + 2 * kLanes), hn::LoadU(d, from + 3 * kLanes)};
}

inline void StoreDoubles(const Group& y, double* to) {
  const D64 d;
  hn::StoreU(y.a, d, to);
  hn::StoreU(y.b, d, to + kLanes);
  hn::StoreU(y.c, d, to + 2 * kLanes);
  hn::StoreU(y.d, d, to + 3 * kLanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_GROUPS_INL_H_

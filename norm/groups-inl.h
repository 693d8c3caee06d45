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

// The first `count` elements of a vector, zeros after them; none where count is 0. Whole vectors go as such, since loads wait for stores of other sizes.
template <typename Lanes>
HWY_INLINE V64 LoadPart(const typename Lanes::Bits* x, std::size_t count) {
  const typename Lanes::Tag tag;
  if (count >= kLanes) return Lanes::Widen(hn::LoadU(tag, x));
  if (count == 0) return hn::Zero(D64());
  typename Lanes::Bits part[kLanes] = {};
  std::memcpy(part, x, count * sizeof(*x));
  return Lanes::Widen(hn::LoadU(tag, part));
}

template <typename Lanes>
HWY_INLINE void StorePart(V64 y, std::size_t count, typename Lanes::Bits* to) {
  const typename Lanes::Tag tag;
  if (count >= kLanes) return hn::StoreU(Lanes::NarrowSafe(y), tag, to);
  if (count == 0) return;
  typename Lanes::Bits part[kLanes];
  hn::StoreU(Lanes::NarrowSafe(y), tag, part);
  std::memcpy(to, part, count * sizeof(*to));
}

// The same of a group: what is left of `count` after `vectors` of its vectors.
constexpr std::size_t LeftAfter(std::size_t vectors, std::size_t count) { return count > vectors * kLanes ? count - vectors * kLanes : 0; }

template <typename Lanes>
HWY_INLINE Group LoadTail(const typename Lanes::Bits* x, std::size_t count) {
  return {LoadPart<Lanes>(x, count), LoadPart<Lanes>(x + kLanes, LeftAfter(1, count)), LoadPart<Lanes>(x + 2 * kLanes, LeftAfter(2, count)),
          LoadPart<Lanes>(x + 3 * kLanes, LeftAfter(3, count))};
}

template <typename Lanes>
HWY_INLINE void StoreTail(const Group& y, std::size_t count, typename Lanes::Bits* to) {
  StorePart<Lanes>(y.a, count, to);
  StorePart<Lanes>(y.b, LeftAfter(1, count), to + kLanes);
  StorePart<Lanes>(y.c, LeftAfter(2, count), to + 2 * kLanes);
  StorePart<Lanes>(y.d, LeftAfter(3, count), to + 3 * kLanes);
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

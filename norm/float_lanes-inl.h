// Vectors of binary32 from and to the storage formats, for the fast tier; compiled once per Highway target.
#if defined(NORMCHECK_NORM_FLOAT_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_FLOAT_LANES_INL_H_
#undef NORMCHECK_NORM_FLOAT_LANES_INL_H_
#else
#define NORMCHECK_NORM_FLOAT_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "norm/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

using DF = hn::CappedTag<float, 16>;
using DFU = hn::RebindToUnsigned<DF>;
using DFI = hn::RebindToSigned<DF>;
using DFU16 = hn::Rebind<std::uint16_t, DF>;
using VF = hn::Vec<DF>;

inline constexpr std::size_t kFloatLanes = hn::MaxLanes(DF());

// Exact.
HWY_INLINE VF LoadFloats(F32Lanes, const float* from) { return hn::LoadU(DF(), from); }

HWY_INLINE VF LoadFloats(Bf16Lanes, const std::uint16_t* from) {
  return hn::BitCast(DF(), hn::ShiftLeft<16>(hn::PromoteTo(DFU(), hn::LoadU(DFU16(), from))));
}

// One rounding to nearest; in bf16 ties go away from zero. Requires: no NaN.
HWY_INLINE void StoreFloats(F32Lanes, VF values, bool stream, float* to) {
  if (stream) hn::Stream(values, DF(), to);
  else hn::StoreU(values, DF(), to);
}

HWY_INLINE void StoreHalves(hn::Vec<DFU16> bits, bool stream, std::uint16_t* to) {
  if (stream) hn::Stream(bits, DFU16(), to);
  else hn::StoreU(bits, DFU16(), to);
}

HWY_INLINE void StoreFloats(Bf16Lanes, VF values, bool stream, std::uint16_t* to) {
  const auto bits = hn::Add(hn::BitCast(DFU(), values), hn::Set(DFU(), 0x8000u));
  StoreHalves(hn::DemoteTo(DFU16(), hn::BitCast(DFI(), hn::ShiftRight<16>(bits))), stream, to);
}

#if NORMCHECK_NATIVE_F16
using DFF16 = hn::Rebind<hwy::float16_t, DF>;

HWY_INLINE VF LoadFloats(F16Lanes, const std::uint16_t* from) {
  return hn::PromoteTo(DF(), hn::BitCast(DFF16(), hn::LoadU(DFU16(), from)));
}

HWY_INLINE void StoreFloats(F16Lanes, VF values, bool stream, std::uint16_t* to) {
  StoreHalves(hn::BitCast(DFU16(), hn::DemoteTo(DFF16(), values)), stream, to);
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_FLOAT_LANES_INL_H_

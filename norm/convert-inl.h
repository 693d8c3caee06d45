// Vector conversions between storage formats and binary64, compiled once per Highway target.
#if defined(NORMCHECK_NORM_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_CONVERT_INL_H_
#undef NORMCHECK_NORM_CONVERT_INL_H_
#else
#define NORMCHECK_NORM_CONVERT_INL_H_
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "norm/format.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 8 lanes: the virtual lanes of the sums are dealt out in groups of four such vectors.
using D64 = hn::CappedTag<double, 8>;
using DU64 = hn::RebindToUnsigned<D64>;
using D32 = hn::Rebind<float, D64>;
using DU32 = hn::Rebind<std::uint32_t, D64>;
using DI32 = hn::Rebind<std::int32_t, D64>;
using DU16 = hn::Rebind<std::uint16_t, D64>;
using V64 = hn::Vec<D64>;
using V32 = hn::Vec<D32>;
using VU16 = hn::Vec<DU16>;

using DF16 = hn::Rebind<hwy::float16_t, D64>;

inline constexpr std::size_t kMaxVectorLanes = 8;

// AVX2 and better bring the conversions between f16 and f32; Highway numbers better targets lower.
#undef NORMCHECK_NATIVE_F16
#define NORMCHECK_NATIVE_F16 (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2)

// 2^exponent for normal exponents; 1024 gives infinity.
constexpr double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

struct F32Lanes {
  using Bits = float;
  using Tag = D32;
  static V64 Widen(V32 values) { return hn::PromoteTo(D64(), values); }

  // Highway's own demotion saturates where it has no instruction, instead of rounding to infinity.
  static V32 Narrow(V64 values) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
    double from[kMaxVectorLanes];
    float to[kMaxVectorLanes];
    hn::StoreU(values, D64(), from);
    for (std::size_t i = 0; i < hn::Lanes(D64()); ++i) to[i] = static_cast<float>(from[i]);
    return hn::LoadU(D32(), to);
#else
    return hn::DemoteTo(D32(), values);
#endif
  }
  static V32 NarrowSafe(V64 values) { return Narrow(values); }
};

// Rounds |v| to the precision of a 16-bit format, ties to even: with 2^e <= max(|v|, 2^emin) < 2^(e+1), the sum
// |v| + 2^(e+53-p) has its last bit at 2^(e-p+1), one unit of the format, and the difference is exact. From 2^(emax+1) on
// infinity. A value that rounds to zero keeps its sign. The result is exact in binary32.
template <Format kFormat>
V32 RoundTo16(V64 values) {
  constexpr FormatTraits kTraits = TraitsOf(kFormat);
  const D64 d;
  const V64 magnitude = hn::Abs(values);
  const V64 binade = hn::Min(hn::Max(magnitude, hn::Set(d, PowerOfTwo(kTraits.emin))), hn::Set(d, PowerOfTwo(kTraits.emax)));
  const auto exponent_bits = hn::Set(DU64(), std::uint64_t{0x7ff} << 52);
  const V64 power = hn::BitCast(d, hn::And(hn::BitCast(DU64(), binade), exponent_bits));
  const V64 shifter = hn::Mul(power, hn::Set(d, PowerOfTwo(53 - kTraits.precision)));
  const V64 rounded = hn::Sub(hn::Add(magnitude, shifter), shifter);
  const auto too_large = hn::Ge(rounded, hn::Set(d, PowerOfTwo(kTraits.emax + 1)));
  const V64 bounded = hn::IfThenElse(too_large, hn::Set(d, PowerOfTwo(1024)), rounded);
  return F32Lanes::Narrow(hn::CopySign(bounded, values));
}

struct Bf16Lanes {
  using Bits = std::uint16_t;
  using Tag = DU16;
  static V64 Widen(VU16 bits) {
    return F32Lanes::Widen(hn::BitCast(D32(), hn::ShiftLeft<16>(hn::PromoteTo(DU32(), bits))));
  }
  static VU16 Narrow(V64 values) {
    const auto bits = hn::BitCast(DU32(), RoundTo16<Format::kBf16>(values));
    return hn::DemoteTo(DU16(), hn::BitCast(DI32(), hn::ShiftRight<16>(bits)));
  }
  // Where neither rounding to f32 first nor ties matter.
  static VU16 NarrowSafe(V64 values) {
    const auto bits = hn::BitCast(DU32(), F32Lanes::Narrow(values));
    return hn::DemoteTo(DU16(), hn::BitCast(DI32(), hn::ShiftRight<16>(hn::Add(bits, hn::Set(DU32(), 0x8000u)))));
  }
};

// The 15 bits below the sign, moved to a binary32's place, read as the value times 2^-112: exact both ways, f16
// subnormals included, except for f16's top exponent, which means infinity and NaN.
struct F16Lanes {
  using Bits = std::uint16_t;
  using Tag = DU16;
#if NORMCHECK_NATIVE_F16
  static V64 Widen(VU16 half) { return F32Lanes::Widen(hn::PromoteTo(D32(), hn::BitCast(DF16(), half))); }
  // Where rounding to f32 first cannot matter.
  static VU16 NarrowSafe(V64 values) { return hn::BitCast(DU16(), hn::DemoteTo(DF16(), F32Lanes::Narrow(values))); }
#else
  static VU16 NarrowSafe(V64 values) { return Narrow(values); }
  static V64 Widen(VU16 half) {
    const DU32 du;
    const auto bits = hn::PromoteTo(du, half);
    const auto placed = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7fffu)));
    const auto scaled = hn::BitCast(du, hn::Mul(hn::BitCast(D32(), placed), hn::Set(D32(), 0x1p112f)));
    const auto special = hn::Or(placed, hn::Set(du, 0x7f800000u));
    const auto magnitude = hn::IfThenElse(hn::Gt(placed, hn::Set(du, 0x0f7fffffu)), special, scaled);
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
    return F32Lanes::Widen(hn::BitCast(D32(), hn::Or(magnitude, sign)));
  }
#endif
  static VU16 Narrow(V64 values) {
    const DU32 du;
    const auto bits = hn::BitCast(du, RoundTo16<Format::kF16>(values));
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffffu));
    const auto finite = hn::BitCast(du, hn::Mul(hn::BitCast(D32(), magnitude), hn::Set(D32(), 0x1p-112f)));
    const auto special = hn::Or(hn::And(magnitude, hn::Set(du, 0x007fffffu)), hn::Set(du, 0x0f800000u));
    const auto placed = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, 0x7f7fffffu)), special, finite);
    const auto sign = hn::ShiftRight<16>(hn::AndNot(hn::Set(du, 0x7fffffffu), bits));
    return hn::DemoteTo(DU16(), hn::BitCast(DI32(), hn::Or(hn::ShiftRight<13>(placed), sign)));
  }
};

// Elements are moved by memcpy at the tail, so that nothing beyond `count` is read or written.
template <typename Lanes>
void WidenAs(const void* from, std::size_t count, double* to) {
  using Bits = typename Lanes::Bits;
  const typename Lanes::Tag tag;
  const std::size_t step = hn::Lanes(D64());
  const auto* source = static_cast<const Bits*>(from);
  std::size_t i = 0;
  for (; i + step <= count; i += step) hn::StoreU(Lanes::Widen(hn::LoadU(tag, source + i)), D64(), to + i);
  if (i == count) return;
  Bits tail[kMaxVectorLanes] = {};
  double widened[kMaxVectorLanes];
  std::memcpy(tail, source + i, (count - i) * sizeof(Bits));
  hn::StoreU(Lanes::Widen(hn::LoadU(tag, tail)), D64(), widened);
  std::memcpy(to + i, widened, (count - i) * sizeof(double));
}

template <typename Lanes>
void NarrowAs(const double* from, std::size_t count, void* to) {
  using Bits = typename Lanes::Bits;
  const typename Lanes::Tag tag;
  const std::size_t step = hn::Lanes(D64());
  auto* target = static_cast<Bits*>(to);
  std::size_t i = 0;
  for (; i + step <= count; i += step) hn::StoreU(Lanes::Narrow(hn::LoadU(D64(), from + i)), tag, target + i);
  if (i == count) return;
  double tail[kMaxVectorLanes] = {};
  Bits narrowed[kMaxVectorLanes];
  std::memcpy(tail, from + i, (count - i) * sizeof(double));
  hn::StoreU(Lanes::Narrow(hn::LoadU(D64(), tail)), tag, narrowed);
  std::memcpy(target + i, narrowed, (count - i) * sizeof(Bits));
}

inline void Widen(Format format, const void* from, std::size_t count, double* to) {
  switch (format) {
    case Format::kF32: return WidenAs<F32Lanes>(from, count, to);
    case Format::kF16: return WidenAs<F16Lanes>(from, count, to);
    case Format::kBf16: return WidenAs<Bf16Lanes>(from, count, to);
  }
}

inline void Narrow(Format format, const double* from, std::size_t count, void* to) {
  switch (format) {
    case Format::kF32: return NarrowAs<F32Lanes>(from, count, to);
    case Format::kF16: return NarrowAs<F16Lanes>(from, count, to);
    case Format::kBf16: return NarrowAs<Bf16Lanes>(from, count, to);
  }
}

// Rounds doubles to a format's values, in place; `count` is a multiple of the lanes.
template <typename Round>
void RoundEach(double* values, std::size_t count, Round round) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(D64()))
    hn::StoreU(F32Lanes::Widen(round(hn::LoadU(D64(), values + i))), D64(), values + i);
}

inline void RoundTo(Format format, double* values, std::size_t count) {
  switch (format) {
    case Format::kF32: return RoundEach(values, count, [](V64 v) { return F32Lanes::Narrow(v); });
    case Format::kF16: return RoundEach(values, count, [](V64 v) { return RoundTo16<Format::kF16>(v); });
    case Format::kBf16: return RoundEach(values, count, [](V64 v) { return RoundTo16<Format::kBf16>(v); });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_CONVERT_INL_H_

// The fast tier's loops over elements: sums in binary32, outputs, the scan of gamma and beta; compiled once per Highway target.
#if defined(NORMCHECK_NORM_FAST_ELEMENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef NORMCHECK_NORM_FAST_ELEMENTS_INL_H_
#undef NORMCHECK_NORM_FAST_ELEMENTS_INL_H_
#else
#define NORMCHECK_NORM_FAST_ELEMENTS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "norm/constant_piece.h"
#include "norm/float_lanes-inl.h"
#include "norm/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kFloatGroup = 4 * kFloatLanes;

// Rows whose scalars are made together, as far as their x stays in a first-level cache.
inline constexpr std::size_t kFastRows = 8;
inline constexpr std::size_t kFastRowBytes = std::size_t{1} << 14;

inline std::size_t RowsAtOnce(const KernelCall& call) {
  return std::clamp<std::size_t>(kFastRowBytes / (call.width * TraitsOf(call.formats.x).bytes), 1, kFastRows);
}

// Additions per term in FloatMoments: a running sum, joining four of them, the tree over at most 16 lanes.
constexpr std::size_t FloatAdditionsPerTerm(std::size_t width) { return (width + kFloatGroup - 1) / kFloatGroup + 2 + 4; }

#if HWY_NATIVE_FMA && NORMCHECK_NATIVE_F16

// Four running sums and four of squares.
template <typename Lanes, bool kSum>
struct FloatAccumulators {
  VF s0, s1, s2, s3, q0, q1, q2, q3;

  HWY_INLINE void Clear() { s0 = s1 = s2 = s3 = q0 = q1 = q2 = q3 = hn::Zero(DF()); }

  HWY_INLINE void Add(const typename Lanes::Bits* x) {
    const VF a = LoadFloats(Lanes(), x), b = LoadFloats(Lanes(), x + kFloatLanes);
    const VF c = LoadFloats(Lanes(), x + 2 * kFloatLanes), d = LoadFloats(Lanes(), x + 3 * kFloatLanes);
    if constexpr (kSum) {
      s0 = hn::Add(s0, a);
      s1 = hn::Add(s1, b);
      s2 = hn::Add(s2, c);
      s3 = hn::Add(s3, d);
    }
    q0 = hn::MulAdd(a, a, q0);
    q1 = hn::MulAdd(b, b, q1);
    q2 = hn::MulAdd(c, c, q2);
    q3 = hn::MulAdd(d, d, q3);
  }

  static HWY_INLINE double Total(VF a, VF b, VF c, VF d) { return hn::GetLane(hn::SumOfLanes(DF(), hn::Add(hn::Add(a, b), hn::Add(c, d)))); }
};

template <typename Lanes, bool kSum>
HWY_NOINLINE Moments FloatMoments(const typename Lanes::Bits* x, std::size_t width) {
  FloatAccumulators<Lanes, kSum> sums;
  sums.Clear();
  std::size_t i = 0;
  for (; i + kFloatGroup <= width; i += kFloatGroup) sums.Add(x + i);
  if (i != width) {
    typename Lanes::Bits tail[kFloatGroup] = {};
    std::memcpy(tail, x + i, (width - i) * sizeof(*x));
    sums.Add(tail);
  }
  return {kSum ? sums.Total(sums.s0, sums.s1, sums.s2, sums.s3) : 0, sums.Total(sums.q0, sums.q1, sums.q2, sums.q3)};
}

// Largest magnitude, as bits; whatever is not finite is larger than what is.
template <typename P>
std::uint32_t LargestBits(const void* params, std::size_t width) {
  const DFU du;
  if (params == nullptr) return std::bit_cast<std::uint32_t>(1.0f);
  const auto* from = static_cast<const typename P::Bits*>(params);
  const auto magnitude = hn::Set(du, 0x7fffffffu);
  auto largest0 = hn::Zero(du), largest1 = hn::Zero(du);
  const auto size = [&](const typename P::Bits* at) HWY_ATTR { return hn::And(hn::BitCast(du, LoadFloats(P(), at)), magnitude); };
  std::size_t i = 0;
  for (; i + 2 * kFloatLanes <= width; i += 2 * kFloatLanes) {
    largest0 = hn::Max(largest0, size(from + i));
    largest1 = hn::Max(largest1, size(from + i + kFloatLanes));
  }
  if (i != width) {
    typename P::Bits tail[2 * kFloatLanes] = {};
    std::memcpy(tail, from + i, (width - i) * sizeof(*from));
    largest0 = hn::Max(hn::Max(largest0, size(tail)), size(tail + kFloatLanes));
  }
  return hn::GetLane(hn::MaxOfLanes(du, hn::Max(largest0, largest1)));
}

template <typename P>
bool ParamsFitAs(const KernelCall& call) {
  const double gamma = std::bit_cast<float>(LargestBits<P>(call.gamma, call.width));
  const double beta = std::bit_cast<float>(LargestBits<P>(call.beta, call.width));
  return gamma * std::sqrt(static_cast<double>(call.width)) + beta <= PowerOfTwo(TraitsOf(call.formats.y).emax);
}

// The call's part of the guard (fast_stage.h).
inline bool ParamsFit(const KernelCall& call) {
  if (call.width > kMaxStageWidth) return false;
  switch (call.formats.params) {
    case Format::kF16: return ParamsFitAs<F16Lanes>(call);
    case Format::kBf16: return ParamsFitAs<Bf16Lanes>(call);
    case Format::kF32: break;
  }
  return ParamsFitAs<F32Lanes>(call);
}

constexpr std::uint32_t OneOf(F32Lanes) { return 0x3f800000; }
constexpr std::uint32_t OneOf(F16Lanes) { return 0x3c00; }
constexpr std::uint32_t OneOf(Bf16Lanes) { return 0x3f80; }

// What the rows of a call share while their elements are formed. Absent parameters are a piece of ones or zeros.
template <typename P>
class ElementPlan {
 public:
  static constexpr std::size_t kPiece = kConstantPiece;

  explicit ElementPlan(const KernelCall& call)
      : call_(call), rows_at_once_(RowsAtOnce(call)), prefetch_(CallBytes(call) >= kPrefetchBytes), stream_(Streams(call)) {}

  std::size_t width() const { return call_.width; }
  // Whole rows go through at once where both parameters are there.
  std::size_t piece() const { return call_.gamma != nullptr && call_.beta != nullptr ? call_.width : kPiece; }
  const typename P::Bits* gamma(std::size_t offset) const { return call_.gamma == nullptr ? kOnes.values : static_cast<const typename P::Bits*>(call_.gamma) + offset; }
  const typename P::Bits* beta(std::size_t offset) const { return call_.beta == nullptr ? kZeros.values : static_cast<const typename P::Bits*>(call_.beta) + offset; }
  std::size_t rows_at_once() const { return rows_at_once_; }
  bool prefetch() const { return prefetch_; }
  bool stream() const { return stream_; }

 private:
  static constexpr const auto& kOnes = kConstants<typename P::Bits, OneOf(P())>;
  static constexpr const auto& kZeros = kConstants<typename P::Bits, 0>;

  const KernelCall& call_;
  std::size_t rows_at_once_;
  bool prefetch_;
  bool stream_;
};

// t = (x - pivot)*scale + shift, x*scale + shift or x*scale.
enum class Form { kCentre, kShift, kScale };

struct FastScalars {
  float pivot, scale, shift;
};

struct FastVectors {
  explicit FastVectors(const FastScalars& s) : pivot(hn::Set(DF(), s.pivot)), scale(hn::Set(DF(), s.scale)), shift(hn::Set(DF(), s.shift)) {}
  VF pivot, scale, shift;
};

// y of one vector of elements.
template <typename X, typename P, Form kForm>
HWY_INLINE VF FormVector(const FastVectors& row, const typename X::Bits* x, const typename P::Bits* gamma, const typename P::Bits* beta) {
  VF t = LoadFloats(X(), x);
  if constexpr (kForm == Form::kCentre) t = hn::Sub(t, row.pivot);
  t = kForm == Form::kScale ? hn::Mul(t, row.scale) : hn::MulAdd(t, row.scale, row.shift);
  return hn::MulAdd(t, LoadFloats(P(), gamma), LoadFloats(P(), beta));
}

// Fewer elements than a group, vector by vector.
template <typename X, typename P, typename Y, Form kForm>
HWY_INLINE void FormTail(const FastVectors& row, const typename X::Bits* x, const typename P::Bits* gamma, const typename P::Bits* beta, std::size_t count,
                         typename Y::Bits* y) {
  std::size_t i = 0;
  for (; i + kFloatLanes <= count; i += kFloatLanes) StoreFloats(Y(), FormVector<X, P, kForm>(row, x + i, gamma + i, beta + i), false, y + i);
  if (i == count) return;
  typename X::Bits x_tail[kFloatLanes] = {};
  typename P::Bits gamma_tail[kFloatLanes] = {}, beta_tail[kFloatLanes] = {};
  typename Y::Bits y_tail[kFloatLanes];
  std::memcpy(x_tail, x + i, (count - i) * sizeof(*x));
  std::memcpy(gamma_tail, gamma + i, (count - i) * sizeof(*gamma));
  std::memcpy(beta_tail, beta + i, (count - i) * sizeof(*beta));
  StoreFloats(Y(), FormVector<X, P, kForm>(row, x_tail, gamma_tail, beta_tail), false, y_tail);
  std::memcpy(y + i, y_tail, (count - i) * sizeof(*y));
}

// A piece of a row. kFar: y goes past the caches.
template <typename X, typename P, typename Y, Form kForm, bool kFar>
HWY_INLINE void FormPiece(const FastVectors& row, const typename X::Bits* x, const Ahead& ahead, const typename P::Bits* gamma, const typename P::Bits* beta,
                          std::size_t count, typename Y::Bits* y) {
  constexpr std::size_t n = kFloatLanes;
  std::size_t i = 0;
  for (; i + kFloatGroup <= count; i += kFloatGroup) {
    ahead.Fetch(i * sizeof(*x), kFloatGroup * sizeof(*x));
    const VF a = FormVector<X, P, kForm>(row, x + i, gamma + i, beta + i);
    const VF b = FormVector<X, P, kForm>(row, x + i + n, gamma + i + n, beta + i + n);
    const VF c = FormVector<X, P, kForm>(row, x + i + 2 * n, gamma + i + 2 * n, beta + i + 2 * n);
    const VF d = FormVector<X, P, kForm>(row, x + i + 3 * n, gamma + i + 3 * n, beta + i + 3 * n);
    StoreFloats(Y(), a, kFar, y + i);
    StoreFloats(Y(), b, kFar, y + i + n);
    StoreFloats(Y(), c, kFar, y + i + 2 * n);
    StoreFloats(Y(), d, kFar, y + i + 3 * n);
  }
  if (i != count) FormTail<X, P, Y, kForm>(row, x + i, gamma + i, beta + i, count - i, y + i);
}

// A row.
template <typename X, typename P, typename Y, Form kForm>
HWY_INLINE void FormElements(const ElementPlan<P>& plan, const FastScalars& scalars, const typename X::Bits* x, const Ahead& x_ahead, typename Y::Bits* y) {
  const FastVectors row(scalars);
  for (std::size_t offset = 0; offset < plan.width(); offset += plan.piece()) {
    const Ahead ahead = x_ahead.At(offset * sizeof(*x));
    const std::size_t count = std::min(plan.piece(), plan.width() - offset);
    if (plan.stream()) FormPiece<X, P, Y, kForm, true>(row, x + offset, ahead, plan.gamma(offset), plan.beta(offset), count, y + offset);
    else FormPiece<X, P, Y, kForm, false>(row, x + offset, ahead, plan.gamma(offset), plan.beta(offset), count, y + offset);
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#endif  // NORMCHECK_NORM_FAST_ELEMENTS_INL_H_

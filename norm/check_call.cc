// The checks of a KernelCall's arguments, in integers throughout: no sum or product of sizes may wrap, no flag be raised.
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "norm/kernel_call.h"

namespace normcheck::norm {
namespace {

constexpr CallResult kFine = {};
constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::ptrdiff_t>::max();

constexpr CallResult Bad(std::string_view argument, std::string_view reason) {
  return {CallStatus::kBadArgument, argument, reason};
}

CallResult CheckKinds(const KernelCall& call) {
  if (static_cast<std::size_t>(call.op) >= std::size(kOps)) return Bad("op", "is no known operation");
  for (Format format : {call.formats.x, call.formats.params, call.formats.y})
    if (format != Format::kF32 && format != Format::kF16 && format != Format::kBf16)
      return Bad("formats", "holds no known format");
  if (call.op != Op::kLayerNorm && call.mean != nullptr) return Bad("mean", "must be null: only LayerNorm has a mean");
  return kFine;
}

CallResult CheckEpsilon(double epsilon) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  constexpr std::uint64_t kInfinity = std::uint64_t{0x7ff} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(epsilon);
  if ((bits & ~kSign) > kInfinity) return Bad("epsilon", "is NaN");
  if ((bits & ~kSign) == kInfinity) return Bad("epsilon", "is infinite");
  if (bits > kSign) return Bad("epsilon", "is negative");
  return kFine;
}

// Whether an object may have the bytes from the first element to the end of the last; rows > 0.
bool Spans(std::uint64_t rows, std::uint64_t width, std::uint64_t pitch, std::uint64_t bytes) {
  std::uint64_t last = 0, elements = 0, extent = 0;
  const bool wraps = __builtin_mul_overflow(rows - 1, pitch, &last) || __builtin_add_overflow(last, width, &elements) || __builtin_mul_overflow(elements, bytes, &extent);
  return !wraps && extent <= kMaxBytes;
}

CallResult CheckSizes(const KernelCall& call) {
  if (call.x_pitch < call.width) return Bad("x_pitch", "is less than the width");
  if (call.y_pitch < call.width) return Bad("y_pitch", "is less than the width");
  if (call.rows == 0 || call.width == 0) return kFine;
  const std::uint64_t x_bytes = TraitsOf(call.formats.x).bytes;
  const std::uint64_t y_bytes = TraitsOf(call.formats.y).bytes;
  if (!Spans(1, call.width, 0, sizeof(float))) return Bad("width", "spans more bytes than an object can have");
  if (!Spans(call.rows, 1, 1, sizeof(float))) return Bad("rows", "spans more bytes than an object can have");
  if (!Spans(call.rows, call.width, call.x_pitch, x_bytes)) return Bad("x_pitch", "times the rows spans more bytes than an object can have");
  if (!Spans(call.rows, call.width, call.y_pitch, y_bytes)) return Bad("y_pitch", "times the rows spans more bytes than an object can have");
  return kFine;
}

// One array of the call: `bytes` from `begin`, elements of `element` bytes, a power of two.
struct Array {
  const void* data;
  std::uint64_t bytes;
  std::uint64_t element;

  std::uint64_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
  bool used() const { return data != nullptr && bytes != 0; }
  // Of an array in use.
  bool Overlaps(const Array& other) const {
    return other.used() && begin() < other.begin() + other.bytes && other.begin() < begin() + bytes;
  }
};

enum Place : std::size_t { kX, kGamma, kBeta, kY, kMean, kInvStdDev, kArrays };

constexpr std::string_view kNames[kArrays] = {"x", "gamma", "beta", "y", "mean", "inv_std_dev"};
constexpr std::string_view kOverlaps[kArrays] = {"overlaps x", "overlaps gamma", "overlaps beta", "overlaps y", "overlaps mean", "overlaps inv_std_dev"};

// Inputs first, then outputs. Only after CheckSizes, after which no extent wraps.
std::array<Array, kArrays> ArraysOf(const KernelCall& call) {
  const std::uint64_t x = TraitsOf(call.formats.x).bytes;
  const std::uint64_t params = TraitsOf(call.formats.params).bytes;
  const std::uint64_t y = TraitsOf(call.formats.y).bytes;
  const std::uint64_t rows = call.width == 0 ? 0 : call.rows;
  const std::uint64_t width = call.rows == 0 ? 0 : call.width;
  const auto extent = [&](std::uint64_t pitch, std::uint64_t bytes) { return rows == 0 ? 0 : ((rows - 1) * pitch + width) * bytes; };
  return {{
      {call.x, extent(call.x_pitch, x), x},
      {call.gamma, width * params, params},
      {call.beta, width * params, params},
      {call.y, extent(call.y_pitch, y), y},
      {call.mean, rows * sizeof(float), sizeof(float)},
      {call.inv_std_dev, rows * sizeof(float), sizeof(float)},
  }};
}

CallResult CheckPointer(const Array& array, std::size_t place) {
  const bool required = place == kX || place == kY;
  if (required && array.data == nullptr && array.bytes != 0) return Bad(kNames[place], "is null");
  if ((array.begin() & (array.element - 1)) != 0) return Bad(kNames[place], "is not aligned to its element");
  if (array.used() && array.bytes > ~std::uint64_t{0} - array.begin()) return Bad(kNames[place], "runs past the end of the address space");
  return kFine;
}

bool IsInPlace(const KernelCall& call) {
  return call.y == call.x && call.formats.y == call.formats.x && call.y_pitch == call.x_pitch;
}

CallResult CheckOverlap(const KernelCall& call, const std::array<Array, kArrays>& arrays) {
  for (std::size_t output = kY; output < arrays.size(); ++output) {
    if (!arrays[output].used()) continue;
    for (std::size_t other = 0; other < output; ++other) {
      if (output == kY && other == kX && IsInPlace(call)) continue;
      if (arrays[output].Overlaps(arrays[other])) return Bad(kNames[output], kOverlaps[other]);
    }
  }
  return kFine;
}

}  // namespace

CallResult CheckCall(const KernelCall& call) {
  if (const CallResult kinds = CheckKinds(call); !kinds.ok()) return kinds;
  if (const CallResult epsilon = CheckEpsilon(call.epsilon); !epsilon.ok()) return epsilon;
  if (const CallResult sizes = CheckSizes(call); !sizes.ok()) return sizes;
  const std::array<Array, kArrays> arrays = ArraysOf(call);
  for (std::size_t place = 0; place < kArrays; ++place)
    if (const CallResult pointer = CheckPointer(arrays[place], place); !pointer.ok()) return pointer;
  return CheckOverlap(call, arrays);
}

}  // namespace normcheck::norm

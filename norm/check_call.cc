// The checks of a KernelCall's arguments, in integers throughout: no sum or product of sizes may wrap, no flag be raised.
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>

#include "norm/kernel_call.h"

namespace normcheck::norm {
namespace {

constexpr CallResult kFine = {};
constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::ptrdiff_t>::max();

constexpr CallResult Bad(std::string_view argument, std::string_view reason) {
  return {CallStatus::kBadArgument, argument, reason};
}

CallResult CheckKinds(const KernelCall& call) {
  if (call.op != Op::kLayerNorm && call.op != Op::kRmsNorm) return Bad("op", "is no known operation");
  for (Format format : {call.formats.x, call.formats.params, call.formats.y})
    if (format != Format::kF32 && format != Format::kF16 && format != Format::kBf16)
      return Bad("formats", "holds no known format");
  if (call.op == Op::kRmsNorm && call.mean != nullptr) return Bad("mean", "must be null: RMSNorm has no mean");
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

// Bytes from the first element to the end of the last; nothing where they leave the address space. No rows: 0 bytes.
std::optional<std::uint64_t> Extent(std::uint64_t rows, std::uint64_t width, std::uint64_t pitch, std::uint64_t bytes) {
  if (rows == 0 || width == 0) return 0;
  const std::uint64_t limit = kMaxBytes / bytes;
  if (width > limit) return std::nullopt;
  if (pitch != 0 && rows - 1 > (limit - width) / pitch) return std::nullopt;
  return ((rows - 1) * pitch + width) * bytes;
}

CallResult CheckSizes(const KernelCall& call) {
  if (call.x_pitch < call.width) return Bad("x_pitch", "is less than the width");
  if (call.y_pitch < call.width) return Bad("y_pitch", "is less than the width");
  if (call.rows == 0 || call.width == 0) return kFine;
  const std::uint64_t x_bytes = TraitsOf(call.formats.x).bytes;
  const std::uint64_t y_bytes = TraitsOf(call.formats.y).bytes;
  if (!Extent(1, call.width, 0, sizeof(float))) return Bad("width", "spans more bytes than an object can have");
  if (!Extent(call.rows, 1, 1, sizeof(float))) return Bad("rows", "spans more bytes than an object can have");
  if (!Extent(call.rows, call.width, call.x_pitch, x_bytes)) return Bad("x_pitch", "times the rows spans more bytes than an object can have");
  if (!Extent(call.rows, call.width, call.y_pitch, y_bytes)) return Bad("y_pitch", "times the rows spans more bytes than an object can have");
  return kFine;
}

// One array of the call: `bytes` from `begin`, elements of `element` bytes.
struct Array {
  std::string_view name;
  std::string_view overlap;
  const void* data;
  std::uint64_t bytes;
  std::uint64_t element;

  std::uint64_t begin() const { return reinterpret_cast<std::uintptr_t>(data); }
  bool used() const { return data != nullptr && bytes != 0; }
  bool Overlaps(const Array& other) const {
    return used() && other.used() && begin() < other.begin() + other.bytes && other.begin() < begin() + bytes;
  }
};

// Inputs first, then outputs. Only after CheckSizes, which makes every extent a number.
std::array<Array, 6> ArraysOf(const KernelCall& call) {
  const std::uint64_t x = TraitsOf(call.formats.x).bytes;
  const std::uint64_t params = TraitsOf(call.formats.params).bytes;
  const std::uint64_t y = TraitsOf(call.formats.y).bytes;
  const std::uint64_t rows = call.width == 0 ? 0 : call.rows;
  const std::uint64_t width = call.rows == 0 ? 0 : call.width;
  return {{
      {"x", "overlaps x", call.x, Extent(rows, width, call.x_pitch, x).value_or(0), x},
      {"gamma", "overlaps gamma", call.gamma, width * params, params},
      {"beta", "overlaps beta", call.beta, width * params, params},
      {"y", "overlaps y", call.y, Extent(rows, width, call.y_pitch, y).value_or(0), y},
      {"mean", "overlaps mean", call.mean, rows * sizeof(float), sizeof(float)},
      {"inv_std_dev", "overlaps inv_std_dev", call.inv_std_dev, rows * sizeof(float), sizeof(float)},
  }};
}

CallResult CheckPointer(const Array& array) {
  const bool required = array.name == "x" || array.name == "y";
  if (required && array.data == nullptr && array.bytes != 0) return Bad(array.name, "is null");
  if (array.begin() % array.element != 0) return Bad(array.name, "is not aligned to its element");
  if (array.used() && array.bytes > ~std::uint64_t{0} - array.begin()) return Bad(array.name, "runs past the end of the address space");
  return kFine;
}

bool IsInPlace(const KernelCall& call) {
  return call.y == call.x && call.formats.y == call.formats.x && call.y_pitch == call.x_pitch;
}

CallResult CheckOverlap(const KernelCall& call, const std::array<Array, 6>& arrays) {
  constexpr std::size_t kX = 0;
  constexpr std::size_t kY = 3;
  for (std::size_t output = kY; output < arrays.size(); ++output)
    for (std::size_t other = 0; other < output; ++other) {
      if (output == kY && other == kX && IsInPlace(call)) continue;
      if (arrays[output].Overlaps(arrays[other])) return Bad(arrays[output].name, arrays[other].overlap);
    }
  return kFine;
}

}  // namespace

CallResult CheckCall(const KernelCall& call) {
  if (const CallResult kinds = CheckKinds(call); !kinds.ok()) return kinds;
  if (const CallResult epsilon = CheckEpsilon(call.epsilon); !epsilon.ok()) return epsilon;
  if (const CallResult sizes = CheckSizes(call); !sizes.ok()) return sizes;
  const std::array<Array, 6> arrays = ArraysOf(call);
  for (const Array& array : arrays)
    if (const CallResult pointer = CheckPointer(array); !pointer.ok()) return pointer;
  return CheckOverlap(call, arrays);
}

}  // namespace normcheck::norm

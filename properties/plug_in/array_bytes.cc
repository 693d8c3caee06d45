// Walks the pieces of an array that are copied and compared.
#include "properties/plug_in/array_bytes.h"

#include <cstring>

#include "reference/outputs.h"

namespace normcheck::properties::plug_in {
namespace {

constexpr std::size_t kWatchedBytes = reference::kWatchedPadding * sizeof(float);

// Calls piece(offset, bytes) until one returns false.
template <typename Piece>
bool ForPieces(const ArrayBytes& shape, const Piece& piece) {
  if (shape.extent() == 0) return true;
  if (shape.pitch_bytes - shape.row_bytes <= 2 * kWatchedBytes) return piece(std::size_t{0}, shape.extent());
  for (std::size_t row = 0; row < shape.rows; ++row) {
    const std::size_t before = row == 0 ? 0 : kWatchedBytes;
    const std::size_t after = row + 1 == shape.rows ? 0 : kWatchedBytes;
    if (!piece(row * shape.pitch_bytes - before, before + shape.row_bytes + after)) return false;
  }
  return true;
}

}  // namespace

std::array<ArrayBytes, kArrays> ArraysOf(const norm::KernelCall& call) {
  const auto bytes = [](const void* data) { return static_cast<const std::byte*>(data); };
  const auto row_of = [&](const void* data, std::size_t count, std::size_t element) {
    return ArrayBytes{bytes(data), 1, count * element, count * element};
  };
  const std::size_t x = norm::TraitsOf(call.formats.x).bytes;
  const std::size_t params = norm::TraitsOf(call.formats.params).bytes;
  const std::size_t y = norm::TraitsOf(call.formats.y).bytes;
  return {ArrayBytes{bytes(call.x), call.rows, call.width * x, call.x_pitch * x},
          row_of(call.gamma, call.width, params),
          row_of(call.beta, call.width, params),
          IsInPlace(call) ? ArrayBytes{} : ArrayBytes{bytes(call.y), call.rows, call.width * y, call.y_pitch * y},
          row_of(call.mean, call.rows, sizeof(float)),
          row_of(call.inv_std_dev, call.rows, sizeof(float))};
}

bool IsInPlace(const norm::KernelCall& call) { return call.y == call.x && call.rows > 0 && call.width > 0; }

void CopyRows(const ArrayBytes& shape, const std::byte* from, std::byte* to) {
  ForPieces(shape, [&](std::size_t at, std::size_t bytes) {
    std::memcpy(to + at, from + at, bytes);
    return true;
  });
}

bool SameRows(const ArrayBytes& shape, const std::byte* a, const std::byte* b) {
  return ForPieces(shape, [&](std::size_t at, std::size_t bytes) { return std::memcmp(a + at, b + at, bytes) == 0; });
}

}  // namespace normcheck::properties::plug_in

// The arrays of a call as bytes: where they stand, how long they are, and how they are copied and compared.
#pragma once

#include <array>
#include <cstddef>

#include "norm/kernel_call.h"
#include "properties/plug_in/shared_block.h"

namespace normcheck::properties::plug_in {

// `rows` rows of `row_bytes`, `pitch_bytes` apart.
struct ArrayBytes {
  const std::byte* data = nullptr;  // null: absent
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t pitch_bytes = 0;

  std::size_t extent() const { return rows == 0 || row_bytes == 0 ? 0 : (rows - 1) * pitch_bytes + row_bytes; }
};

// In the order of kArrayNames. In place, y is absent.
std::array<ArrayBytes, kArrays> ArraysOf(const norm::KernelCall& call);

bool IsInPlace(const norm::KernelCall& call);

// Copies the rows and what lies between them; of gaps of more than twice reference::kWatchedPadding elements only the first and
// last so many, as the judge watches no more. `from` and `to` are laid out alike, as `shape` says.
void CopyRows(const ArrayBytes& shape, const std::byte* from, std::byte* to);

// The rows of both hold the same bytes, and what CopyRows copies of the gaps.
bool SameRows(const ArrayBytes& shape, const std::byte* a, const std::byte* b);

}  // namespace normcheck::properties::plug_in

// Pieces of one value throughout, in read-only memory: what the fast tier takes for absent parameters.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace normcheck::norm {

inline constexpr std::size_t kConstantPiece = 1024;

// kWord: the value's bits.
template <typename Bits, std::uint32_t kWord>
struct ConstantPiece {
  using Word = std::conditional_t<sizeof(Bits) == 4, std::uint32_t, std::uint16_t>;

  constexpr ConstantPiece() {
    for (Bits& value : values) value = std::bit_cast<Bits>(static_cast<Word>(kWord));
  }

  alignas(64) Bits values[kConstantPiece] = {};
};

template <typename Bits, std::uint32_t kWord>
inline constexpr ConstantPiece<Bits, kWord> kConstants;

}  // namespace normcheck::norm

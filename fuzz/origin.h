// Where a case came from: a family of properties/families.h, or a way of changing cases; what the summary counts coverage by.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "properties/families.h"

namespace normcheck::fuzz {

// The ids of all families in their order, then "moves" (row_moves.h), "crossover", "bytes" (libFuzzer's own mutations) and "corpus"
// (inputs that were there, and what no mutator made).
std::span<const std::string_view> OriginNames();

// The place of a name among them; that of "corpus" where there is no such name.
std::size_t OriginNamed(std::string_view name);
inline std::size_t FromTheCorpus() { return OriginNames().size() - 1; }

inline std::size_t OriginOf(const properties::Family& family) { return static_cast<std::size_t>(&family - properties::Families().data()); }

}  // namespace normcheck::fuzz

// Moves on whole cases: what a person would try on a row that is nearly bad enough. Shared by RapidCheck's generator and the
// fuzzer's mutator.
#pragma once

#include <span>
#include <string_view>

#include "properties/families.h"
#include "properties/random.h"

namespace normcheck::properties {

// Where moves stay: each caller has its own caps.
struct MoveLimits {
  std::span<const Formats> formats;  // one of these is taken where formats change; not empty
  std::size_t max_elements = 0;      // rows*width, and each of them where the other is 0
  std::size_t least = 0;             // rows and columns are never fewer
};

// Changes a case into a neighbour that is a valid case again. Shapes may change.
// Requires: a case within the caller's caps; an empty case may claim a width that no memory holds.
struct Move {
  std::string_view name;  // "ulp-step"
  void (*apply)(Case& c, const MoveLimits& limits, Random& random);
};

// From a single ulp to a new row of a family, a new width, new parameters or another epsilon.
std::span<const Move> Moves();

// One to four moves in a row.
void MutateCase(Case& c, const MoveLimits& limits, Random& random);

// The case with other formats, bits moved so that sign and exponent stay in place: f32 keeps its upper half in 16 bits.
Case WithFormats(Case c, const Formats& formats);

}  // namespace normcheck::properties

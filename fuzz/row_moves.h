// Moves on whole cases for the fuzzer's mutator: what a person would try on a row that is nearly bad enough.
#pragma once

#include <span>
#include <string_view>

#include "properties/random.h"
#include "reference/case.h"

namespace normcheck::fuzz {

// Changes a case into a neighbour that is a valid case again. Shapes may change.
// Requires: WithinCaps(c); an empty case may claim a width that no memory holds.
struct Move {
  std::string_view name;  // "ulp-step"
  void (*apply)(reference::Case& c, properties::Random& random);
};

// From a single ulp to a new row of a family, a new width, new parameters or another epsilon.
std::span<const Move> Moves();

// One to four moves in a row.
void MutateCase(reference::Case& c, properties::Random& random);

// A case of any family, format and shape up to max_width: a start that bytes would hardly reach.
reference::Case FreshCase(norm::Op op, std::size_t max_width, properties::Random& random);

}  // namespace normcheck::fuzz

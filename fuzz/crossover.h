// Crossover of two cases: a child that has its rows, columns or parameters from both.
#pragma once

#include "properties/random.h"
#include "reference/case.h"

namespace normcheck::fuzz {

// A case in a's formats and op. b's bits are moved into them; its rows are cut to a's width, or repeated where they are shorter.
//   rows: some of a's rows are b's;   columns: from one column on x, gamma and beta are b's;
//   parameters: x of a with gamma, beta and epsilon of b;   shape: x of a in b's width and number of rows.
// Requires: WithinCaps(a), WithinCaps(b). The child is within the caps.
reference::Case CrossCases(const reference::Case& a, const reference::Case& b, properties::Random& random);

}  // namespace normcheck::fuzz

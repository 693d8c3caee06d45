// RapidCheck's view of cases: one generator call a case, shrinking on the bits.
#pragma once

#include <rapidcheck/Gen.h>

#include <functional>
#include <iosfwd>
#include <vector>

#include "properties/random.h"
#include "reference/case.h"

namespace normcheck::reference {

// How RapidCheck shows a case: one line of hex floats.
void showValue(const Case& c, std::ostream& out);

}  // namespace normcheck::reference

namespace normcheck::properties {

// What to draw cases from. prepare turns a drawn or shrunk case into one that meets a law's precondition; null: none.
struct CaseSource {
  std::vector<norm::Op> ops;
  std::vector<norm::Formats> formats;
  std::size_t max_width = 4096;
  void (*prepare)(reference::Case& c) = nullptr;
  bool beta = true;  // false: no case has one
};

// One draw before prepare: a family's case, one in four followed by moves within the source's formats and width.
reference::Case DrawCase(const CaseSource& source, Random& random);

// Seeds our own Random from RapidCheck's, so that a case costs one call. Shrinks are the prepared ones of Simpler that
// are simpler still: prepare cannot make shrinking go round in circles.
rc::Gen<reference::Case> CasesFrom(CaseSource source);

}  // namespace normcheck::properties

// Ballot: what one judged case says of every hypothesis.
#pragma once

#include <span>
#include <vector>

#include "reference/diagnosis/subject.h"

namespace normcheck::reference::diagnosis {

// A case tells a mistake at a grade where the mistake's own exact output differs from the right one by at least four times
// (half an ulp + the bound of the wrong formula). It explains where the outputs lie within that bound at such a grade, and
// excludes where the case tells it at every grade and the outputs lie within none.
enum class Vote : std::uint8_t { kCannotTell, kExplains, kExcludes };

struct Ballot {
  Vote vote = Vote::kCannotTell;
  double distance = 0;  // of what explains: largest |got - wrong| in ulps of the definition's row
};

// One for each of Hypotheses(). Rows without promise, and rows with a class fault, carry nothing: see AskedOf.
std::vector<Ballot> Ballots(const Subject& subject, std::span<const Bits> got);

// Which hypotheses the outputs fit, told or not: all lie within the bound of the mistake, and not within the definition's.
std::vector<bool> Fits(const Subject& subject, std::span<const Bits> got);

// A row with a class fault: NaN or infinite where a number is due.
enum class ClassFaults : std::uint8_t { kAsked, kSkipped };

// The case without the rows that can carry no formula: nothing is promised there, or it has a class fault.
Subject AskedOf(const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon,
                ClassFaults faults);

}  // namespace normcheck::reference::diagnosis

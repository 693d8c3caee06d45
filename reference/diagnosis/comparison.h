// Compares the outputs of a case with one form of a mistake.
#pragma once

#include <span>

#include "reference/diagnosis/model.h"
#include "reference/diagnosis/subject.h"

namespace normcheck::reference::diagnosis {

// One bit for each grade.
using GradeSet = unsigned;
constexpr GradeSet Only(Grade grade) { return 1U << static_cast<unsigned>(grade); }
inline constexpr GradeSet kAllGrades = (1U << kGradeCount) - 1;

// What an infinite slack is taken for.
enum class Unbounded : std::uint8_t { kWithin, kBeyond };

struct Comparison {
  GradeSet within = 0;   // grades at which every output lies within the slack
  double distance = 0;   // largest |got - value|, in ulps of the definition's row; only where within is not empty
};

// Looks at `grades` only, and stops where none is left. A row that the model says nothing of, and a case without an element
// to compare, is within nothing.
Comparison Compare(Model& model, const Subject& subject, std::span<const Bits> got, GradeSet grades, Unbounded unbounded);

// The grades at which some value of the model differs from the definition's by four times what rounding and slack can hide.
GradeSet Telling(Model& model, Model& definition, const Subject& subject);

// True where the definition has a value and the row is asked: it is finite and Q > 0, gamma and beta are finite.
bool Scored(const Subject& subject, std::size_t row);
bool Scored(const Subject& subject, std::size_t row, std::size_t i);

}  // namespace normcheck::reference::diagnosis

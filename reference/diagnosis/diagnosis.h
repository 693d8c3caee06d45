// Diagnosis: names the mistakes that the outputs of a broken contract are consistent with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/verdict.h"

namespace normcheck::reference {

// A mistake that can be told from outputs: its id is the name of the mutant that makes it.
struct HypothesisName {
  std::string_view id;
  std::string_view text;  // one sentence
};

// All hypotheses, in a fixed order.
std::vector<HypothesisName> HypothesisNames();

// The mistakes that explain got, nearest first; distance_ulp is the largest |got - wrong| in ulps of the row (DESIGN.md: row
// ulps, of the definition's row). epsilon: as the kernel takes it, finite.
// Requires: the contract failed on these outputs; got has rows*width elements.
//
// A mistake is looked for at four grades of arithmetic: the contract's own, and the a-priori bounds of a two-pass kernel in
// f64, in f64 with f32 elements, and in f32 (profile_bounds.h), each put around the exact value of the wrong formula. It is
// named at a grade where every output lies within that bound of it, and the definition itself does not lie within its own:
// outputs that a sound kernel of that grade could have given accuse nobody.
// Nor is it named where its value is no nearer to the outputs than the definition's. A mistake whose result depends on an
// order of operations or a table that nobody told (one-pass-variance, rsqrt-12-bit, folded-scale-bias) has, beside
// emulations, a form that is a bound around the definition; that form counts where the definition is within no grade.
// Says nothing of rows with NaN or infinity, of elements whose gamma or beta is not finite, and of rows with Q = 0.
std::vector<Diagnosis> Diagnose(const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon);

// True where Diagnose lists the id.
bool Explains(std::string_view id, const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon);

// The outputs of a wrong formula, each rounded once: what a perfect kernel with that mistake gives. Of a mistake with several
// forms the first. Elements of which it says nothing are NaN, unwritten ones PoisonBits. Empty: the case cannot show it.
std::vector<Bits> WrongOutputs(std::string_view id, const Case& c);

}  // namespace normcheck::reference

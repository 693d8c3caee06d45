// The hypotheses by family of mistakes.
#pragma once

#include <vector>

#include "reference/diagnosis/model.h"

namespace normcheck::reference::diagnosis {

// All of them, in a fixed order.
const std::vector<Hypothesis>& Hypotheses();

std::vector<Hypothesis> EpsilonHypotheses();       // where epsilon stands, and which
std::vector<Hypothesis> DefinitionHypotheses();    // divisor, centring, exponent
std::vector<Hypothesis> ElementHypotheses();       // which elements are summed: padding, tails, other rows, columns
std::vector<Hypothesis> ParameterHypotheses();     // gamma and beta
std::vector<Hypothesis> WriteHypotheses();         // what is written, or not
std::vector<Hypothesis> NarrowHypotheses();        // statistics in too few bits
std::vector<Hypothesis> ApproximationHypotheses(); // 12-bit roots, folded forms
std::vector<Hypothesis> RoundingHypotheses();      // truncation, flushing, a rounding too many

}  // namespace normcheck::reference::diagnosis

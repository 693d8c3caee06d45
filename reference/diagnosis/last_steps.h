// The error of the last operations of an output, and rounding into a format as values.
#pragma once

#include "norm/contract.h"
#include "reference/case.h"
#include "reference/diagnosis/model.h"
#include "reference/quad.h"

namespace normcheck::reference::diagnosis {

// Half an ulp of the format at |value|.
double HalfUlp(const Quad& value, Format format);

// A bound on |fl(p + q) - y| with y = p + q, |p| <= product, p rounded once or twice, in the elements' arithmetic of the
// grade and then in y's format: 2u*product + u*|y| and the roundings to f32 (from f64) and to the format.
double LastSteps(Grade grade, double product, const Quad& y, Format format);

// value rounded to nearest, ties to even.
Quad Nearest(const Quad& value, Format format);

// value rounded towards zero; the largest finite value where it is larger.
Quad TowardsZero(const Quad& value, Format format);

}  // namespace normcheck::reference::diagnosis

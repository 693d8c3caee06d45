// The laws by group; laws.cc puts them in order.
#pragma once

#include "properties/laws.h"

namespace normcheck::properties {

extern const Law kJudged, kStatistics, kSpecialValues, kWidthOne;                                    // judged.cc
extern const Law kConstantRowIsBeta;                                                                 // constant_row.cc
extern const Law kEmpty;                                                                             // empty.cc
extern const Law kBounded, kMonotonic, kLargerEpsilon;                                               // order.cc
extern const Law kShift, kScale, kNegation, kPermutation, kDuplication;                              // moves.cc
extern const Law kParameterScale, kAbsentParameters, kBetaAdditive, kGammaLinear, kRoundTrip, kRmsIsLayerNorm;  // parameters.cc
extern const Law kBatchIndependence;                                                                 // batch_independence.cc
extern const Law kBatchSize, kManyRows, kRowRanges, kRepeatable;                                     // calls.cc
extern const Law kLargeCalls;                                                                        // large_calls.cc
extern const Law kWritten, kGuardPages, kAlignment, kPadding, kInPlace, kWidePitch;                  // memory.cc
extern const Law kEveryTarget, kFloatEnvironment, kMxcsrKept;                                        // machine.cc

}  // namespace normcheck::properties

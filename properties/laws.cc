// The laws in order: the judged ones, those that need no reference, invariance, memory, the machine.
#include "properties/laws.h"

#include "properties/laws/groups.h"

namespace normcheck::properties {

std::span<const Law> Laws() {
  static const Law kAll[] = {
      kJudged,         kStatistics,       kSpecialValues, kConstantRowIsBeta, kWidthOne,    kEmpty,
      kBounded,        kMonotonic,        kLargerEpsilon, kShift,             kScale,       kNegation,
      kPermutation,    kDuplication,      kParameterScale, kAbsentParameters, kBetaAdditive, kGammaLinear,
      kRoundTrip,      kRmsIsLayerNorm,   kBatchIndependence, kBatchSize,     kRowRanges,   kRepeatable,
      kWritten,        kGuardPages,       kAlignment,     kPadding,           kInPlace,     kWidePitch,
      kEveryTarget,    kFloatEnvironment, kMxcsrKept,     kManyRows,
      kLargeCalls};
  return kAll;
}

}  // namespace normcheck::properties

// The laws in order: the one that says most first.
#include "properties/laws.h"

#include "properties/laws/groups.h"

namespace normcheck::properties {

std::span<const Law> Laws() {
  static const Law kAll[] = {kJudged, kSpecialValues, kConstantRowIsBeta, kWidthOne, kBatchIndependence, kEmpty};
  return kAll;
}

}  // namespace normcheck::properties

// The laws by group; laws.cc puts them in order.
#pragma once

#include "properties/laws.h"

namespace normcheck::properties {

extern const Law kJudged, kSpecialValues, kWidthOne;  // judged.cc
extern const Law kConstantRowIsBeta;                  // constant_row.cc
extern const Law kBatchIndependence;                  // batch_independence.cc
extern const Law kEmpty;                              // empty.cc

}  // namespace normcheck::properties

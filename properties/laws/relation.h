// Relations: a second case whose exact outputs are those of the first, moved to other places and times a power of two.
#pragma once

#include <optional>
#include <vector>

#include "properties/laws/side.h"

namespace normcheck::properties {

// Y_other[j] = factor*Y[from[j]] exactly; factor is a signed power of two.
struct Related {
  Case other;
  double factor = 1;
  std::vector<std::size_t> from = {};  // empty: from[j] = j
};

// Kept where the outputs of both sides agree: equal numbers where both are promised to be correctly rounded (and neither is
// near a range's end, if the factor is no sign), else within |factor|*E + E_other, E being the certified bounds. NaN only with NaN.
// Undefined rows and infinite outputs are left out; nothing left: not applicable.
LawResult CheckRelated(const Side& side, const Side& other, const Related& related);

// The check of a law made of a relation; nothing: its precondition does not hold.
template <std::optional<Related> (*Relate)(const Case&)>
LawResult CheckRelation(const LawContext& context, const Case& c) {
  const std::optional<Related> related = Relate(c);
  if (!related) return NotApplicable();
  return CheckRelated(Side(context.kernel, c), Side(context.kernel, related->other), *related);
}

}  // namespace normcheck::properties

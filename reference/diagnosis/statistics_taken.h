// The statistics that a formula, right or wrong, normalises with, and how well a kernel of each grade can know them.
#pragma once

#include <functional>

#include "reference/case.h"
#include "reference/diagnosis/group.h"
#include "reference/diagnosis/model.h"

namespace normcheck::reference::diagnosis {

// t = (x - centre)*inv_root.
struct TakenStatistics {
  Quad centre = 0;
  Quad inv_root = 1;  // infinite or NaN where the formula has no value
  std::size_t width = 1;
  // Of centre and of 1/inv_root^2, by a profile's kernel.
  std::function<SumErrors(const norm::Profile&)> errors;
};

// How a formula makes 1/inv_root^2 of its spread; not decreasing.
using Radicand = std::function<Quad(const Quad& spread)>;

// centre: what is subtracted from x. spread: var where around the mean, mean of squares where around zero.
// The errors are those of the profile's sums, carried through the radicand. The group must outlive the result.
TakenStatistics OfFormula(const Group& group, Centre centre, Centre spread, const Radicand& radicand);

// 1/sqrt(var + epsilon) around the mean, or 1/sqrt(mean square + epsilon) around zero.
TakenStatistics OfDefinition(const Group& group, Centre centre, double epsilon);

// Numbers that an emulation found: taken as they are, without an error.
TakenStatistics Emulated(const Quad& centre, const Quad& inv_root, std::size_t width);

// The two-pass kernel of a grade (kF32 for kContract, which has its own bounds unless it is a profile).
norm::Profile ProfileOf(Grade grade);

// The bound of a profile's kernel around these statistics.
RowBound BoundAround(const TakenStatistics& statistics, const norm::Profile& profile, Format y);

}  // namespace normcheck::reference::diagnosis

// Large calls: many rows together with wide rows, as transformers make them, up to about a million elements.
#pragma once

#include <vector>

#include "norm/kernel.h"
#include "properties/random.h"
#include "properties/shapes.h"
#include "reference/case.h"

namespace normcheck::properties {

// What one large call is drawn from.
struct LargeCall {
  norm::Op op = norm::Op::kLayerNorm;
  norm::Formats formats;
  CallSize size;
  Seed seed;
};

// One round of calls for a kernel, in an order drawn. For each op: FrontierSizes in the format that the kernel is asked in most
// (f32 throughout where it takes that, else its first), smaller ones and TableSizes in all of its formats in turn. A program
// (exec:) is asked one call alone: rows are sent to it.
std::vector<LargeCall> LargeCallsOf(const norm::Kernel& kernel, Random& random);

// The case of a call: all rows differ (ordinary ones, with an offset, constant, with an outlier, of other magnitudes), gamma and
// beta where the kernel takes them, now and then absent; dense. Takes about 3 ns an element.
reference::Case DrawLargeCall(const norm::Kernel& kernel, const LargeCall& call);

}  // namespace normcheck::properties

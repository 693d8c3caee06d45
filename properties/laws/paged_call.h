// Runs a kernel on arrays that stand against pages which nobody may touch, at any alignment, with any padding.
#pragma once

#include <array>
#include <cstddef>

#include "norm/kernel.h"
#include "reference/outputs.h"

namespace normcheck::properties {

enum class PageEdge { kArrayBegins, kArrayEnds };

struct PagedLayout {
  PageEdge edge = PageEdge::kArrayEnds;      // where the array meets a page that may not be touched; there is one at each end
  std::array<std::size_t, 6> shifts = {};    // elements between that edge and x, gamma, beta, y, mean, inv_std_dev
  reference::Bits x_padding = 0;             // what x's padding between its rows holds
};

// The outputs as RunKernel gives them, guards and padding of y watched likewise. A touched page is a crash of the kernel
// (guarded_call.h). Throws norm::HarnessFault where the buffers would exceed 2^24 elements
// or the system has no memory.
reference::Outputs RunPaged(const norm::Kernel& kernel, const reference::Case& c, const PagedLayout& layout);

// x's rows `x_pitch` elements apart in address space that costs memory only where rows stand; y dense. Throws
// norm::HarnessFault where the system gives no such space.
reference::Outputs RunFarRows(const norm::Kernel& kernel, const reference::Case& c, std::size_t x_pitch);

}  // namespace normcheck::properties

// How a kernel computes what it computes: precision and likely order of its sums, rounding of its output, special values.
#pragma once

#include <vector>

#include "properties/probe.h"

namespace normcheck::properties {

std::vector<ProbeAnswer> ProbeNumerics(const norm::Kernel& kernel, norm::Op op);

}  // namespace normcheck::properties

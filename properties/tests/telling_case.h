// Random cases on which mistakes differ: small widths, variance near epsilon, offsets, tails, several rows.
#pragma once

#include <string_view>

#include "norm/kernel.h"
#include "properties/families.h"
#include "properties/random.h"

namespace normcheck::properties {

// A case that the kernel supports; id: the mistake that it should be able to show, "" for any.
Case TellingCase(Random& random, const norm::Kernel& kernel, std::string_view id);

// Two rows of f32 of that width, N(0,1) with an offset, gamma and beta present.
Case WideCase(Random& random, const norm::Kernel& kernel, std::size_t width);

}  // namespace normcheck::properties

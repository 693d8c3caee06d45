// Shrinks a failing case on its bits: fewer rows, shorter rows, plainer elements, epsilon and parameters. Shared by
// RapidCheck's generator and the fuzz campaign.
#pragma once

#include <functional>
#include <vector>

#include "reference/case.h"

namespace normcheck::properties {

// Simpler neighbours of a case, most drastic first: rows and columns less, steps of a vector width included; plainer numbers; and,
// where none of these fails, random restarts further away. Each is smaller in a well-founded order, so that shrinking ends.
std::vector<reference::Case> Simpler(const reference::Case& c);

// The order in which Simpler descends: rows, width, parameters, pitch, epsilon, then how plain the elements are. A case has
// finitely many values of each below its own, so every descent ends.
bool IsSimpler(const reference::Case& a, const reference::Case& b);

// Greedy descent through Simpler as long as `fails` holds, at most max_steps evaluations.
reference::Case Shrink(reference::Case c, const std::function<bool(const reference::Case&)>& fails, int max_steps);

}  // namespace normcheck::properties

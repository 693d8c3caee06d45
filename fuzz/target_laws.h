// Laws that need no reference, inside the fuzz targets: what a case is asked beside its verdict, chosen by its own bits.
#pragma once

#include <string>

#include "fuzz/finding.h"
#include "norm/kernel.h"
#include "properties/laws.h"
#include "reference/case.h"

namespace normcheck::fuzz {

// The law that an execution of this case also checks, or null: about one case in eight has one, dear laws come seldom.
// The same case always has the same law, so that a finding is found again. Only cases of 1 to kMostLawElements elements.
inline constexpr std::size_t kMostLawElements = 1024;
const properties::Law* LawFor(const norm::Kernel& kernel, const reference::Case& c);

// What the law is asked of at the case's turn: the case itself, or for large-calls a call of 2^16 to 2^20 elements that the case's
// bits draw, in its op and formats.
reference::Case AskedBy(const properties::Law& law, const norm::Kernel& kernel, const reference::Case& c);

// Turns the case into one that meets the law's precondition, rows at most 64 elements apart.
reference::Case PreparedFor(const properties::Law& law, reference::Case c);

// The kernel without its memory of earlier calls: found anew by its name, a plug-in in a worker process of its own; itself where there is
// no such name. A plug-in's start takes milliseconds, or as long as a program takes to load.
norm::Kernel Fresh(const norm::Kernel& kernel);

// "the same call twice gives the same bits, also after others", the law that state faults break.
const properties::Law& RepeatableLaw();

// What the law saw where the kernel breaks it on the case prepared for it; else empty.
std::string BrokenLaw(const norm::Kernel& kernel, const properties::Law& law, const reference::Case& c);

// The nearest case on which the kernel, found anew, still breaks the law (one that starts slowly: one found anew for all steps). At most 3
// seconds, or so many steps as take about that long. Requires: BrokenLaw(Fresh(kernel), law, c) is not empty.
reference::Case ShrinkForLaw(const norm::Kernel& kernel, const properties::Law& law, const reference::Case& c, Pace pace);

}  // namespace normcheck::fuzz

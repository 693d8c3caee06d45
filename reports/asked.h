// How much of a sweep a kernel was asked, and what it was not asked.
#pragma once

#include <string>

#include "reports/report.h"

namespace normcheck::reports {

// {"outputs": n, "of": m, "not": ["beta", ...]}: of the m outputs of these cells' cases the kernel was asked for n.
// "statistics" stands among what it was not asked where it has none: they are outputs beside these.
Json AskedJson(const Json& cells);

// "90,939 of 356,557 outputs; not: beta, pitch".
std::string AskedText(const Json& asked);

// 356557 as "356,557".
std::string GroupedText(std::uint64_t count);

}  // namespace normcheck::reports

// A plug-in's coverage for libFuzzer, where this process is a fuzz target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace normcheck::properties::plug_in {

// Makes room for `count` counters beside those of this program's own code, as the loader does for an instrumented library; the first
// count of a process that is not 0 stands. Nothing where libFuzzer is not linked. To be called before the first execution: libFuzzer
// numbers features by the counters that it knows.
void OpenFuzzerCounters(std::size_t count);

// Adds the counters of one call; those beyond the room are left out.
void AddToFuzzerCounters(std::span<const std::uint8_t> counters);

}  // namespace normcheck::properties::plug_in

// Coverage of a library that was built with -fsanitize=fuzzer-no-link: its counters, for the fuzzer in the owner's process.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normcheck::properties::plug_in {

void ResetCoverage();

// Copies the counters into `to`, folded where they are more than `capacity`; returns how many bytes of it were used.
std::uint32_t TakeCoverage(std::uint8_t* to, std::size_t capacity);

}  // namespace normcheck::properties::plug_in

// Keeps what a target does beside judging out of the coverage that libFuzzer sees.
#pragma once

#include <cstdint>
#include <vector>

namespace normcheck::fuzz {

// Puts the counters of this program back to what they were when it was made. What hangs on the clock or on what is on disk (counts
// saved once a second, shrinking with a time limit, a worst row in place of another) would make each run of a seed a different one, and
// credit an input with code that it did not reach. Nothing where the program has no counters.
class HeldCoverage {
 public:
  HeldCoverage();
  HeldCoverage(const HeldCoverage&) = delete;
  HeldCoverage& operator=(const HeldCoverage&) = delete;
  ~HeldCoverage();

 private:
  std::vector<std::uint8_t> kept_;
};

}  // namespace normcheck::fuzz

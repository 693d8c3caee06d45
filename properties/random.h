// The one random source of normcheck: integers only, so that a seed gives the same cases on every machine and compiler.
#pragma once

#include <cstdint>

namespace normcheck::properties {

struct Seed {
  std::uint64_t value = 1;
};

// splitmix64: passes through 2^64 states, any seed is good, two lines long.
class Random {
 public:
  explicit Random(Seed seed) : state_(seed.value) {}
  std::uint64_t Next();
  std::uint64_t Below(std::uint64_t bound);            // 0 <= result < bound, bound > 0; unbiased
  std::int64_t Between(std::int64_t low, std::int64_t high);  // inclusive
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }
  double Unit();                                       // [0, 1), 53 bits
  double Gaussian();                                   // sum of uniforms (Irwin-Hall, 12 terms): only + and -, same bits everywhere
  Random Fork(std::uint64_t stream) const;             // an independent source for a named sub-stream

 private:
  std::uint64_t state_;
};

}  // namespace normcheck::properties

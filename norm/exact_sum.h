// The exact sum of a row of floats as one wide integer, for the few questions that must not be rounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace normcheck::norm {

// S = sum of finite floats, exactly: a two's complement integer in units of 2^-149.
// Width: |x| < 2^128 and fewer than 2^64 terms, so |S| and |H*x| stay below 2^(128+64+149) = 2^341, their difference
// below 2^342; 384 bits hold it with its sign. Empty: S = 0.
class ExactSum {
 public:
  void Add(float value);

  // The sign (-1, 0, 1) of width*value - S: that of the exact xhat of LayerNorm; of RMSNorm when nothing was added.
  int SignOfDeviation(float value, std::size_t width) const;

 private:
  void AddShifted(std::uint64_t integer, int shift, bool negative);

  std::array<std::uint64_t, 6> limbs_ = {};  // least significant first
};

}  // namespace normcheck::norm

// Wide two's complement addition of shifted integers.
#include "norm/exact_sum.h"

#include <algorithm>
#include <bit>

namespace normcheck::norm {
namespace {

// |value| = integer * 2^(shift - 149).
struct FixedPoint {
  std::uint64_t integer;
  int shift;
  bool negative;
};

FixedPoint Fix(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t biased = (bits >> 23) & 0xff;
  const std::uint32_t fraction = bits & 0x7fffff;
  return {biased == 0 ? fraction : fraction | 0x800000, static_cast<int>(std::max(biased, 1u)) - 1, bits >> 31 != 0};
}

}  // namespace

// Below 2^64 * 2^shift: two limbs take the bits, the carry or borrow runs on to the top.
void ExactSum::AddShifted(std::uint64_t integer, int shift, bool negative) {
  const auto first = static_cast<std::size_t>(shift / 64);
  const int offset = shift % 64;
  const std::uint64_t parts[2] = {integer << offset, offset == 0 ? 0 : integer >> (64 - offset)};
  std::uint64_t carry = 0;
  for (std::size_t i = first; i < limbs_.size(); ++i) {
    const std::uint64_t part = i - first < 2 ? parts[i - first] : 0;
    const std::uint64_t before = limbs_[i];
    const std::uint64_t partial = negative ? before - part : before + part;
    limbs_[i] = negative ? partial - carry : partial + carry;
    carry = negative ? (partial > before ? 1u : 0u) + (limbs_[i] > partial ? 1u : 0u)
                     : (partial < before ? 1u : 0u) + (limbs_[i] < partial ? 1u : 0u);
  }
}

void ExactSum::Add(float value) {
  const FixedPoint fixed = Fix(value);
  AddShifted(fixed.integer, fixed.shift, fixed.negative);
}

// S - width*value is formed with the halves of width apart, since 24 + 64 bits do not fit one limb; its sign is turned round.
int ExactSum::SignOfDeviation(float value, std::size_t width) const {
  const FixedPoint fixed = Fix(value);
  const std::uint64_t count = width;
  ExactSum difference = *this;
  difference.AddShifted(fixed.integer * (count & 0xffffffff), fixed.shift, !fixed.negative);
  difference.AddShifted(fixed.integer * (count >> 32), fixed.shift + 32, !fixed.negative);
  if (difference.limbs_.back() >> 63 != 0) return 1;
  return std::ranges::all_of(difference.limbs_, [](std::uint64_t limb) { return limb == 0; }) ? 0 : -1;
}

}  // namespace normcheck::norm

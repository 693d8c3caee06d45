// Digit-wise accumulation of shifted integers.
#include "norm/exact_moments.h"

#include <algorithm>
#include <bit>

namespace normcheck::norm {
namespace {

__extension__ using Twice = unsigned __int128;

constexpr std::int64_t kLowDigit = 0xffffffff;

void CarryOver(std::span<std::int64_t> digits) {
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= kLowDigit;
  }
}

}  // namespace

void ExactMoments::Add(std::span<const double> values) {
  for (double value : values) AddOne(static_cast<float>(value));
}

// |value| = integer * 2^(shift - 149), integer < 2^24, shift <= 253. Within its digit the integer takes at most 24 + 31
// bits, its square 48 + 31.
void ExactMoments::AddOne(float value) {
  if (++pending_ == kAddsPerCarry) Carry();
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t biased = (bits >> 23) & 0xff;
  const std::uint64_t integer = (bits & 0x7fffff) | (biased == 0 ? 0u : 0x800000u);
  const std::uint32_t shift = std::max(biased, 1u) - 1;
  const auto placed = static_cast<std::int64_t>(integer << (shift % 32));
  std::int64_t* digit = &sum_[shift / 32];
  const std::int64_t sign = bits >> 31 != 0 ? -1 : 1;
  digit[0] += sign * (placed & kLowDigit);
  digit[1] += sign * (placed >> 32);
  const Twice square = Twice{integer * integer} << (2 * shift % 32);
  digit = &squares_[2 * shift / 32];
  digit[0] += static_cast<std::int64_t>(square) & kLowDigit;
  digit[1] += static_cast<std::int64_t>(square >> 32) & kLowDigit;
  digit[2] += static_cast<std::int64_t>(square >> 64);
}

void ExactMoments::Carry() {
  CarryOver(sum_);
  CarryOver(squares_);
  pending_ = 0;
}

WideNumber ExactMoments::Total(std::span<const std::int64_t> digits, int unit) {
  WideNumber total;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::int64_t digit = digits[i];
    const auto magnitude = static_cast<std::uint64_t>(digit < 0 ? -digit : digit);
    const WideNumber term = WideNumber::FromInteger(magnitude, unit + 32 * static_cast<int>(i));
    total = digit < 0 ? total - term : total + term;
  }
  return total;
}

}  // namespace normcheck::norm

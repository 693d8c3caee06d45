// Digit-wise accumulation of shifted integers.
#include "norm/exact_moments.h"

#include <algorithm>
#include <bit>

namespace normcheck::norm {
namespace {

__extension__ using Twice = unsigned __int128;
__extension__ using SignedTwice = __int128;

constexpr std::size_t kPiece = 256;

constexpr std::int64_t kLowDigit = 0xffffffff;

void CarryOver(std::span<std::int64_t> digits) {
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    digits[i + 1] += digits[i] >> 32;
    digits[i] &= kLowDigit;
  }
}

struct Exponents {
  int low;
  int high;
};

// floor(log2) of the smallest and the largest magnitude that is not zero; low > high where there is none.
Exponents ExponentRange(std::span<const double> values) {
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  for (double value : values) {
    const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(value) << 1;
    low = std::min(low, magnitude - 1);  // zero becomes the largest
    high = std::max(high, magnitude);
  }
  if (high == 0) return {0, -1};
  return {static_cast<int>((low + 1) >> 53) - 1023, static_cast<int>(high >> 53) - 1023};
}

}  // namespace

// Floats between 2^low and 2^(low + 31) are integers below 2^55 in units of 2^(low - 23); the sum of 256 of them fits 63
// bits, that of their squares 118.
void ExactMoments::Add(std::span<const double> values) {
  constexpr int kMaxSpread = 30;
  const auto [low, high] = ExponentRange(values);
  if (low <= high && high - low <= kMaxSpread) {
    for (; values.size() > kPiece; values = values.subspan(kPiece)) AddCommon(values.first(kPiece), low - 23);
    AddCommon(values, low - 23);
  } else {
    for (double value : values) AddOne(static_cast<float>(value));
  }
}

void ExactMoments::AddCommon(std::span<const double> values, int unit) {
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - unit) << 52);
  std::int64_t sum = 0;
  Twice squares = 0;
  for (double value : values) {
    const auto integer = static_cast<std::int64_t>(value * scale);
    sum += integer;
    squares += static_cast<Twice>(SignedTwice{integer} * integer);
  }
  const WideNumber total = WideNumber::FromInteger(static_cast<std::uint64_t>(sum < 0 ? -sum : sum), unit);
  common_sum_ = sum < 0 ? common_sum_ - total : common_sum_ + total;
  common_squares_ = common_squares_ + WideNumber::FromInteger(static_cast<std::uint64_t>(squares), 2 * unit) +
                    WideNumber::FromInteger(static_cast<std::uint64_t>(squares >> 64), 2 * unit + 64);
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

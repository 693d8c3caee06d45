// Exact sums of doubles in 32-bit spaced chunks.
#include "reference/exact_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace normcheck::reference {

void ExactSum::Add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto field = static_cast<unsigned>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0xfffffffffffff;
  const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
  const unsigned shift = field == 0 ? 0 : field - 1;
  const __int128 term = static_cast<__int128>(significand) << (shift % 32);
  chunks_[shift / 32] += bits >> 63 ? -term : term;
}

Dyadic ExactSum::Total() const {
  Dyadic total;
  for (std::size_t k = kChunks; k-- > 0;) {
    if (chunks_[k] != 0) total = total + Dyadic(Integer(chunks_[k]), static_cast<std::int64_t>(32 * k) - 1074);
  }
  return total;
}

std::optional<CommonExponent> CommonExponentOf(std::span<const double> values) {
  constexpr int kBits = 24, kBias = 1023;
  int low = 2 * kBias, high = 0;
  for (double value : values) {
    const int field = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 0x7ff);
    low = std::min(low, field == 0 ? low : field);
    high = std::max(high, field);
  }
  const int range = kBits + std::max(high - low, 0);
  if (range > 62 || 2 * range + static_cast<int>(std::bit_width(values.size())) > 127) return std::nullopt;
  const int exponent = high == 0 ? 0 : low - kBias - kBits + 1;
  return CommonExponent{exponent, std::ldexp(1.0, -exponent)};
}

ExactMoments MomentsOf(std::span<const double> values, const std::optional<CommonExponent>& common) {
  if (!common) return {SumOf(values), SumOfSquares(values)};
  __int128 sum = 0, squares = 0;
  for (double value : values) {
    const std::int64_t integer = common->Integer(value);
    sum += integer;
    squares += static_cast<__int128>(integer) * integer;
  }
  return {Dyadic(Integer(sum), common->exponent), Dyadic(Integer(squares), 2 * common->exponent)};
}

Dyadic SumOf(std::span<const double> values) {
  ExactSum sum;
  for (double value : values) sum.Add(value);
  return sum.Total();
}

Dyadic SumOfSquares(std::span<const double> values) {
  ExactSum sum;
  for (double value : values) sum.Add(value * value);
  return sum.Total();
}

}  // namespace normcheck::reference

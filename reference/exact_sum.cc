// Exact sums of doubles in 32-bit spaced chunks.
#include "reference/exact_sum.h"

#include <bit>
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

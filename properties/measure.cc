// Ranks numbers and cases from plain to odd.
#include "properties/measure.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "properties/families.h"
#include "properties/families/values.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

constexpr std::uint64_t kPowers = 100, kIntegers = 2000, kFractions = 1'000'000, kNonFinite = 100'000'000;

int SignificantBits(double value) {
  const std::uint64_t fraction = std::bit_cast<std::uint64_t>(value) << 12;
  return fraction == 0 ? 1 : 53 - std::countr_zero(fraction >> 12);
}

std::uint64_t RankOfMagnitude(double magnitude) {
  const bool integer = magnitude == std::floor(magnitude);
  if (integer && magnitude <= 16) return 2 * static_cast<std::uint64_t>(magnitude);
  const auto exponent = static_cast<std::uint64_t>(std::abs(ExponentOf(magnitude)));
  const auto bits = static_cast<std::uint64_t>(SignificantBits(magnitude));
  if (bits == 1) return kPowers + 2 * exponent;
  return (integer ? kIntegers : kFractions) + 2 * (512 * bits + exponent);
}

// An element equal to its left neighbour costs at most 1: fewer distinct values are plainer.
std::uint64_t CostOf(const std::vector<Bits>& values, std::size_t width, Format format) {
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t rank = RankOf(values[i], format);
    const bool repeated = i % width != 0 && values[i] == values[i - 1];
    cost += repeated ? std::min<std::uint64_t>(rank, 1) : rank;
  }
  return cost;
}

}  // namespace

std::uint64_t RankOf(Bits bits, Format format) {
  const double value = reference::ValueOf(bits, format);
  if (reference::IsNan(bits, format)) return kNonFinite + (bits == reference::CanonicalNan(format) ? 4u : 5u);
  const std::uint64_t negative = reference::IsNegative(bits, format) ? 1 : 0;
  if (!reference::IsFinite(bits, format)) return kNonFinite + negative;
  return RankOfMagnitude(std::abs(value)) + negative;
}

std::uint64_t EpsilonRank(double epsilon) {
  if (epsilon == 0 || epsilon == 1) return static_cast<std::uint64_t>(epsilon);
  const auto round_ones = Epsilons();
  const auto found = std::ranges::find(round_ones, epsilon);
  if (found != round_ones.end()) return static_cast<std::uint64_t>(2 + (round_ones.end() - found));
  return 100 + RankOfMagnitude(epsilon);
}

Measure MeasureOf(const Case& c) {
  const std::size_t width = std::max<std::size_t>(c.width, 1);
  const std::uint64_t gamma = c.gamma ? CostOf(*c.gamma, width, c.formats.params) : 0;
  const std::uint64_t beta = c.beta ? CostOf(*c.beta, width, c.formats.params) : 0;
  const std::uint64_t parameters = (c.gamma ? 1u : 0u) + (c.beta ? 1u : 0u);
  const std::uint64_t pitch = (c.x_pitch - c.width) + (c.y_pitch - c.width);
  return {c.rows, c.width, parameters, pitch, EpsilonRank(c.epsilon), gamma + beta, CostOf(c.x, width, c.formats.x)};
}

}  // namespace normcheck::properties

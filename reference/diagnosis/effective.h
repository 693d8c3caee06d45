// Effective epsilon and divisor: what a kernel's outputs say of the root of a row, without a hypothesis.
#pragma once

#include <optional>
#include <span>

#include "reference/diagnosis/subject.h"

namespace normcheck::reference::diagnosis {

struct Interval {
  double low = 0;
  double high = 0;

  bool Holds(double value) const { return low <= value && value <= high; }
  bool empty() const { return !(low <= high); }
};

// What stands in place of one constant of the definition, the rest being as defined.
enum class Effective : std::uint8_t {
  kEpsilonFactor,  // of epsilon; 1 by definition
  kDivisorLess,    // H less the divisor of the squares; 0 by definition
};
inline constexpr Effective kEffectives[] = {Effective::kEpsilonFactor, Effective::kDivisorLess};

constexpr double DefinedAs(Effective effective) { return effective == Effective::kEpsilonFactor ? 1 : 0; }

// The values that give all outputs of all asked rows, each row being the definition's but for one factor. Empty interval:
// no value does. Nothing: no row can say.
std::optional<Interval> EffectiveOf(Effective effective, const Subject& subject, std::span<const Bits> got);

// True where each asked row is the definition's but for one factor of its own, and one of them is not 1.
bool OneFactorARow(const Subject& subject, std::span<const Bits> got);

}  // namespace normcheck::reference::diagnosis

// How plain a case is: the well-founded order behind shrinking.
#pragma once

#include <array>
#include <cstdint>

#include "reference/case.h"

namespace normcheck::properties {

// How far a number is from the plainest: 0, 1, small integers, powers of two, integers, few significant bits, the rest,
// infinities, NaN. Negative ones stand behind positive ones.
std::uint64_t RankOf(reference::Bits bits, reference::Format format);

// 0, 1, the round epsilons of Epsilons(), powers of two, the rest.
std::uint64_t EpsilonRank(double epsilon);

// Compared from the front: rows, width, number of parameters, pitch beyond the width, epsilon, parameters' and elements' plainness.
using Measure = std::array<std::uint64_t, 7>;
Measure MeasureOf(const reference::Case& c);

}  // namespace normcheck::properties

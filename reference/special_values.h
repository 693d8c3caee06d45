// What an output is where it is not an ordinary number: the definition evaluated as IEEE 754 does, on the exact xhat.
#pragma once

#include "reference/case.h"
#include "reference/exact_row.h"

namespace normcheck::reference {

enum class Ideal : std::uint8_t { kFinite, kNan, kPositiveInfinity, kNegativeInfinity, kUndefined };

// The class of y_i before it is rounded (kFinite may still round to infinity).
// LayerNorm row with a NaN or an infinity: all NaN. RMSNorm row with a NaN: all NaN; with an infinity: NaN there and
// gamma*0 + beta elsewhere. gamma or beta not finite: gamma*xhat_i + beta with the exact sign of xhat_i, inf*0 = NaN.
// Q = 0: undefined.
Ideal IdealOf(const ExactRow& row, std::size_t i, double gamma, double beta);

// The bits of an ideal that is not kFinite: undefined is NaN.
Bits BitsOf(Ideal ideal, Format format);

}  // namespace normcheck::reference

// The 113-bit float: what is printed and measured, always formed after exact sums and never from rounded ones.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "reference/dyadic.h"

namespace normcheck::reference {

// Only + - * / sqrt and scaling by powers of two are used: each is correctly rounded (EXACT.md 2, MPFR as referee).
using Quad = boost::multiprecision::cpp_bin_float_quad;

// Rounded once to nearest, ties to even. |value| lies well inside the exponent range of +-16382.
Quad ToQuad(const Dyadic& value);

// floor(log2|value|), value not zero.
int FloorLog2(const Quad& value);

// value*2^exponent.
Quad Scaled(const Quad& value, std::int64_t exponent);

}  // namespace normcheck::reference

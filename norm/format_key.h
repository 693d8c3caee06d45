// The values of a storage format in order, as integers, with the midpoints between neighbours.
#pragma once

#include <cstdint>

#include "norm/format.h"

namespace normcheck::norm {

// Keys grow with the value: +-0 is 0, the smallest subnormal 1, its negative -1. A key is even where the last bit of its
// significand is. Infinity stands for 2^(emax+1), which makes overflow the same rule as any other rounding.

// The key of a finite double rounded to nearest, ties to even.
std::int32_t KeyOf(Format format, double value);

// The value of a key; infinities as such.
double ValueOfKey(Format format, std::int32_t key);

// Halfway between the values of key and key + 1; exact, since p + 1 bits and every exponent of the format fit binary64.
double MidpointAbove(Format format, std::int32_t key);

}  // namespace normcheck::norm

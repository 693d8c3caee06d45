// Single values that row families are made of, exact or rounded once to the row's format.
#pragma once

#include "properties/families.h"
#include "properties/random.h"

namespace normcheck::properties {

// 2^exponent, -1022 <= exponent <= 1023.
double PowerOfTwo(int exponent);

// The exponent of |value|'s leading bit; value is finite, not zero and no binary64 subnormal.
int ExponentOf(double value);

// The distance of neighbours of |value| in the format, subnormal floor included.
double SpacingAt(double value, Format format);

// value with a random sign.
double EitherSign(double value, Random& random);

// A significand in [1, 2) of the format's precision times 2^exponent, either sign; rounded to the format's subnormals below emin.
Bits WithExponent(int exponent, Format format, Random& random);

// The bits with one storage step more or less in magnitude, finite bits in and out.
Bits Neighbour(Bits bits, int steps, Format format);

// Uniform over all finite bit patterns.
Bits AnyFinite(Format format, Random& random);

}  // namespace normcheck::properties

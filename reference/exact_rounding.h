// Correct rounding of exact numbers into the storage formats, and the ulp in which their errors are measured.
#pragma once

#include "reference/case.h"
#include "reference/exact_element.h"

namespace normcheck::reference {

// Bits without the sign: they order as the numbers do, and infinity's, read as a number, is 2^(emax+1).
using Magnitude = std::uint32_t;

Magnitude InfinityMagnitude(Format format);

// Exact; infinity counts as 2^(emax+1).
double ExtendedValue(Magnitude magnitude, Format format);

// The same with the sign of the bits. Requires: no NaN.
double ExtendedSignedValue(Bits bits, Format format);

// y rounded to nearest, ties to even; from the midpoint above the largest finite value on, infinity. Subnormals kept.
// The sign is y's, also where y rounds to zero; an exact zero is +0. Decided by comparison with midpoints alone.
Bits RoundTo(const ExactElement& y, Format format);

// t with ulp(y) = 2^t: max(floor(log2|y|), emin) - p + 1, at most that of the largest finite value; decided exactly.
int UlpExponent(const ExactElement& y, Format format);

// The same for a double; zero has the smallest ulp.
int UlpExponent(double value, Format format);

// The same without an upper end: as if the format's exponents went on.
int UncappedUlpExponent(const ExactElement& y, Format format);

// What a value beyond the format becomes, and so where values are capped: infinity, which counts as 2^(emax+1), or, of kernels
// that saturate, the largest finite number.
enum class Beyond : std::uint8_t { kInfinity, kLargestFinite };

// |y| >= the cap; there y counts as the cap.
bool IsCapped(const ExactElement& y, Format format, Beyond beyond = Beyond::kInfinity);

// |got - y| <= tolerance, exactly, y capped. got is an extended value.
bool IsWithin(const ExactElement& y, double got, const Dyadic& tolerance, Format format, Beyond beyond = Beyond::kInfinity);

// got - y, y capped; relative error below 2^-100.
Quad CappedError(const ExactElement& y, double got, Format format, Beyond beyond = Beyond::kInfinity);

}  // namespace normcheck::reference

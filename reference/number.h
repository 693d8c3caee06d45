// Numbers of a storage format: bits to value, value to bits, and the text in which case files write them.
#pragma once

#include <string>
#include <string_view>

#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::reference {

// The exact value of the bits: finite, infinite or NaN.
double ValueOf(Bits bits, Format format);
bool IsNan(Bits bits, Format format);
bool IsInfinite(Bits bits, Format format);
bool IsFinite(Bits bits, Format format);
bool IsNegative(Bits bits, Format format);  // the sign bit, zeros and NaNs included

Bits CanonicalNan(Format format);
Bits InfinityBits(Format format, bool negative);
Bits MaxFinite(Format format, bool negative);

// Rounded once to nearest, ties to even. Infinity beyond the format's range, canonical NaN for NaN.
Bits BitsOf(double value, Format format);

// Hex float ("-0x1.8p+3", "0x0p+0", "-0x0p+0"), "inf", "-inf", "nan" (canonical) or "nan:0x7f800001" (any other NaN's bits).
std::string HexText(Bits bits, Format format);
std::string HexText(double value);

// Shortest decimal that reads back to the same bits, for people; "inf", "-inf", "nan".
std::string DecimalText(Bits bits, Format format);

// Reads what HexText writes, or a decimal, rounded directly (never through another format) to the element's format.
// Refused: hex that does not fit exactly, decimals that overflow, "nan:" bits that are no NaN, anything else.
Result<Bits> ParseNumber(std::string_view text, Format format);

// Epsilon: decimal (nearest binary64) or hex; finite, >= 0; -0 counts as 0.
Result<double> ParseEpsilon(std::string_view text);

}  // namespace normcheck::reference

// The byte form of a Case, for fuzzers: every byte string decodes to some case, and DecodeCase(EncodeCase(c)) == c.
//
// Layout, integers little endian; missing bytes are zero:
//   0      bit 0 op, bit 1 gamma present, bit 2 beta present
//   1      formats: (x*9 + params*3 + y) mod 27
//   2..9   epsilon's binary64 bits
//   10..14 rows, lowest bit flipped, so that zeros mean one row
//   15..19 x_pitch - width     20..24 y_pitch - width
//   25..   x row by row, gamma, beta, each element in its format's bytes. The width is not stored: it is what these bytes
//          hold, so that cutting or adding bytes narrows or widens the rows. Only where nothing depends on it (no rows, no
//          parameters) these bytes are the width itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/case.h"

namespace normcheck::reference {

// `expected` and `source` are no part of it.
std::vector<std::uint8_t> EncodeCase(const Case& c);

// Total. Bytes that do not fill a whole column are dropped; too few for one column: width 1 with as many rows as they
// hold, at least one, missing bits zero. Epsilon's sign is dropped, NaN and infinity made finite; pitches are reduced to
// the limits of a case. Allocates at most about twice the input.
Case DecodeCase(std::span<const std::uint8_t> bytes);

}  // namespace normcheck::reference

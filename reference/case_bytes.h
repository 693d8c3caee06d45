// The byte form of a Case, for fuzzers: every byte string decodes to some case, and Decode(Encode(c)) == c.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reference/case.h"

namespace normcheck::reference {

// `expected` and `source` are no part of it.
std::vector<std::uint8_t> EncodeCase(const Case& c);

// Total: sizes that the bytes cannot fill are reduced (width first to what is there, then rows), missing bits are zero,
// an epsilon that is negative, NaN or infinite is mapped to a valid one. Allocates no more than a small multiple of the input.
Case DecodeCase(std::span<const std::uint8_t> bytes);

}  // namespace normcheck::reference

// Where a kernel computes as defined: the same question at several widths, magnitudes and numbers of rows.
#pragma once

#include "properties/probe.h"

namespace normcheck::properties {

struct ProbeRange {
  std::size_t asked = 0;   // calls that were judged
  std::size_t broken = 0;
  ProbeAnswer answer;      // question "range"
};

// Ordinary rows of widths 2 to 4097, magnitudes 2^-60 to 2^60 (f16: 2^-6 to 2^6), 1, 3 and 257 rows, under the kernel's contract.
ProbeRange RangeOf(const norm::Kernel& kernel, norm::Op op);

}  // namespace normcheck::properties

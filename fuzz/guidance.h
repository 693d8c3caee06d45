// Error guidance: how bad a case was, as bytes that libFuzzer takes for coverage, so that a row worse than any before in its
// class is kept and mutated further. It needs no instrumentation of the kernel, and so works for black boxes.
#pragma once

#include <cstdint>
#include <span>

#include "reference/case.h"
#include "reference/verdict.h"

namespace normcheck::fuzz {

// A class is a triple of format (x in three, y wide or not), size, condition and variance against epsilon. The op has a
// process and a corpus of its own. About 10,000 bytes in all: libFuzzer looks at each of them after every execution.
inline constexpr int kFormatClasses = 6;
inline constexpr int kSizeClasses = 4;       // elements of a row: to 16, 64, 512, above
inline constexpr int kConditionClasses = 5;  // LayerNorm: |mean|/sqrt(var + epsilon) below 1, 2^4, 2^8, 2^14, above; RMSNorm: max|x|/rms
inline constexpr int kVarianceClasses = 2;   // var below 16*epsilon or not (RMSNorm: mean of squares)
inline constexpr int kErrorClasses = kFormatClasses * kSizeClasses * kConditionClasses * kVarianceClasses;

// Levels of error, 1 to kErrorLevels; 0: no error at all, or nothing judged.
inline constexpr int kErrorLevels = 40;
inline constexpr std::size_t kGuidanceBytes = std::size_t{kErrorClasses + kFormatClasses} * kErrorLevels;

// The worst finite error of a verdict on the contract's own scale, the same for all rows and kernels of a contract.
//   row-ulp:K, ulp:K, profiles: observed/promised, an octave a level from 2^-14, four an octave from 2^-6 to 1, then four octaves a level.
//   correctly-rounded: no honest kernel passes half an ulp, so the distance to the rounding boundary counts: two levels for
//     three octaves of 1 - error/(half an ulp), down to the 2^-20 that the tally holds; beyond it as above.
//   Where nothing is promised: row ulps, an octave a level from 2^-1.
// A class fault has no size and gives no level of its own.
int ErrorLevelOf(const reference::Verdict& verdict);

// The worst row ulps of a verdict, an octave a level from 2^-1; 0 where the contract leaves some element without a promise.
// Beside the levels above, since where the last rounding dominates a profile's bound observed/promised is 1 on any row.
int RowUlpLevelOf(const reference::Verdict& verdict);

// The class of one row of a case. NaN and infinite rows fall into the highest bands.
// Requires: row < c.rows, c.width > 0.
int ErrorClassOf(const reference::Case& c, std::size_t row);

// Sets the class's first ErrorLevelOf(verdict) counters to 1, and of the format's own the first RowUlpLevelOf(verdict):
// thermometers, so that a worse row sets a counter that no row of its class has set before, and any other row none. The class
// is that of the worst row.
// Requires: counters of kGuidanceBytes; libFuzzer clears its own before each execution.
void NoteError(const reference::Case& c, const reference::Verdict& verdict, std::span<std::uint8_t> counters);

// libFuzzer's extra counters of this program, kGuidanceBytes of them.
std::span<std::uint8_t> ExtraCounters();

}  // namespace normcheck::fuzz

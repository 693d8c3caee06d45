// What prepares a drawn case for a law: each leaves a prepared case as it is.
#pragma once

#include "properties/laws.h"
#include "properties/random.h"

namespace normcheck::properties {

// A source that the case's own bits seed, so that the same case is always treated alike.
Random RandomOf(const Case& c);

// NaN and infinities of x, gamma and beta become 1.
void MakeFinite(Case& c);

// Widths beyond these cost time and show nothing new.
inline constexpr std::size_t kWidestRelated = 1024;  // laws that compute with the outputs
inline constexpr std::size_t kWidestCopied = 512;    // laws that run many times on buffers of their own

// An op that subtracts no mean becomes LayerNorm.
void MakeCentred(Case& c);

// Keeps the first rows, or columns with the distance of pitch to width.
void KeepRows(Case& c, std::size_t rows);
void KeepColumns(Case& c, std::size_t width);

void KeepCopied(Case& c);  // the first kWidestCopied columns

// Pitches become the width.
void MakeDense(Case& c);

// x finite, gamma and beta gone.
void MakePlain(Case& c);

// Row `row` of c, dense, as a case of its own.
Case RowOf(const Case& c, std::size_t row);

// var + epsilon = 0 on a finite row: the definition gives 0/0.
bool IsUndefined(const Case& c, std::size_t row);

// The case as the kernel can take it: dense where it has no pitch, parameters made explicit where it needs them, epsilon
// rounded to its format.
Case FittedTo(const norm::Kernel& kernel, Case c);

}  // namespace normcheck::properties

// The elements that the vector loop does not decide: rows of a special kind.
#pragma once

#include <cstddef>

#include "norm/row_stage.h"

namespace normcheck::norm {

// A chunk of a row, widened: `count` elements each of x, gamma, beta, y.
struct Chunk {
  const double* x;
  const double* gamma;
  const double* beta;
  double* y;
  std::size_t count;
};

// Adds to `found` what the chunk's x holds.
void NoteNonFinite(const double* x, std::size_t count, NonFinite& found);

// y of a row whose kind is not kOrdinary: gamma_i*xhat_i + beta_i as IEEE evaluates it; zeros +0, NaN canonical.
void FillSpecial(RowKind kind, const Chunk& chunk);

}  // namespace normcheck::norm

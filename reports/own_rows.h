// A user's own rows from .npy files, as cases of the family "yours".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/regressions.h"
#include "reference/result.h"

namespace normcheck::reports {

struct OwnFiles {
  std::string x;
  std::string gamma;  // empty: none
  std::string beta;   // empty: none
  double epsilon = 0;
};

// Cases for every op of the kernels, in the formats of the files, y in x's format or, where no kernel takes that, in f32.
// Shapes: x (..., H), read as rows of H; gamma and beta (H). Long files are cut into cases of some rows each.
// Errors: those of ReadNpyFile; an empty x; gamma or beta of another shape; gamma and beta of two types.
reference::Result<std::vector<properties::Regression>> ReadOwnRows(const OwnFiles& files, std::span<const norm::Kernel> kernels);

}  // namespace normcheck::reports

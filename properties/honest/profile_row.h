// The interface between honest kernels and their row arithmetic, which is compiled twice: contraction off and on.
#pragma once

#include <cstddef>
#include <string_view>

#include "norm/contract.h"

namespace normcheck::properties::honest {

// One row in f32, to which all formats convert exactly; gamma and beta may be null.
struct RowInput {
  bool centred;   // the mean is subtracted
  bool averaged;  // the sum of squares is divided by the width
  std::size_t width;  // >= 1
  double epsilon;
  const float* x;
  const float* gamma;
  const float* beta;
};

// Results in the precision in which they were computed, held in doubles; the caller rounds y once to its format.
struct RowOutput {
  double* y;
  double mean;
  double inv_std_dev;
};

struct ProfileRow {
  std::string_view name;
  norm::Profile profile;
  void (*run)(const RowInput& in, RowOutput& out);
};

struct ProfileRows {
  const ProfileRow* first;
  std::size_t count;
};

ProfileRows PlainRows();
ProfileRows FusedRows();

}  // namespace normcheck::properties::honest

// Runs a kernel on a case in buffers of its own and returns the outputs' bits, with everything it should not have done.
#pragma once

#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"

namespace normcheck::reference {

// What a run produced. Unwritten elements keep the poison NaN 0x7fa5a5a5 / 0x7da5 / 0x7fa5 (signalling-class payloads that no kernel of ours writes).
struct Outputs {
  norm::CallResult result;
  std::vector<Bits> y;          // rows*width, dense
  std::vector<float> mean;      // rows, or empty where not asked for
  std::vector<float> inv_std_dev;
  bool padding_intact = true;   // y's padding and the guard elements around every buffer were left alone
  bool inputs_intact = true;
  unsigned mxcsr_before = 0;
  unsigned mxcsr_after = 0;
};

struct RunOptions {
  bool statistics = true;      // ask for mean (LayerNorm) and inv_std_dev where the kernel supports them
  bool in_place = false;       // only with equal formats and pitches
  std::size_t misalign = 0;    // elements past a 64-byte boundary, every pointer
};

Outputs RunKernel(const norm::Kernel& kernel, const Case& c, const RunOptions& options);

// Elements that the buffers of a run would need; callers skip cases that are too large for them.
std::size_t BufferElements(const Case& c);

}  // namespace normcheck::reference

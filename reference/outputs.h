// Runs a kernel on a case in buffers of its own and returns the outputs' bits, with everything it should not have done.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"

namespace normcheck::reference {

// The NaN that fills outputs, padding and guards before a run: 0x7fa5a5a5, 0x7da5 or 0x7fa5. Signalling, so that no
// arithmetic instruction can give it: an element that still holds it was not written, a changed one was.
Bits PoisonBits(Format format);

// What a run produced. Unwritten elements hold PoisonBits.
struct Outputs {
  norm::CallResult result;
  std::vector<Bits> y;          // rows*width, dense
  std::vector<float> mean;      // rows, or empty where not asked for
  std::vector<float> inv_std_dev;
  // Where the run changed what it may not, empty: nowhere. Of y's padding and the guards around every array: "2 elements behind
  // gamma, from 0 after its end on". Of x (its padding included; in place: nothing of it), gamma and beta: "x, row 0 element 3".
  std::string trespass;
  std::string changed_input;
  unsigned mxcsr_before = 0;    // 0 on machines without it
  unsigned mxcsr_after = 0;
};

struct RunOptions {
  bool statistics = true;      // ask for mean (LayerNorm) and inv_std_dev where the kernel supports them
  bool in_place = false;       // only with equal formats and pitches, else kBadArgument "in_place"
  std::size_t misalign = 0;    // elements past a 64-byte boundary, every pointer
};

// Gamma of ones and beta of zeros where the case has none; they are the same values to every formula.
struct StandIns {
  std::optional<std::vector<Bits>> gamma, beta;
};
StandIns StandInsOf(const Case& c);

// The same for a kernel: empty where it can take null.
StandIns StandInsFor(const norm::Kernel& kernel, const Case& c);

// Each array stands in memory of its own: 64 guard elements, the array, 64 guard elements; under AddressSanitizer the guards
// may not even be read. Of padding wider than 2*kWatchedPadding elements only the first and the last kWatchedPadding are
// filled and checked; the rest is address space that costs no memory. The caller's MXCSR is restored after the run.
// Absent gamma is handed over as ones and absent beta as zeros where the kernel cannot take null.
// Throws norm::HarnessFault where that needs more than kMaxRunElements of memory, or the system gives none.
Outputs RunKernel(const norm::Kernel& kernel, const Case& c, const RunOptions& options);

inline constexpr std::size_t kWatchedPadding = 1024;
inline constexpr std::size_t kMaxRunElements = std::size_t{1} << 30;

// Elements that the buffers of a run span (saturating), untouched padding included; callers skip cases that are too large
// for them. One row spans its width whatever the pitch.
std::size_t BufferElements(const Case& c);

}  // namespace normcheck::reference

// Refuses to judge where the tool itself computes under a changed MXCSR.
#include <optional>
#include <string>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif
#include <fmt/format.h>

#include "reference/judge.h"

namespace normcheck::reference {

std::optional<std::string> FloatEnvironmentFault() {
#if defined(__SSE__)
  constexpr unsigned kControl = 0xffc0;
  constexpr unsigned kDefault = 0x1f80;
  const unsigned mxcsr = _mm_getcsr();
  if ((mxcsr & kControl) != kDefault)
    return fmt::format(
        "MXCSR is {:#06x}, not the default {:#06x}: a library built with -ffast-math sets FTZ and DAZ for the whole "
        "process; rebuild it without",
        mxcsr, kDefault);
#endif
  return std::nullopt;
}

}  // namespace normcheck::reference

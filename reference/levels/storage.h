// Formats as the filter's loops name them; their own header includes nothing that holds inline functions.
#pragma once

#include "norm/format.h"
#include "reference/levels/filter_loops.h"

namespace normcheck::reference::levels {

constexpr Storage StorageOf(norm::Format format) {
  switch (format) {
    case norm::Format::kF16: return Storage::kF16;
    case norm::Format::kBf16: return Storage::kBf16;
    case norm::Format::kF32: break;
  }
  return Storage::kF32;
}

}  // namespace normcheck::reference::levels

// The processor's floating-point control and status register, kept around foreign code.
#pragma once

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace normcheck::reference {

// 0 on machines without it.
inline unsigned ReadMxcsr() {
#if defined(__SSE__)
  return _mm_getcsr();
#else
  return 0;
#endif
}

// Puts back what ReadMxcsr gave, flags included.
inline void RestoreMxcsr([[maybe_unused]] unsigned value) {
#if defined(__SSE__)
  _mm_setcsr(value);
#endif
}

}  // namespace normcheck::reference

// Plain loops, compiled once a compiler under the name NORMCHECK_PLAIN_NAME.
#include "plain_loops.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace {

struct Bf16 {
  std::uint16_t bits;
  operator float() const {
    const std::uint32_t wide = std::uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, 4);
    return value;
  }
  Bf16& operator=(float value) {
    std::uint32_t wide;
    std::memcpy(&wide, &value, 4);
    bits = static_cast<std::uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    return *this;
  }
};

template <typename T>
void Rows(bool rms, const T* x, const float* gamma, const float* beta, T* y, std::size_t rows, std::size_t width, float epsilon) {
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width) {
    float mean = 0, squares = 0;
    if (!rms) {
      for (std::size_t i = 0; i < width; ++i) mean += static_cast<float>(x[i]);
      mean /= static_cast<float>(width);
    }
    for (std::size_t i = 0; i < width; ++i) squares += (static_cast<float>(x[i]) - mean) * (static_cast<float>(x[i]) - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(width) + epsilon);
    for (std::size_t i = 0; i < width; ++i) y[i] = static_cast<T>((static_cast<float>(x[i]) - mean) * scale * gamma[i] + beta[i]);
  }
}

template <>
void Rows(bool rms, const Bf16* x, const float* gamma, const float* beta, Bf16* y, std::size_t rows, std::size_t width, float epsilon) {
  for (std::size_t r = 0; r < rows; ++r, x += width, y += width) {
    float mean = 0, squares = 0;
    if (!rms) {
      for (std::size_t i = 0; i < width; ++i) mean += x[i];
      mean /= static_cast<float>(width);
    }
    for (std::size_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(width) + epsilon);
    for (std::size_t i = 0; i < width; ++i) y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
  }
}

template <typename T>
void RowsOf(int rms, const void* x, const float* gamma, const float* beta, void* y, std::size_t rows, std::size_t width, float epsilon) {
  Rows<T>(rms != 0, static_cast<const T*>(x), gamma, beta, static_cast<T*>(y), rows, width, epsilon);
}

}  // namespace

NORMCHECK_PLAIN_LOOPS(NORMCHECK_PLAIN_NAME) {
  if (format == 0) RowsOf<float>(rms, x, gamma, beta, y, rows, width, epsilon);
  else if (format == 1) RowsOf<_Float16>(rms, x, gamma, beta, y, rows, width, epsilon);
  else RowsOf<Bf16>(rms, x, gamma, beta, y, rows, width, epsilon);
}

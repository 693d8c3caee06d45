// NumPy's .npy files (format versions 1.0, 2.0, 3.0) as arrays of storage bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::reference {

// An array in row-major order. Types: <f4 is f32, <f2 is f16; NumPy has no bfloat16: its bits travel as <u2, and |V2 and <V2
// (which is how ml_dtypes saves it) are read too.
struct NpyArray {
  Format format = Format::kF32;
  std::vector<std::size_t> shape;
  std::vector<Bits> values;

  friend bool operator==(const NpyArray&, const NpyArray&) = default;
};

// Errors: "ORIGIN: what is wrong; how to mend it" for bytes that are no .npy file, another version, type, byte order or
// Fortran order, a shape beyond 2^33 elements, and for data that are shorter or longer than the shape says.
Result<NpyArray> ParseNpy(std::string_view bytes, const std::string& origin);

// The file's array; the origin is the path.
Result<NpyArray> ReadNpyFile(const std::string& path);

// The bytes of a version 1.0 file. ParseNpy(NpyBytes(a)) == a.
std::string NpyBytes(const NpyArray& array);

}  // namespace normcheck::reference

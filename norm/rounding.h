// Conversions between storage formats and f32/f64, ours bit by bit: exact up, round-to-nearest-even down, in one step.
#pragma once

#include "norm/format.h"

namespace normcheck::norm {

// Exact. A NaN stays a NaN (payload not kept).
float ToFloat(Float16 value);
float ToFloat(BFloat16 value);

// Rounded once to nearest, ties to even; too large gives infinity; subnormals kept; every NaN becomes the canonical
// quiet one (0x7e00, 0x7fc0, 0x7fc00000). Independent of MXCSR. Checked over all 2^32 floats and, from double, on every
// 16-bit midpoint with its neighbours and on 2^24 random doubles.
Float16 ToFloat16(float value);
Float16 ToFloat16(double value);
BFloat16 ToBFloat16(float value);
BFloat16 ToBFloat16(double value);
float ToFloat32(double value);

}  // namespace normcheck::norm

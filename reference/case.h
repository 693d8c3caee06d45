// A Case: the inputs of one kernel call with exact bits, and optionally what the outputs should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "norm/kernel_call.h"

namespace normcheck::reference {

using norm::Format;
using norm::Formats;
using norm::Op;

// Bits of one number in a storage format; a 16-bit format uses the low half.
using Bits = std::uint32_t;

// One expected output: a number as it was written ("-1.34164" within one unit of its last digit, hex = equal to `want`,
// "0" = exactly zero), or nothing stated (null).
using Expected = std::optional<std::string>;

struct Case {
  Op op = Op::kLayerNorm;
  Formats formats;
  std::size_t rows = 0;
  std::size_t width = 0;
  double epsilon = 0;                      // finite, >= 0, never -0
  std::vector<Bits> x;                     // rows*width, dense: pitch padding is no part of a case
  std::optional<std::vector<Bits>> gamma;  // width
  std::optional<std::vector<Bits>> beta;   // width
  std::size_t x_pitch = 0;                 // >= width
  std::size_t y_pitch = 0;                 // >= width
  std::vector<Expected> expected;          // rows*width or empty; no part of the byte form
  std::string source;                      // no part of the byte form

  friend bool operator==(const Case&, const Case&) = default;
};

// A dense case of the given shape, all x +0, no parameters.
Case MakeCase(Op op, const Formats& formats, std::size_t rows, std::size_t width, double epsilon);

// The limits of every case. rows, width and both pitches stay below kCountLimit, and where rows > 1,
// (rows - 1)*pitch + width does not exceed kMaxPitchedElements.
inline constexpr std::size_t kCountLimit = std::size_t{1} << 40;
inline constexpr std::size_t kMaxPitchedElements = std::size_t{1} << 33;

// The largest pitch within the limits.
std::size_t MaxPitch(std::size_t rows, std::size_t width);

}  // namespace normcheck::reference

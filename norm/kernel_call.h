// A call of a normalisation kernel as plain data, and the fault that refuses one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "norm/format.h"

namespace normcheck::norm {

// LayerNorm: y_i = gamma_i*(x_i - mu)/sqrt(var + epsilon) + beta_i, mu = sum(x)/H, var = sum((x - mu)^2)/H.
// RMSNorm:   y_i = gamma_i*x_i/sqrt(sum(x^2)/H + epsilon) + beta_i.
// L2 norm:   y_i = gamma_i*x_i/sqrt(sum(x^2) + epsilon) + beta_i.
enum class Op : std::uint8_t { kLayerNorm, kRmsNorm, kL2Norm };

inline constexpr Op kOps[] = {Op::kLayerNorm, Op::kRmsNorm, Op::kL2Norm};

// The ops that the production kernels compute.
inline constexpr Op kProductionOps[] = {Op::kLayerNorm, Op::kRmsNorm};

constexpr std::string_view NameOf(Op op) {
  constexpr std::string_view kNames[] = {"layer_norm", "rms_norm", "l2_norm"};
  return kNames[static_cast<std::size_t>(op)];
}

// Nothing where there is no op of that name: a reader refuses it then.
constexpr std::optional<Op> OpNamed(std::string_view name) {
  for (const Op op : kOps)
    if (NameOf(op) == name) return op;
  return std::nullopt;
}

// One call over `rows` rows of `width` elements (H).
// Shapes: row r of x starts at element r*x_pitch, row r of y at r*y_pitch; gamma and beta have `width` elements;
//   mean and inv_std_dev have `rows` elements of f32.
// Null: gamma (means 1), beta (means 0), mean, inv_std_dev. x and y may be null only where rows or width is 0.
// Aliasing: y == x with equal formats and pitches is in place; every other overlap of an output with anything is refused.
struct KernelCall {
  Op op = Op::kLayerNorm;
  Formats formats;
  std::size_t rows = 0;
  std::size_t width = 0;
  std::size_t x_pitch = 0;
  std::size_t y_pitch = 0;
  double epsilon = 0;
  const void* x = nullptr;
  const void* gamma = nullptr;
  const void* beta = nullptr;
  void* y = nullptr;
  float* mean = nullptr;
  float* inv_std_dev = nullptr;
};

// What a kernel answers. kOk: outputs are complete. Otherwise nothing was written.
enum class CallStatus : std::uint8_t { kOk, kUnsupported, kBadArgument };

struct CallResult {
  CallStatus status = CallStatus::kOk;
  // For kBadArgument the field of KernelCall at fault ("x_pitch"), and why; static text, empty when kOk.
  std::string_view argument = {};
  std::string_view reason = {};

  constexpr bool ok() const { return status == CallStatus::kOk; }
};

// Checks everything that can be checked without reading the arrays: null pointers, pitches below the width, sizes whose
// byte extents leave the address space, misaligned pointers, overlap, epsilon (NaN, infinite, negative; -0 counts as 0), mean asked of RMSNorm.
CallResult CheckCall(const KernelCall& call);

}  // namespace normcheck::norm

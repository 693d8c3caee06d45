// The production LayerNorm with a fault of the test's choice behind it.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "norm/kernel.h"
#include "norm/layer_norm.h"

namespace normcheck::fuzz {

using Damage = std::function<void(const norm::KernelCall&)>;

inline norm::Kernel FaultyKernel(Damage damage) {
  norm::Kernel kernel = norm::ProductionKernels().front();
  kernel.name = "mutant:of-this-test";
  kernel.kind = norm::Kind::kMutant;
  kernel.run = [damage = std::move(damage)](const norm::KernelCall& call) {
    const norm::CallResult result = norm::Normalize(call);
    if (result.ok()) damage(call);
    return result;
  };
  return kernel;
}

// Wrong by 2^20 ulps in the last element of every row of three or more f32 elements.
inline norm::Kernel TailFault() {
  return FaultyKernel([](const norm::KernelCall& call) {
    if (call.formats.y != norm::Format::kF32 || call.width < 3) return;
    for (std::size_t r = 0; r < call.rows; ++r)
      static_cast<std::uint32_t*>(call.y)[r * call.y_pitch + call.width - 1] ^= 1u << 20;
  });
}

}  // namespace normcheck::fuzz

// A user's kernel: RMSNorm in plain C++, and the same with a planted fault.
#pragma once

#include <cmath>

#include "norm/kernel.h"

inline namespace mine {

using normcheck::norm::CallResult;
using normcheck::norm::Kernel;
using normcheck::norm::KernelCall;

template <bool kWithFault>
CallResult RmsNorm(const KernelCall& call) {
  const CallResult checked = normcheck::norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  const auto* gamma = static_cast<const float*>(call.gamma);
  const auto* beta = static_cast<const float*>(call.beta);
  for (std::size_t row = 0; row < call.rows; ++row) {
    const float* x = static_cast<const float*>(call.x) + row * call.x_pitch;
    float* y = static_cast<float*>(call.y) + row * call.y_pitch;
    double squares = 0;
    for (std::size_t i = 0; i < call.width; ++i) squares += double{x[i]} * double{x[i]};
    const double mean_square = squares / static_cast<double>(call.width);
    const double inverse = kWithFault ? 1 / (std::sqrt(mean_square) + call.epsilon) : 1 / std::sqrt(mean_square + call.epsilon);
    for (std::size_t i = 0; i < call.width; ++i)
      y[i] = static_cast<float>((gamma ? double{gamma[i]} : 1) * (double{x[i]} * inverse) + (beta ? double{beta[i]} : 0));
  }
  return checked;
}

inline Kernel MyKernel(CallResult (*run)(const KernelCall&)) {
  Kernel kernel;
  kernel.name = "my_rms_norm";
  kernel.kind = normcheck::norm::Kind::kPlugIn;
  kernel.ops = {normcheck::norm::Op::kRmsNorm};
  kernel.formats = {{}};
  kernel.contract.k = 1;
  kernel.statistics = false;
  kernel.run = run;
  return kernel;
}

}  // namespace mine

// What a contestant of the speed benchmark is given, and what it gives back.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "norm/kernel_call.h"

namespace normcheck::reports {

// Rows of one call: x and y of `format`, gamma and beta of f32, epsilon the f32 nearest 1e-5; arrays aligned to pages.
struct Work {
  norm::Op op = norm::Op::kLayerNorm;
  norm::Format format = norm::Format::kF32;
  std::size_t rows = 0;
  std::size_t width = 0;
  const void* x = nullptr;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  void* y = nullptr;

  std::size_t bytes_one_way() const { return rows * width * norm::TraitsOf(format).bytes; }
};

inline constexpr float kBenchEpsilon = 1e-5f;

// The call as the kernels of norm/ take it.
norm::KernelCall CallOf(const Work& work);

// What the call does with them, ready to be repeated; nothing where the contestant does not take such work.
using Task = std::function<void()>;

struct Contestant {
  std::string name;
  bool is_kernel = true;  // else it moves the same bytes
  std::function<std::optional<Task>(const Work&)> prepare;
};

// The production kernels on the best target and, where there is one, on AVX2; copies; plain loops; oneDNN where it is found.
std::vector<Contestant> Contestants();

}  // namespace normcheck::reports

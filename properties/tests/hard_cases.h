// Hard cases of every family, and the production kernels that are judged on them.
#pragma once

#include <cfloat>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "norm/layer_norm.h"
#include "properties/families.h"
#include "properties/parameters.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {

inline constexpr double kHardEpsilons[] = {0, 5e-324, 1e-300, 1e-30, 1e-12, 1e-5, 1, 4, 1e30, 1e300, DBL_MAX};

inline norm::Kernel KernelOf(Op op, std::function<norm::CallResult(const norm::KernelCall&)> run) {
  norm::Kernel kernel = norm::ProductionKernels()[op == Op::kLayerNorm ? 0 : 1];
  kernel.run = std::move(run);
  return kernel;
}

inline norm::Kernel KernelOn(std::string_view target, Op op) {
  return KernelOf(op, [target](const norm::KernelCall& call) { return norm::NormalizeOn(target, call); });
}

inline reference::JudgeOptions Options(bool exact_only = false) {
  reference::JudgeOptions options;
  options.diagnose = false;
  options.exact_only = exact_only;
  return options;
}

inline Case FamilyCase(const Family& family, Op op, const Formats& formats, Random& random) {
  const std::size_t width = random.OneIn(7) ? 1025 + random.Below(3000) : Widths()[random.Below(Widths().size())];
  const double epsilon = random.OneIn(2) ? Epsilons()[random.Below(6)] : kHardEpsilons[random.Below(std::size(kHardEpsilons))];
  Case c = MakeFamilyCase(family, {op, formats, 1 + random.Below(4), width, epsilon}, random);
  if (random.OneIn(8) && c.gamma) CancelBeta(c);
  return c;
}

// One row; empty gamma or beta: absent.
inline Case CaseWith(Op op, const Formats& formats, double epsilon, const std::vector<double>& x, const std::vector<double>& gamma,
              const std::vector<double>& beta) {
  Case c = reference::MakeCase(op, formats, 1, x.size(), epsilon);
  const auto bits = [](Format format, const std::vector<double>& values) {
    std::vector<Bits> all;
    for (double value : values) all.push_back(reference::BitsOf(value, format));
    return all;
  };
  c.x = bits(formats.x, x);
  if (!gamma.empty()) c.gamma = bits(formats.params, gamma);
  if (!beta.empty()) c.beta = bits(formats.params, beta);
  return c;
}

}  // namespace normcheck::properties

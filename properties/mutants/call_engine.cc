// Runs a call part by part.
#include "properties/mutants/call_engine.h"

#include <utility>
#include <vector>

#include "norm/rounding.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
using norm::KernelCall;

norm::CallResult RunParts(const KernelCall& call, const CallParts& parts) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  std::vector<double> x(call.width);
  for (std::size_t row = 0; row < call.rows; ++row) {
    for (std::size_t i = 0; i < call.width; ++i) x[i] = ReadElement(call.x, call.formats.x, parts.x(call, {row, i}), 0);
    const RowStatistics s = parts.statistics(call, row, x);
    for (std::size_t i = 0; i < call.width; ++i) {
      const Place place = {row, i};
      if (!parts.writes(call, place)) continue;
      const double gamma = ReadElement(call.gamma, call.formats.params, parts.gamma(call, place), 1);
      const double beta = ReadElement(call.beta, call.formats.params, parts.beta(call, place), 0);
      WriteElement(parts.output(call, gamma * ((x[i] - s.mean) * s.inv_root) + beta), call.y, call.formats.y, parts.y(call, place));
    }
    if (call.mean != nullptr) call.mean[row] = norm::ToFloat32(s.mean);
    if (call.inv_std_dev != nullptr) call.inv_std_dev[row] = norm::ToFloat32(s.inv_root);
  }
  return checked;
}

norm::Kernel CallMutant(std::string name, std::string about, Run run) {
  norm::Kernel kernel = EngineKernel(norm::Kind::kMutant, "mutant:" + std::move(name), std::move(about),
                                     reference::AllOps(), HonestStatistics);
  kernel.run = std::move(run);
  return kernel;
}

norm::Kernel CallMutant(std::string name, std::string about, CallParts parts) {
  return CallMutant(std::move(name), std::move(about), [parts = std::move(parts)](const KernelCall& call) { return RunParts(call, parts); });
}

}  // namespace normcheck::properties

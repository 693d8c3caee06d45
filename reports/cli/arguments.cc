// Looks up kernels and contracts for the verbs.
#include "reports/cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "properties/guarded_call.h"
#include "properties/kernels.h"
#include "reference/judge.h"
#include "reports/cli/print.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kLongestMessage = 1000;

}  // namespace

using reference::Error;
using reference::Result;

Result<norm::Kernel> KernelNamed(const std::string& name) {
  Result<norm::Kernel> found = properties::FindKernel(name);
  if (!found.ok()) return Error{"--kernel: " + found.error()};
  if (found.value().kind == norm::Kind::kPlugIn) return found;
  return properties::Guarded(std::move(found).value());
}

Result<std::vector<norm::Kernel>> KernelsNamed(const std::vector<std::string>& names) {
  std::vector<norm::Kernel> kernels;
  if (names.empty()) {
    kernels = norm::ProductionKernels();
    std::erase_if(kernels, [](const norm::Kernel& kernel) { return kernel.contract.kind != norm::ContractKind::kCorrectlyRounded; });
  }
  for (const std::string& name : names) {
    Result<norm::Kernel> found = KernelNamed(name);
    if (!found.ok()) return Error{found.error()};
    if (std::ranges::find(kernels, name, &norm::Kernel::name) != kernels.end())
      return Error{"--kernel " + name + ": given twice; name each kernel once"};
    kernels.push_back(std::move(found).value());
  }
  return kernels;
}

norm::Kernel FreshKernel(const norm::Kernel& kernel) {
  const auto found = KernelsNamed({kernel.name});
  return found.ok() ? found.value().front() : kernel;
}

Result<std::optional<reference::Contract>> ContractNamed(const std::string& text) {
  if (text.empty()) return std::optional<reference::Contract>();
  const Result<reference::Contract> contract = reference::ParseContract(text);
  if (!contract.ok()) return Error{"--contract: " + contract.error()};
  return std::optional(contract.value());
}

ExitCode Say(ExitCode code, const std::string& message) {
  std::string line = message;
  std::ranges::replace(line, '\n', ' ');
  if (line.size() > kLongestMessage) line = line.substr(0, kLongestMessage / 2) + " ... " + line.substr(line.size() - kLongestMessage / 4);
  PrintMessage("normcheck: {}\n", line);
  return code;
}

std::optional<ExitCode> RefuseToJudge() {
  const std::optional<std::string> fault = reference::FloatEnvironmentFault();
  if (!fault) return std::nullopt;
  return Say(ExitCode::kNotChecked, *fault);
}

}  // namespace normcheck::reports

// Mistakes of the machine: code paths of one instruction set alone, and the caller's floating-point environment.
#include <algorithm>
#include <cmath>

#include "norm/layer_norm.h"
#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;
using Statistics3 = RowStatistics (*)(const KernelCall& call, Row x);

// Two paths, of which `faulty` has the fault; `run` takes the wide one.
norm::Kernel TwoPaths(std::string name, std::string about, std::string_view faulty, Statistics3 statistics) {
  norm::Kernel kernel = CallMutant(std::move(name), std::move(about), CallParts{});
  kernel.targets = {"wide", "scalar"};
  CallParts parts;
  parts.statistics = [statistics](const KernelCall& call, std::size_t, Row x) { return statistics(call, x); };
  kernel.run_on = [faulty, parts](std::string_view target, const KernelCall& call) {
    return RunParts(call, target == faulty ? parts : CallParts{});
  };
  kernel.run = [run_on = kernel.run_on](const KernelCall& call) { return run_on("wide", call); };
  return kernel;
}

RowStatistics ScalarInFloat(const KernelCall& call, Row x) {
  const RowStatistics honest = HonestStatistics(call.op, call.epsilon, x);
  return {honest.mean, static_cast<double>(static_cast<float>(honest.inv_root)) * (1 + 0x1p-22)};
}

RowStatistics ScalarSkipsNan(const KernelCall& call, Row x) {
  std::vector<double> numbers;
  for (double value : x)
    if (!std::isnan(value)) numbers.push_back(value);
  return numbers.empty() ? HonestStatistics(call.op, call.epsilon, x) : HonestStatistics(call.op, call.epsilon, numbers);
}

RowStatistics WideTail(const KernelCall& call, Row x) {
  const std::size_t whole = x.size() / 16 * 16;
  const bool tail = x.size() % 16 == 13;
  return HonestStatistics(call.op, call.epsilon, tail && whole > 0 ? x.first(whole) : x);
}

#if defined(__SSE2__)
// The engine on the production kernels' own terms: it says that it does not depend on the caller's environment.
norm::Kernel OnOwnTerms(std::string name, std::string about, Run run) {
  norm::Kernel kernel = CallMutant(std::move(name), std::move(about), std::move(run));
  kernel.own_environment = true;
  return kernel;
}

norm::CallResult LeavesFtz(const KernelCall& call) {
  const norm::CallResult result = norm::Normalize(call);
  _mm_setcsr(_mm_getcsr() | 0x8040);
  return result;
}

norm::CallResult ResetsEnvironment(const KernelCall& call) {
  const norm::CallResult result = norm::Normalize(call);
  _mm_setcsr(0x1f80);
  return result;
}

norm::CallResult LeavesFlags(const KernelCall& call) {
  const norm::CallResult result = norm::Normalize(call);
  _mm_setcsr(_mm_getcsr() | 0x20);
  return result;
}
#endif

// Nearly half an ulp more before the rounding: upwards, whatever the sign.
double NearlyUp(const KernelCall& call, double y) {
  const norm::FormatTraits traits = norm::TraitsOf(call.formats.y);
  if (!std::isfinite(y) || y == 0) return y;
  return y + std::scalbn(0.49, std::max(std::ilogb(y), traits.emin) - traits.precision + 1);
}

CallParts RoundingUp() {
  CallParts parts;
  parts.output = NearlyUp;
  return parts;
}

}  // namespace

std::vector<norm::Kernel> MachineMutants() {
  std::vector<norm::Kernel> kernels = {
      TwoPaths("scalar-path-in-float", "the scalar path rounds 1/sqrt to f32 (CASES.md 11, 38)", "scalar", ScalarInFloat),
      TwoPaths("scalar-path-skips-nan", "the scalar path leaves NaN out of the sums (CASES.md 40)", "scalar", ScalarSkipsNan),
      CallMutant("rounds-up", "outputs are rounded upwards (CASES.md 79, 88)", RoundingUp()),
      TwoPaths("wide-path-tail", "the widest path loses a tail of 13 (CASES.md 38, 55)", "wide", WideTail),
  };
#if defined(__SSE2__)
  kernels.push_back(OnOwnTerms("leaves-ftz", "FTZ and DAZ stay set after the call (CASES.md 88)", LeavesFtz));
  kernels.push_back(OnOwnTerms("resets-environment", "the caller's rounding mode is lost (CASES.md 88)", ResetsEnvironment));
  kernels.push_back(OnOwnTerms("leaves-flags", "the kernel's inexact flag reaches the caller (CASES.md 88)", LeavesFlags));
  kernels.push_back(OnOwnTerms("callers-environment", "computes under whatever MXCSR the caller has (CASES.md 88)",
                               [](const KernelCall& call) { return RunParts(call, {}); }));
#endif
  return kernels;
}

}  // namespace normcheck::properties

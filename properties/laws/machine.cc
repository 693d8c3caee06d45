// Laws of the machine: instruction sets, and the floating-point environment of the caller.
#include <fmt/format.h>

#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/same_bits.h"
#include "properties/plug_in/plug_in.h"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace normcheck::properties {
namespace {

constexpr unsigned kControl = 0xffc0;

bool HasTargets(const norm::Kernel& kernel) { return !kernel.targets.empty() && kernel.run_on; }

LawResult CheckTargets(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  for (const std::string_view target : context.kernel.targets) {
    norm::Kernel on = context.kernel;
    on.run = [&, target](const norm::KernelCall& call) { return context.kernel.run_on(target, call); };
    const LawResult same = CheckSame(run.c, run.outputs, reference::RunKernel(on, run.c, {}), "on " + std::string(target));
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

bool HasEnvironment(const norm::Kernel& kernel) {
#if defined(__SSE2__)
  return kernel.own_environment;
#else
  return static_cast<void>(kernel), false;
#endif
}

struct Environment {
  unsigned mxcsr;
  const char* name;
};

// Exceptions masked in all of them; flags clear, so that flags that come back set are the kernel's.
constexpr Environment kEnvironments[] = {{0x9fc0, "FTZ and DAZ"}, {0x3f80, "rounding down"}, {0x5f80, "rounding up"}, {0x7f80, "rounding to zero"}};

// Runs under `mxcsr`; `after` is what the kernel leaves.
reference::Outputs RunUnder([[maybe_unused]] unsigned mxcsr, const norm::Kernel& kernel, const Case& c, unsigned& after) {
  norm::Kernel under = kernel;
  under.run = [&](const norm::KernelCall& call) {
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(mxcsr);
    const norm::CallResult result = kernel.run(call);
    after = _mm_getcsr();
    _mm_setcsr(before);
    return result;
#else
    return kernel.run(call);
#endif
  };
  return reference::RunKernel(under, c, {});
}

LawResult CheckEnvironment(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  for (const Environment& environment : kEnvironments) {
    unsigned after = environment.mxcsr;
    const std::string how = std::string("under the caller's ") + environment.name;
    const LawResult same = CheckSame(run.c, run.outputs, RunUnder(environment.mxcsr, context.kernel, run.c, after), how);
    if (same.state != LawResult::State::kKept) return same;
    if (after != environment.mxcsr) return Broken(fmt::format("{}: MXCSR was {:#06x} and is left as {:#06x}", how, environment.mxcsr, after));
  }
  return {};
}

// Control bits alone: sticky exception flags are no fault of a kernel that runs in its caller's environment.
LawResult CheckMxcsrKept(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  const unsigned before = run.outputs.mxcsr_before, after = run.outputs.mxcsr_after;
  if (((before ^ after) & kControl) == 0) return {};
  return Broken(fmt::format("MXCSR was {:#06x} and is left as {:#06x}", before, after));
}

}  // namespace

const Law kEveryTarget = {"every-target", "each instruction set gives the same bits", HasTargets, CheckTargets, KeepCopied};
const Law kFloatEnvironment = {"float-environment", "the caller's FTZ, DAZ and rounding mode change no bit, and MXCSR comes back as it was",
                               HasEnvironment, CheckEnvironment, KeepCopied};
const Law kMxcsrKept = {"mxcsr-kept", "MXCSR's masks, rounding, FTZ and DAZ are left as they were", plug_in::SeesTheCallersArrays, CheckMxcsrKept, KeepCopied};

}  // namespace normcheck::properties

// The outer functions: check the call, give the row loops a clean floating-point environment, put the caller's back.
#include "norm/layer_norm.h"

#include <algorithm>

#if defined(__SSE2__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

#include "norm/kernel.h"
#include "norm/row_engine.h"

#ifdef __FAST_MATH__
#error "norm/ needs IEEE arithmetic: compile without -ffast-math"
#endif

namespace normcheck::norm {
namespace {

// Default environment for a scope: nearest-even, subnormals kept, exceptions masked; the caller's comes back with its flags.
// The arithmetic is behind a pointer to another file, so the compiler cannot move it across.
class DefaultEnvironment {
 public:
  DefaultEnvironment(const DefaultEnvironment&) = delete;
  DefaultEnvironment& operator=(const DefaultEnvironment&) = delete;
#if defined(__SSE2__)
  // Writing the register costs more than a look whether it has to be.
  DefaultEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & kControl) != kDefault) _mm_setcsr(kDefault);
  }
  ~DefaultEnvironment() {
    if (_mm_getcsr() != saved_) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kDefault = 0x1f80;
  static constexpr unsigned kControl = 0xffc0;  // the rest are flags
  unsigned saved_;
#else
  DefaultEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
#endif
};

bool IsProductionTriple(const Formats& formats) {
  const auto f32_or_x = [&](Format format) { return format == Format::kF32 || format == formats.x; };
  return f32_or_x(formats.params) && f32_or_x(formats.y);
}

using Rows = void (*)(const RowEngine& engine, const KernelCall& call);

void Rounded(const RowEngine& engine, const KernelCall& call) { engine.normalize_rows(call, {}); }
void Fast(const RowEngine& engine, const KernelCall& call) { engine.normalize_rows_fast(call, 1); }

CallResult Run(const RowEngine& engine, Rows rows, const KernelCall& call) {
  if (const CallResult checked = CheckCall(call); !checked.ok()) return checked;
  if (std::ranges::find(kProductionOps, call.op) == std::ranges::end(kProductionOps))
    return {CallStatus::kUnsupported, "op", "must be layer_norm or rms_norm"};
  if (!IsProductionTriple(call.formats))
    return {CallStatus::kUnsupported, "formats", "gamma, beta and y must be in f32 or in x's format"};
  const DefaultEnvironment environment;
  rows(engine, call);
  return {};
}

CallResult RunOn(std::string_view target, Rows rows, const KernelCall& call) {
  const auto engines = RowEngines();
  const auto named = std::ranges::find(engines, target, &RowEngine::name);
  if (named == engines.end()) return {CallStatus::kBadArgument, "target", "is none of Targets()"};
  return Run(*named, rows, call);
}

}  // namespace

CallResult Normalize(const KernelCall& call) { return Run(RowEngines().front(), &Rounded, call); }

CallResult NormalizeFast(const KernelCall& call) { return Run(RowEngines().front(), &Fast, call); }

std::vector<std::string_view> Targets() {
  std::vector<std::string_view> names;
  for (const RowEngine& engine : RowEngines()) names.push_back(engine.name);
  return names;
}

CallResult NormalizeOn(std::string_view target, const KernelCall& call) { return RunOn(target, &Rounded, call); }

CallResult NormalizeFastOn(std::string_view target, const KernelCall& call) { return RunOn(target, &Fast, call); }

}  // namespace normcheck::norm

// Compiles the row loops for every Highway target and lists those that this machine runs.
#include "norm/row_engine.h"

#include <array>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "norm/row_engine.cc"
#include "hwy/foreach_target.h"  // must come before the -inl.h
#include "norm/fast-inl.h"

HWY_BEFORE_NAMESPACE();
namespace normcheck::norm {
namespace HWY_NAMESPACE {

// Not inline, and one per target, so that the table below can hold its address.
RowEngine Engine() { return {hwy::TargetName(HWY_TARGET), &NormalizeRows, &NormalizeRowsFast, &EstimateRow, &Widen, &Narrow}; }

}  // namespace HWY_NAMESPACE
}  // namespace normcheck::norm
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace normcheck::norm {
namespace {

struct Compiled {
  std::int64_t target;
  RowEngine (*engine)();
};

// Best first, as Highway numbers its targets.
constexpr Compiled kCompiled[] = {
#if HWY_TARGETS & HWY_AVX3_DL
    {HWY_AVX3_DL, &N_AVX3_DL::Engine},
#endif
#if HWY_TARGETS & HWY_AVX3
    {HWY_AVX3, &N_AVX3::Engine},
#endif
#if HWY_TARGETS & HWY_AVX2
    {HWY_AVX2, &N_AVX2::Engine},
#endif
#if HWY_TARGETS & HWY_SSE4
    {HWY_SSE4, &N_SSE4::Engine},
#endif
#if HWY_TARGETS & HWY_SSSE3
    {HWY_SSSE3, &N_SSSE3::Engine},
#endif
#if HWY_TARGETS & HWY_NEON
    {HWY_NEON, &N_NEON::Engine},
#endif
#if HWY_TARGETS & HWY_EMU128
    {HWY_EMU128, &N_EMU128::Engine},
#endif
#if HWY_TARGETS & HWY_SCALAR
    {HWY_SCALAR, &N_SCALAR::Engine},
#endif
};

std::vector<RowEngine> SupportedEngines() {
  std::vector<RowEngine> engines;
  const std::int64_t supported = hwy::SupportedTargets();
  for (const Compiled& compiled : kCompiled)
    if ((supported & compiled.target) != 0) engines.push_back(compiled.engine());
  return engines;
}

}  // namespace

std::span<const RowEngine> RowEngines() {
  static const std::vector<RowEngine> engines = SupportedEngines();
  return engines;
}

}  // namespace normcheck::norm
#endif  // HWY_ONCE

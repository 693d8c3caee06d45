// The functions that clang's instrumentation calls, as libFuzzer would define them: counters are kept, comparisons are not.
#include "properties/plug_in/worker_coverage.h"

#include <algorithm>
#include <cstring>

namespace {

// One range of counters for every instrumented library that is loaded.
struct Counters {
  std::uint8_t* first;
  std::size_t count;
};
constexpr std::size_t kMaxRanges = 64;
Counters ranges[kMaxRanges];
std::size_t range_count = 0;

}  // namespace

#define NORMCHECK_HOOK extern "C" __attribute__((visibility("default"), used))

NORMCHECK_HOOK void __sanitizer_cov_8bit_counters_init(std::uint8_t* first, std::uint8_t* last);
NORMCHECK_HOOK void __sanitizer_cov_8bit_counters_init(std::uint8_t* first, std::uint8_t* last) {
  if (first != last && range_count < kMaxRanges) ranges[range_count++] = {first, static_cast<std::size_t>(last - first)};
}

// Named by what they are called with; the fuzzer sees counters alone.
#define NORMCHECK_IGNORED(name, ...)       \
  NORMCHECK_HOOK void name(__VA_ARGS__);   \
  NORMCHECK_HOOK void name(__VA_ARGS__) {}

NORMCHECK_IGNORED(__sanitizer_cov_pcs_init, const std::uintptr_t*, const std::uintptr_t*)
NORMCHECK_IGNORED(__sanitizer_cov_trace_pc_indir, std::uintptr_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_cmp1, std::uint8_t, std::uint8_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_cmp2, std::uint16_t, std::uint16_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_cmp4, std::uint32_t, std::uint32_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_cmp8, std::uint64_t, std::uint64_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_const_cmp1, std::uint8_t, std::uint8_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_const_cmp2, std::uint16_t, std::uint16_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_const_cmp4, std::uint32_t, std::uint32_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_const_cmp8, std::uint64_t, std::uint64_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_switch, std::uint64_t, const std::uint64_t*)
NORMCHECK_IGNORED(__sanitizer_cov_trace_div4, std::uint32_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_div8, std::uint64_t)
NORMCHECK_IGNORED(__sanitizer_cov_trace_gep, std::uintptr_t)

extern "C" __attribute__((visibility("default"))) thread_local std::uintptr_t __sancov_lowest_stack;
thread_local std::uintptr_t __sancov_lowest_stack = 0;

namespace normcheck::properties::plug_in {

void ResetCoverage() {
  for (std::size_t i = 0; i < range_count; ++i) std::memset(ranges[i].first, 0, ranges[i].count);
}

std::uint32_t TakeCoverage(std::uint8_t* to, std::size_t capacity) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < range_count; ++i) total += ranges[i].count;
  const std::size_t used = std::min(total, capacity);
  std::memset(to, 0, used);
  std::size_t at = 0;
  for (std::size_t i = 0; i < range_count; ++i)
    for (std::size_t j = 0; j < ranges[i].count; ++j, at = at + 1 == capacity ? 0 : at + 1) to[at] |= ranges[i].first[j];
  return static_cast<std::uint32_t>(used);
}

}  // namespace normcheck::properties::plug_in

// The counters of clang's instrumentation, which the linker puts into one section.
#include "fuzz/held_coverage.h"

#include <algorithm>

extern "C" {
__attribute__((weak, visibility("hidden"))) extern std::uint8_t __start___sancov_cntrs[];
__attribute__((weak, visibility("hidden"))) extern std::uint8_t __stop___sancov_cntrs[];
}

namespace normcheck::fuzz {

HeldCoverage::HeldCoverage() : kept_(__start___sancov_cntrs, __stop___sancov_cntrs) {}

HeldCoverage::~HeldCoverage() { std::ranges::copy(kept_, __start___sancov_cntrs); }

}  // namespace normcheck::fuzz

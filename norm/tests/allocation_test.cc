// No call allocates: malloc is counted.
#include <gtest/gtest.h>

#if defined(__GLIBC__) && !defined(NORMCHECK_SANITIZED)
#include <atomic>
#include <cstdlib>
#include <new>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace {
std::atomic<long> allocations = 0;
}

// glibc's own allocator under the names that all others call it by.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) {
  ++allocations;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

namespace normcheck::norm {
namespace {

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  ::operator delete(::operator new(100));  // an expression `new` may be left out by a compiler
  EXPECT_GT(allocations, before);
}

// Ordinary rows, offsets, equal values, ties, not finite; in place and not; statistics asked for.
TEST(Allocation, NoCallAllocates) {
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (const auto& [target, run] : TargetsAndTiers())
        for (std::size_t width : {1u, 17u, 5000u}) {
          std::vector<double> values = RandomValues(6 * width, 3);
          for (std::size_t i = 0; i < width; ++i) values[i] += 1e4, values[width + i] = 3, values[2 * width + i] = i % 2 == 0 ? 1 : -1, values[3 * width + i] = i == 0 ? kNaN : 1;
          TestArray x(formats.x, values), y(formats.y, values.size()), gamma(formats.params, RandomValues(width, 4));
          std::vector<float> inv_std_dev(6);
          KernelCall call = {op, formats, 6, width, width, width, 0, x.data(), gamma.data()};
          call.y = formats.x == formats.y && width == 17 ? x.data() : y.data();
          call.inv_std_dev = inv_std_dev.data();
          const long before = allocations;
          const CallResult result = run(target, call);
          EXPECT_EQ(allocations, before) << target << width;
          EXPECT_TRUE(result.ok());
        }
}

}  // namespace
}  // namespace normcheck::norm
#endif

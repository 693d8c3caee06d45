// The caller's MXCSR: whatever it holds, the results are the same, and it comes back bit for bit.
#include <gtest/gtest.h>

#if defined(__SSE2__)
#include <xmmintrin.h>

#include <bit>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

constexpr unsigned kDefault = 0x1f80;
constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;
constexpr unsigned kUpward = 0x4000;
constexpr unsigned kDownward = 0x2000;
constexpr unsigned kTowardZero = 0x6000;
constexpr unsigned kUnmasked = 0x0000;  // every exception traps
constexpr unsigned kAllFlags = 0x003f;

constexpr unsigned kEnvironments[] = {kDefault | kFlushToZero | kDenormalsAreZero, kDefault | kUpward, kDefault | kDownward,
                                      kDefault | kTowardZero, kUnmasked, kUnmasked | kUpward, kDefault | kAllFlags};

struct Observed {
  CallResult result;
  unsigned after;
};

// Nothing but the call happens between the two writes of MXCSR.
[[gnu::noinline]] Observed RunUnder(unsigned environment, std::string_view target, const KernelCall& call, RunFunction run = &NormalizeOn) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(environment);
  const CallResult result = run(target, call);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  return {result, after};
}

// Subnormals, inexact values, a row that divides by zero, one that overflows, and NaN: all five exceptions would be raised.
std::vector<double> HardRows() {
  std::vector<double> rows = {0x1p-149, 0x3p-149, -0x1p-140, 0.1, 0.1, 0.1, 0x1.fffffep127, -0x1.fffffep127, 1, 1, kNaN, kInf};
  for (double value : RandomValues(12, 4)) rows.push_back(value);
  return rows;
}

TEST(Environment, CallersMxcsrNeitherMattersNorChanges) {
  constexpr std::size_t kWidth = 3;
  const std::vector<double> values = HardRows();
  const std::size_t rows = values.size() / kWidth;
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (const auto& [target, run] : TargetsAndTiers())
        for (double epsilon : {0.0, 1e-5, 5e-324}) {
          TestArray x(formats.x, values), gamma(formats.params, {kInf, 3, 0x1p-130}), want(formats.y, values.size());
          KernelCall call = {op, formats, rows, kWidth, kWidth, kWidth, epsilon, x.data(), gamma.data(), nullptr, want.data()};
          std::vector<float> mean(rows), inv_std_dev(rows);
          call.inv_std_dev = inv_std_dev.data();
          ASSERT_TRUE(RunUnder(kDefault, target, call, run).result.ok());
          for (unsigned environment : kEnvironments) {
            TestArray got(formats.y, values.size());
            std::vector<float> statistics(rows);
            call.y = got.data();
            call.inv_std_dev = statistics.data();
            const Observed observed = RunUnder(environment, target, call, run);
            ASSERT_TRUE(observed.result.ok());
            ASSERT_EQ(observed.after, environment) << target;
            ASSERT_EQ(got.bytes(), want.bytes()) << target << std::hex << environment;
            for (std::size_t row = 0; row < rows; ++row)
              ASSERT_EQ(std::bit_cast<std::uint32_t>(statistics[row]), std::bit_cast<std::uint32_t>(inv_std_dev[row]));
          }
        }
}

TEST(Environment, RefusedCallsRaiseNothing) {
  KernelCall call;
  call.epsilon = std::bit_cast<double>(std::uint64_t{0x7ff0000000000001});  // signalling NaN
  const Observed observed = RunUnder(kUnmasked, Targets().front(), call);
  EXPECT_EQ(observed.result.argument, "epsilon");
  EXPECT_EQ(observed.after, kUnmasked);
}

}  // namespace
}  // namespace normcheck::norm
#endif

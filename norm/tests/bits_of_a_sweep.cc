// Prints a hash of the correctly rounded tier's outputs over a sweep of hard and ordinary rows: the same however norm/ is compiled.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "norm/kernel.h"
#include "norm/tests/test_call.h"

namespace normcheck::norm {
namespace {

class Hash {
 public:
  void Add(std::uint32_t word) { value_ = (value_ ^ word) * 0x100000001b3u; }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Row `kind` of the sweep: uniform, on an offset, near-constant, ties, cancelling outliers, an exponent ladder.
std::vector<double> RowOf(int kind, std::size_t width) {
  std::vector<double> x = RandomValues(width, static_cast<std::uint64_t>(kind) + width, 2, kind == 1 ? 1000 : 0);
  for (std::size_t i = 0; i < width; ++i) {
    if (kind == 2) x[i] = 1.5 + (i % 7 == 0 ? 0x1p-7 : 0);
    if (kind == 3) x[i] = i % 2 == 0 ? 1 : -1;
    if (kind == 4 && i < 2) x[i] = i == 0 ? 0x1p15 : -0x1p15;
    if (kind == 5) x[i] = std::ldexp(x[i], static_cast<int>(i % 29) - 14);
  }
  return x;
}

void AddOutputs(const TestCall& test, Hash& hash) {
  for (std::string_view target : Targets()) {
    const TestOutputs outputs = RunOn(target, test);
    for (std::size_t i = 0; i < test.x.size(); ++i) hash.Add(outputs.y.Bits(i));
    hash.Add(std::bit_cast<std::uint32_t>(outputs.inv_std_dev[0]));
    hash.Add(std::bit_cast<std::uint32_t>(outputs.mean[0]));
  }
}

std::uint64_t HashOfSweep() {
  Hash hash;
  for (Op op : kProductionOps)
    for (const Formats& formats : ProductionFormats())
      for (int kind = 0; kind < 6; ++kind)
        for (std::size_t width : {4u, 5u, 64u, 257u, 1100u})
          for (double epsilon : {0.0, 1e-5, 1.0}) {
            TestCall test = {.op = op, .formats = formats, .epsilon = epsilon, .x = RowOf(kind, width), .gamma = RandomValues(width, 7, 0.5, 1)};
            test.beta = width == 257 ? RandomValues(width, 8, 0x1p-20) : RandomValues(width, 8);
            if (kind == 3)
              for (std::size_t i = 0; i < width; ++i) test.beta[i] = -test.gamma[i] * (i % 2 == 0 ? 1 : -1);
            AddOutputs(test, hash);
          }
  return hash.value();
}

}  // namespace
}  // namespace normcheck::norm

int main() {
  std::printf("%016llx\n", static_cast<unsigned long long>(normcheck::norm::HashOfSweep()));
  return 0;
}

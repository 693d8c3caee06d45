// Mistakes that no case of the laws is large enough to show: numbers of elements that f32 cannot count.
#include <algorithm>
#include <cmath>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;

norm::Kernel LongMutant(std::string name, std::string about, CallParts parts) {
  norm::Kernel kernel = CallMutant(std::move(name), std::move(about), std::move(parts));
  kernel.kind = norm::Kind::kMutantLong;
  return kernel;
}

// Counting by ones in f32 stays at 2^24, since 2^24 + 1 rounds to it.
double CountedInFloat(std::size_t width) { return static_cast<double>(std::min(width, std::size_t{1} << 24)); }

RowStatistics WidthInFloat(const KernelCall& call, std::size_t, Row x) {
  const double stretch = static_cast<double>(x.size()) / CountedInFloat(x.size());
  const double mean = call.op == norm::Op::kLayerNorm ? MeanOf(x) * stretch : 0;
  return {mean, 1 / std::sqrt(MeanSquareAround(mean, x) * stretch + call.epsilon)};
}

CallParts WithStatisticsOf(RowStatistics (*statistics)(const KernelCall&, std::size_t, Row)) {
  CallParts parts;
  parts.statistics = statistics;
  return parts;
}

CallParts RowOffsetInFloat() {
  CallParts parts;
  parts.y = [](const KernelCall& call, Place p) {
    return static_cast<std::size_t>(static_cast<float>(p.row * call.y_pitch)) + p.column;
  };
  return parts;
}

}  // namespace

std::vector<norm::Kernel> LongMutants() {
  return {
      LongMutant("width-counted-in-float", "H is counted in f32, which stays at 2^24 (CASES.md 21)", WithStatisticsOf(WidthInFloat)),
      LongMutant("row-offset-in-float", "y's row offsets are formed in f32, wrong from 2^24 elements on (CASES.md 65, 66)", RowOffsetInFloat()),
  };
}

}  // namespace normcheck::properties

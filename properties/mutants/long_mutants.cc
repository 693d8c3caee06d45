// Mistakes that no case of the laws is large enough to show: numbers of elements that f32 cannot count.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "norm/layer_norm.h"
#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;

norm::Kernel LongMutant(std::string name, std::string about, CallParts parts,
                        std::vector<norm::Op> ops = reference::AllOps()) {
  norm::Kernel kernel = CallMutant(std::move(name), std::move(about), std::move(parts));
  kernel.kind = norm::Kind::kMutantLong;
  kernel.ops = std::move(ops);
  return kernel;
}

// Counting by ones in f32 stays at 2^24, since 2^24 + 1 rounds to it.
double CountedInFloat(std::size_t width) { return static_cast<double>(std::min(width, std::size_t{1} << 24)); }

RowStatistics WidthInFloat(const KernelCall& call, std::size_t, Row x) {
  const double stretch = static_cast<double>(x.size()) / CountedInFloat(x.size());
  const double mean = reference::OperationOf(call.op).centred() ? MeanOf(x) * stretch : 0;
  return {mean, 1 / std::sqrt(SpreadAround(call.op, mean, x) * stretch + call.epsilon)};
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

// The production kernel, row by row where offsets are wrong: calls of 2^32 elements are not for the slow engine.
norm::CallResult RowsOfWrappedCount(const KernelCall& call) {
  if (const norm::CallResult checked = norm::CheckCall(call); !checked.ok() || call.width == 0) return checked;
  KernelCall fewer = call;
  fewer.rows = static_cast<std::uint32_t>(call.rows * call.width) / call.width;
  return norm::Normalize(call.rows * call.width == fewer.rows * call.width ? call : fewer);
}

norm::CallResult RowsAtWrappedOffsets(const KernelCall& call) {
  if (const norm::CallResult checked = norm::CheckCall(call); !checked.ok() || call.width == 0) return checked;
  const auto wraps_from = ((std::size_t{1} << 32) + call.width - 1) / call.width;  // the first row whose offset is wrong
  KernelCall some = call;
  some.rows = std::min(call.rows, wraps_from);
  const norm::CallResult result = norm::Normalize(some);
  if (!result.ok() || some.rows == call.rows) return result;
  some.rows = call.rows - wraps_from;
  const std::size_t offset = wraps_from * call.width, lost = offset - static_cast<std::uint32_t>(offset);
  some.x = static_cast<const char*>(call.x) + wraps_from * call.x_pitch * TraitsOf(call.formats.x).bytes;
  some.y = static_cast<char*>(call.y) + (wraps_from * call.y_pitch - lost) * TraitsOf(call.formats.y).bytes;
  if (some.mean != nullptr) some.mean += wraps_from;
  if (some.inv_std_dev != nullptr) some.inv_std_dev += wraps_from;
  return norm::Normalize(some);
}

norm::Kernel LongMutant(std::string name, std::string about, Run run) {
  norm::Kernel kernel = CallMutant(std::move(name), std::move(about), std::move(run));
  kernel.formats = norm::ProductionFormats();
  kernel.kind = norm::Kind::kMutantLong;
  return kernel;
}

}  // namespace

std::vector<norm::Kernel> LongMutants() {
  return {
      LongMutant("width-counted-in-float", "H is counted in f32, which stays at 2^24 (CASES.md 21)", WithStatisticsOf(WidthInFloat),
                 reference::AveragedOps()),
      LongMutant("row-offset-in-float", "y's row offsets are formed in f32, wrong from 2^24 elements on (CASES.md 65, 66)", RowOffsetInFloat()),
      LongMutant("elements-counted-in-32-bits", "rows*width is formed in 32 bits, so that the last rows are not written (CASES.md 64, 65, beyond 2^32 elements)", RowsOfWrappedCount),
      LongMutant("row-offset-in-32-bits", "y's row*width is formed in 32 bits, so that later rows go over the first ones (CASES.md 64, 65, beyond 2^32 elements)", RowsAtWrappedOffsets),
  };
}

}  // namespace normcheck::properties

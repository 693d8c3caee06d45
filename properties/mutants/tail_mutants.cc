// Mistakes at the end of a row: padded lanes, the last partial vector, widths beside a block.
#include <algorithm>
#include <cmath>
#include <vector>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;

constexpr std::size_t kLanes = 8;

CallParts WithStatistics(RowStatistics (*statistics)(const KernelCall&, Row)) {
  CallParts parts;
  parts.statistics = [statistics](const KernelCall& call, std::size_t, Row x) { return statistics(call, x); };
  return parts;
}

CallParts WritingOnly(bool (*writes)(const KernelCall&, Place)) {
  CallParts parts;
  parts.writes = writes;
  return parts;
}

// The thirteenth lane of a last vector of sixteen is taken twice.
RowStatistics TailOfThirteen(const KernelCall& call, Row x) {
  if (x.size() % 16 != 13) return HonestStatistics(call.op, call.epsilon, x);
  std::vector<double> longer(x.begin(), x.end());
  longer.push_back(x.back());
  return HonestStatistics(call.op, call.epsilon, longer);
}

RowStatistics BlockTailLost(const KernelCall& call, Row x) {
  const bool one_over = x.size() > 16 && x.size() % 16 == 1;
  return HonestStatistics(call.op, call.epsilon, one_over ? x.first(x.size() - 1) : x);
}

RowStatistics FirstElementLost(const KernelCall& call, Row x) {
  return HonestStatistics(call.op, call.epsilon, x.size() > 1 ? x.subspan(1) : x);
}

RowStatistics ShortRowDropsEpsilon(const KernelCall& call, Row x) {
  return HonestStatistics(call.op, x.size() < 4 ? 0 : call.epsilon, x);
}

// A branch for H = 1 that answers 0 whatever x is: xhat = 0 for NaN, infinity and for RMSNorm alike.
norm::CallResult WidthOneIsBeta(const KernelCall& call) {
  const norm::CallResult result = RunParts(call, {});
  if (!result.ok() || call.width != 1) return result;
  for (std::size_t row = 0; row < call.rows; ++row)
    WriteElement(ReadElement(call.beta, call.formats.params, 0, 0), call.y, call.formats.y, row * call.y_pitch);
  return result;
}

// The last partial vector is stored before gamma and beta.
norm::CallResult TailWithoutParameters(const KernelCall& call) {
  const norm::CallResult result = RunParts(call, {});
  if (!result.ok() || call.width % kLanes == 0 || call.y == call.x) return result;
  KernelCall bare = call;
  bare.gamma = bare.beta = nullptr;
  CallParts tail;
  tail.writes = [](const KernelCall& c, Place p) { return p.column >= c.width / kLanes * kLanes; };
  return RunParts(bare, tail);
}

// Rows too long for the kernel's block come out as zeros.
norm::CallResult LongRowIsZero(const KernelCall& call) {
  const norm::CallResult result = RunParts(call, {});
  for (std::size_t row = 0; result.ok() && call.width > 256 && row < call.rows; ++row)
    for (std::size_t i = 0; i < call.width; ++i) WriteElement(0, call.y, call.formats.y, row * call.y_pitch + i);
  return result;
}

}  // namespace

std::vector<norm::Kernel> TailMutants() {
  return {
      CallMutant("tail-of-thirteen", "at H mod 16 = 13 the last element is summed twice (CASES.md 55, E1)", WithStatistics(TailOfThirteen)),
      CallMutant("block-tail-lost", "one element past a block of 16 is left out of the statistics (CASES.md 60)", WithStatistics(BlockTailLost)),
      CallMutant("first-element-lost", "the sums start at the second element (CASES.md 60, E1)", WithStatistics(FirstElementLost)),
      CallMutant("short-row-drops-epsilon", "the branch for rows under four elements forgets epsilon (CASES.md 48)", WithStatistics(ShortRowDropsEpsilon)),
      CallMutant("last-element-skipped", "the last element of an odd row is never written (CASES.md 74, E1)",
                 WritingOnly([](const KernelCall& c, Place p) { return c.width % 2 == 0 || p.column + 1 < c.width; })),
      CallMutant("long-row-unwritten", "elements from the 257th on are never written (CASES.md 68)",
                 WritingOnly([](const KernelCall&, Place p) { return p.column < 256; })),
      CallMutant("long-row-is-zero", "rows wider than 256 come out as zeros (CASES.md 68)", LongRowIsZero),
      CallMutant("width-one-is-beta", "the branch for H = 1 answers beta for NaN and infinity too (CASES.md 41)", WidthOneIsBeta),
      CallMutant("tail-without-parameters", "the last H mod 8 elements miss gamma and beta (CASES.md 38, 55)", TailWithoutParameters),
  };
}

}  // namespace normcheck::properties

// Mistakes that only large calls show: many rows together with long rows, or rows longer than 4,096.
#include <algorithm>
#include <cmath>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;
using LargeStatistics = std::function<RowStatistics(const KernelCall&, std::size_t row, Row x)>;

norm::Kernel LargeMutant(std::string name, std::string about, LargeStatistics statistics) {
  CallParts parts;
  parts.statistics = std::move(statistics);
  return CallMutant(std::move(name), std::move(about), std::move(parts));
}

RowStatistics Honest(const KernelCall& call, Row x) { return HonestStatistics(call.op, call.epsilon, x); }

RowStatistics Scaled(RowStatistics s, double factor) { return {s.mean, s.inv_root * factor}; }

// A second path for batches of long rows: one row of the call, in its middle, takes another scale.
LargeStatistics OneRowOfBatchesFrom(std::size_t rows, std::size_t width) {
  return [=](const KernelCall& call, std::size_t row, Row x) {
    const bool large = call.rows >= rows && x.size() >= width;
    return Scaled(Honest(call, x), large && row == call.rows / 2 ? 1 + 0x1p-10 : 1);
  };
}

// Tiles of 16 rows, where rows are long: the last row of a tile is scaled in f32, one ulp off.
RowStatistics LastOfTile(const KernelCall& call, std::size_t row, Row x) {
  const bool tiled = call.rows >= 16 && x.size() >= 512;
  const RowStatistics honest = Honest(call, x);
  if (!tiled || row % 16 != 15) return honest;
  return {honest.mean, static_cast<double>(static_cast<float>(honest.inv_root)) * (1 + 0x1p-23)};
}

std::vector<double> RowBefore(const KernelCall& call, std::size_t row) {
  std::vector<double> x(call.width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
  return x;
}

// Partial sums of 256 rows and blocks of 1,024 columns: the first row of the second 256 finds those of the first row there.
RowStatistics WorkspaceTaken(const KernelCall& call, std::size_t row, Row x) {
  constexpr std::size_t kRowsKept = 256, kColumnsKept = 1024;
  const RowStatistics honest = Honest(call, x);
  if (row != kRowsKept || x.size() < kColumnsKept) return honest;
  return {honest.mean, Honest(call, RowBefore(call, row - kRowsKept)).inv_root};
}

LargeStatistics SumsStopAt(std::size_t most) {
  return [most](const KernelCall& call, std::size_t, Row x) { return Honest(call, x.first(std::min(x.size(), most))); };
}

// The reported one: the squares of the rest are left out, and the divisor is the whole width.
RowStatistics SquaresStop(const KernelCall& call, std::size_t, Row x) {
  constexpr std::size_t kSquared = 32768;
  if (x.size() <= kSquared) return Honest(call, x);
  const double share = static_cast<double>(kSquared) / static_cast<double>(x.size());
  return {0, 1 / std::sqrt(SpreadAround(call.op, 0, x.first(kSquared)) * share + call.epsilon)};
}

norm::Kernel RmsNormAlone(norm::Kernel kernel) {
  kernel.ops = {norm::Op::kRmsNorm};
  return kernel;
}

}  // namespace

std::vector<norm::Kernel> LargeMutants() {
  return {
      LargeMutant("batch-of-long-rows", "one row of 13 and more of 67 and more elements takes another path (CASES.md 91)", OneRowOfBatchesFrom(13, 67)),
      LargeMutant("last-of-tile", "the last row of each tile of 16 is an ulp off in rows of 512 and more (CASES.md 91)", LastOfTile),
      LargeMutant("workspace-of-256-rows", "partial sums of 1,024 columns are kept for 256 rows, and one more takes those of the first (CASES.md 62, 91)",
                  WorkspaceTaken),
      LargeMutant("sums-stop-at-8192", "elements from the 8,193rd on are left out of the statistics (CASES.md 68)", SumsStopAt(8192)),
      RmsNormAlone(LargeMutant("squares-stop-at-32768", "squares from the 32,769th on are left out of the sum, as at width 53,248 (CASES2.md n16)", SquaresStop)),
  };
}

}  // namespace normcheck::properties

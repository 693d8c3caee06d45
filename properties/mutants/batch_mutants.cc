// Mistakes in which a row's result depends on the other rows of its call.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;
using BatchStatistics = RowStatistics (*)(const KernelCall&, std::size_t, Row);

CallParts WithBatchStatistics(BatchStatistics statistics) {
  CallParts parts;
  parts.statistics = statistics;
  return parts;
}

double XOf(const KernelCall& call, std::size_t row, std::size_t i) { return ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0); }

std::vector<double> RowAt(const KernelCall& call, std::size_t row) {
  std::vector<double> x(call.width);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = XOf(call, row, i);
  return x;
}

// The mean rounded to f32, as a second code path for large batches might hold it.
RowStatistics FloatPath(const KernelCall& call, Row x) {
  const RowStatistics honest = HonestStatistics(call.op, call.epsilon, x);
  return {static_cast<double>(static_cast<float>(honest.mean)), static_cast<double>(static_cast<float>(honest.inv_root)) * (1 + 0x1p-20)};
}

RowStatistics LargeBatchPath(const KernelCall& call, std::size_t, Row x) {
  return call.rows >= 256 ? FloatPath(call, x) : HonestStatistics(call.op, call.epsilon, x);
}

RowStatistics SingleRowPath(const KernelCall& call, std::size_t, Row x) {
  return call.rows == 1 ? FloatPath(call, x) : HonestStatistics(call.op, call.epsilon, x);
}

// Rows go in pairs; the odd one at the end takes its partner's 1/sqrt.
RowStatistics OddRowTakesPartners(const KernelCall& call, std::size_t row, Row x) {
  const RowStatistics honest = HonestStatistics(call.op, call.epsilon, x);
  if (row == 0 || row + 1 != call.rows || call.rows % 2 == 0) return honest;
  return {honest.mean, HonestStatistics(call.op, call.epsilon, RowAt(call, row - 1)).inv_root};
}

// f(x) for every element of the call, before anything is written.
template <typename F>
void ForEachElement(const KernelCall& call, F f) {
  for (std::size_t row = 0; row < call.rows; ++row)
    for (std::size_t i = 0; i < call.width; ++i) f(XOf(call, row, i));
}

norm::CallResult NanOfAnyRow(const KernelCall& call) {
  if (const norm::CallResult checked = norm::CheckCall(call); !checked.ok()) return checked;
  bool nan = false;
  ForEachElement(call, [&](double x) { nan |= std::isnan(x); });
  if (!nan) return RunParts(call, {});
  return RunParts(call, WithBatchStatistics([](const KernelCall&, std::size_t, Row) {
                    return RowStatistics{std::numeric_limits<double>::quiet_NaN(), 1};
                  }));
}

RowStatistics FirstRowsMean(const KernelCall& call, std::size_t, Row x) {
  const RowStatistics honest = HonestStatistics(call.op, call.epsilon, x);
  return {honest.mean, HonestStatistics(call.op, call.epsilon, RowAt(call, 0)).inv_root};
}

// Sums are carried on: a 2^-30 of the row before stays in the mean.
RowStatistics CarriedMean(const KernelCall& call, std::size_t row, Row x) {
  RowStatistics s = HonestStatistics(call.op, call.epsilon, x);
  if (row == 0) return s;
  const double before = MeanOf(RowAt(call, row - 1));
  s.mean += (std::isfinite(before) ? before : 1) * 0x1p-12;
  return s;
}

// As many rows as columns: the statistics run down the columns.
RowStatistics SquareTransposed(const KernelCall& call, std::size_t row, Row x) {
  if (call.rows != call.width) return HonestStatistics(call.op, call.epsilon, x);
  std::vector<double> column(call.rows);
  for (std::size_t r = 0; r < call.rows; ++r) column[r] = XOf(call, r, row);
  return HonestStatistics(call.op, call.epsilon, column);
}

// One scale for the whole call, the largest row's.
norm::CallResult ScaleOfBatch(const KernelCall& call) {
  if (const norm::CallResult checked = norm::CheckCall(call); !checked.ok()) return checked;
  double most = 0;
  ForEachElement(call, [&](double x) { most = std::max(most, std::abs(x)); });
  if (!std::isfinite(most) || most == 0) return RunParts(call, {});
  CallParts parts;
  parts.statistics = [most](const KernelCall& c, std::size_t, Row x) {
    const double mean = HonestStatistics(c.op, c.epsilon, x).mean;
    const double kept = SpreadAround(c.op, mean, x) / (most * most);
    return RowStatistics{mean, 1 / std::sqrt(static_cast<double>(static_cast<float>(kept)) * (most * most) + c.epsilon)};
  };
  return RunParts(call, parts);
}

}  // namespace

std::vector<norm::Kernel> BatchMutants() {
  return {
      CallMutant("large-batch-path", "256 rows and more take another code path (CASES.md 91)", WithBatchStatistics(LargeBatchPath)),
      CallMutant("single-row-path", "a row alone takes another code path (CASES.md 38, 91)", WithBatchStatistics(SingleRowPath)),
      CallMutant("odd-row-partner", "rows go in pairs, and an odd last one takes its partner's scale (CASES.md 91)", WithBatchStatistics(OddRowTakesPartners)),
      CallMutant("nan-of-any-row", "one NaN in the call makes every row NaN (CASES.md 40)", NanOfAnyRow),
      CallMutant("first-rows-scale", "all rows take the first row's scale (CASES.md 62, 91)", WithBatchStatistics(FirstRowsMean)),
      CallMutant("carried-mean", "a trace of the row before stays in the mean (CASES.md 91)", WithBatchStatistics(CarriedMean)),
      CallMutant("square-transposed", "as many rows as columns: the statistics run down the columns (CASES.md 62, FACTS.md F13)",
                 WithBatchStatistics(SquareTransposed)),
      CallMutant("scale-of-batch", "squares are scaled by the largest element of the call and kept in f32 (CASES.md 29, 91)", ScaleOfBatch),
  };
}

}  // namespace normcheck::properties

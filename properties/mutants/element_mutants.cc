// Mistakes in what the statistics are taken over: padding, tails, other rows, columns, the whole batch.
#include <cmath>
#include <string>
#include <vector>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;
using Row = std::span<const double>;
using Of = std::function<RowStatistics(const KernelCall&, std::size_t row, Row x)>;

norm::Kernel WithStatistics(std::string id, std::string about, Of statistics) {
  CallParts parts;
  parts.statistics = std::move(statistics);
  return CallMutant(std::move(id), std::move(about), std::move(parts));
}

double XAt(const KernelCall& call, std::size_t row, std::size_t i) {
  return ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
}

void AppendRow(const KernelCall& call, std::size_t row, std::vector<double>& values) {
  for (std::size_t i = 0; i < call.width; ++i) values.push_back(XAt(call, row, i));
}

RowStatistics OfRow(const KernelCall& call, std::size_t row) {
  std::vector<double> x;
  AppendRow(call, row, x);
  return HonestStatistics(call.op, call.epsilon, x);
}

// LayerNorm: lanes of zeros add (0 - mean)^2 each, the divisor is H. RMSNorm: the divisor is the padded width.
Of PaddedTo(std::size_t lanes) {
  return [lanes](const KernelCall& call, std::size_t, Row x) -> RowStatistics {
    const double padding = static_cast<double>((lanes - x.size() % lanes) % lanes);
    const double width = static_cast<double>(x.size());
    const double mean = reference::OperationOf(call.op).centred() ? MeanOf(x) : 0;
    const double square = SpreadAround(call.op, mean, x);
    const double spread = reference::OperationOf(call.op).centred() ? square + mean * mean * (padding / width) : square * (width / (width + padding));
    return {mean, 1 / std::sqrt(spread + call.epsilon)};
  };
}

RowStatistics WithoutTail(const KernelCall& call, std::size_t, Row x) {
  const std::size_t whole = x.size() - x.size() % 8;
  return HonestStatistics(call.op, call.epsilon, whole == 0 ? x : x.first(whole));
}

RowStatistics OfRowBefore(const KernelCall& call, std::size_t row, Row) { return OfRow(call, row == 0 ? 0 : row - 1); }

// The statistics are taken once, before anything is written.
norm::CallResult OfAllRows(const KernelCall& call) {
  if (const norm::CallResult checked = norm::CheckCall(call); !checked.ok()) return checked;
  std::vector<double> all;
  for (std::size_t row = 0; row < call.rows; ++row)
    for (std::size_t i = 0; i < call.width; ++i) all.push_back(XAt(call, row, i));
  const RowStatistics whole = HonestStatistics(call.op, call.epsilon, all);
  CallParts parts;
  parts.statistics = [whole](const KernelCall&, std::size_t, Row) { return whole; };
  return RunParts(call, parts);
}

// Reads the call before it writes, so that it may be in place.
norm::CallResult DownColumns(const KernelCall& call) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok()) return checked;
  for (std::size_t i = 0; i < call.width; ++i) {
    std::vector<double> column;
    for (std::size_t row = 0; row < call.rows; ++row) column.push_back(XAt(call, row, i));
    const RowStatistics s = HonestStatistics(call.op, call.epsilon, column);
    const double gamma = ReadElement(call.gamma, call.formats.params, i, 1);
    const double beta = ReadElement(call.beta, call.formats.params, i, 0);
    for (std::size_t row = 0; row < call.rows; ++row)
      WriteElement(gamma * ((column[row] - s.mean) * s.inv_root) + beta, call.y, call.formats.y, row * call.y_pitch + i);
  }
  return checked;
}

}  // namespace

std::vector<norm::Kernel> ElementMutants() {
  std::vector<norm::Kernel> kernels;
  for (const std::size_t lanes : {4U, 8U, 16U, 32U, 64U, 1024U}) {
    kernels.push_back(WithStatistics("padded-lanes-counted-" + std::to_string(lanes),
                                     "lanes of zeros past the row's end are counted (CASES.md 55, 69)", PaddedTo(lanes)));
    kernels.back().ops = reference::AveragedOps();
  }
  kernels.push_back(WithStatistics("tail-missing", "the last H mod 8 elements are not summed (CASES.md 55, 60)", WithoutTail));
  kernels.push_back(WithStatistics("another-rows-statistics", "the statistics of the row before (FACTS.md F12, CASES.md 91)", OfRowBefore));
  kernels.push_back(CallMutant("whole-batch-statistics", "statistics over all rows together (FACTS.md F13, CASES.md 62)", OfAllRows));
  kernels.push_back(CallMutant("column-statistics", "statistics down the columns (FACTS.md F13)", DownColumns));
  return kernels;
}

}  // namespace normcheck::properties

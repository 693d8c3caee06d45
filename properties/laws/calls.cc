// Laws of calls: how many rows one has, how rows are dealt out to calls and threads, and what came before.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/same_bits.h"

namespace normcheck::properties {
namespace {

using reference::Outputs;

// The case's rows over and over.
Case Repeated(const Case& c, std::size_t rows) {
  Case batch = c;
  batch.rows = rows;
  batch.x.clear();
  batch.x.reserve(rows * c.width);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto from = c.x.begin() + static_cast<std::ptrdiff_t>(row % c.rows * c.width);
    batch.x.insert(batch.x.end(), from, from + static_cast<std::ptrdiff_t>(c.width));
  }
  return batch;
}

LawResult CheckRepeated(const norm::Kernel& kernel, const PlainRun& run, std::size_t rows) {
  const Outputs outputs = reference::RunKernel(kernel, Repeated(run.c, rows), {});
  if (!outputs.result.ok()) return Broken(fmt::format("{} rows: refused: {}", rows, outputs.result.reason));
  for (std::size_t row = 0; row < rows; ++row)
    if (!SameRow(run.c, run.outputs, row % run.c.rows, outputs, row))
      return Broken(fmt::format("row {} of {} differs from the same row among {}", row, rows, run.c.rows));
  return {};
}

void PrepareNarrow(Case& c) {
  KeepColumns(c, 33);
  MakeDense(c);
}

LawResult CheckBatchSize(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  for (std::size_t rows : {1u, 2u, 3u, 255u, 256u, 257u, 1000u}) {
    const LawResult same = CheckRepeated(context.kernel, run, rows);
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

void PrepareTiny(Case& c) {
  KeepColumns(c, 5);
  MakeDense(c);
}

LawResult CheckManyRows(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  return run.fault ? *run.fault : CheckRepeated(context.kernel, run, 65537);
}

// Rows [first, last) of a case as one call, into the places that they have in `outputs`.
struct RangeFault {
  std::string refused;
  std::exception_ptr thrown;  // across threads
};

void RunRange(const norm::Kernel& kernel, const Case& c, std::size_t first, std::size_t last, Outputs& outputs, RangeFault& fault) {
  Case part = c;
  part.rows = last - first;
  const auto at = [&](std::size_t row) { return static_cast<std::ptrdiff_t>(row * c.width); };
  part.x.assign(c.x.begin() + at(first), c.x.begin() + at(last));
  try {
    const Outputs own = reference::RunKernel(kernel, part, {});
    if (!own.result.ok()) fault.refused = "refused: " + std::string(own.result.reason);
    if (!own.result.ok()) return;
    std::ranges::copy(own.y, outputs.y.begin() + at(first));
    std::ranges::copy(own.mean, outputs.mean.begin() + (own.mean.empty() ? 0 : static_cast<std::ptrdiff_t>(first)));
    std::ranges::copy(own.inv_std_dev, outputs.inv_std_dev.begin() + (own.inv_std_dev.empty() ? 0 : static_cast<std::ptrdiff_t>(first)));
  } catch (...) {
    fault.thrown = std::current_exception();
  }
}

// Plug-ins promise nothing about threads: their ranges run one after the other.
LawResult CheckRowRanges(const LawContext& context, const Case& c) {
  const PlainRun small = RunPlainly(context.kernel, c);
  if (small.fault) return *small.fault;
  const Case batch = Repeated(small.c, 12);
  const Outputs whole = reference::RunKernel(context.kernel, batch, {});
  const bool threads = context.kernel.kind != norm::Kind::kPlugIn;
  for (std::size_t parts : {2u, 3u, 5u}) {
    Outputs outputs = whole;
    std::vector<RangeFault> faults(parts);
    std::vector<std::jthread> pool;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto run = [&, part, parts] {
        RunRange(context.kernel, batch, batch.rows * part / parts, batch.rows * (part + 1) / parts, outputs, faults[part]);
      };
      if (threads) pool.emplace_back(run);
      else run();
    }
    pool.clear();
    for (const RangeFault& fault : faults) {
      if (fault.thrown) std::rethrow_exception(fault.thrown);
      if (!fault.refused.empty()) return Broken(fault.refused);
    }
    const LawResult same = CheckSame(batch, whole, outputs, fmt::format("12 rows in {} calls{}", parts, threads ? " on as many threads" : ""));
    if (same.state != LawResult::State::kKept) return same;
  }
  return {};
}

void PrepareRanges(Case& c) {
  KeepColumns(c, 130);
  MakeDense(c);
}

// The same rows backwards and doubled, then a narrower call: what a kernel might remember of.
std::vector<Case> OtherCalls(const Case& c) {
  Case backwards = Repeated(c, 2 * c.rows);
  std::ranges::reverse(backwards.x);
  Case narrow = c;
  KeepColumns(narrow, std::max<std::size_t>(1, c.width / 2));
  return {backwards, narrow};
}

LawResult CheckRepeatable(const LawContext& context, const Case& c) {
  const PlainRun run = RunPlainly(context.kernel, c);
  if (run.fault) return *run.fault;
  const LawResult second = CheckSame(run.c, run.outputs, reference::RunKernel(context.kernel, run.c, {}), "the same call again");
  if (second.state != LawResult::State::kKept) return second;
  for (const Case& other : OtherCalls(run.c)) {
    reference::RunKernel(context.kernel, other, {});
    const LawResult again = CheckSame(run.c, run.outputs, reference::RunKernel(context.kernel, run.c, {}), "the same call after another one");
    if (again.state != LawResult::State::kKept) return again;
  }
  return {};
}

}  // namespace

const Law kBatchSize = {"batch-size", "a row has the same bits among 1, 2, 3, 255, 256, 257 and 1000", IgnoresBatch, CheckBatchSize, PrepareNarrow, 4};
const Law kManyRows = {"many-rows", "65,537 narrow rows have the bits of their few different ones", IgnoresBatch, CheckManyRows, PrepareTiny, 40};
const Law kRowRanges = {"row-ranges", "rows dealt out to 2, 3 or 5 calls, on as many threads, have the same bits", IgnoresBatch, CheckRowRanges,
                        PrepareRanges, 2};
const Law kRepeatable = {"repeatable", "a call gives the same bits again, also after other calls", AppliesToAll, CheckRepeatable, PrepareRanges};

}  // namespace normcheck::properties

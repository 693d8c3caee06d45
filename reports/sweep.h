// The sweep: judges kernels on every cell of their plans, on several threads, with figures that do not depend on them.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/judge.h"
#include "reports/curves.h"
#include "reports/plan.h"

namespace normcheck::reports {

// An output beside the worst one, and what was wanted there.
struct RowElement {
  std::size_t row = 0;
  std::size_t index = 0;
  reference::Bits got = 0;
  reference::Bits want = 0;
};

// The worst element of a cell in the smallest case that still shows it: one row, or the whole case where the fault needs
// its other rows, its pitch or its neighbours.
struct WorstCase {
  Case c;
  reference::WorstElement element;  // row and index within c
  std::optional<reference::RowFacts> row;
  std::vector<reference::Diagnosis> diagnosis;
  std::vector<RowElement> near;     // the worst element, with two on each side where the row has them
};

struct CellResult {
  Cell cell;
  bool kept = true;                 // no verdict of the cell broke the contract
  std::string fault;                // the first fault of a whole call, e.g. padding written
  reference::Tally tally;
  std::optional<WorstCase> worst;   // nothing where nothing was judged
};

struct KernelResult {
  norm::Kernel kernel;
  reference::Contract contract;     // that judged it
  bool contract_given = false;      // by --contract
  std::vector<CellResult> cells;    // in the order of the plan; cells that an interrupt left out are missing
  std::vector<Curve> curves;
};

struct SweepProgress {
  std::size_t cells_done = 0;
  std::size_t cells_total = 0;
  double share = 0;                 // of the expected outputs, 0..1
};

struct SweepOptions {
  Mode mode = Mode::kDefault;
  Seed seed;
  std::optional<reference::Contract> contract;
  unsigned threads = 1;
  std::function<void(const SweepProgress&)> progress;  // after each cell, one call at a time
  const std::atomic<bool>* stop = nullptr;             // set: no new cell is begun
};

// One result per kernel, in order. Same kernels, mode and seed: same results for every number of threads.
std::vector<KernelResult> Sweep(std::span<const norm::Kernel> kernels, std::span<const Regression> regressions,
                                const SweepOptions& options);

// One cell by itself.
CellResult JudgeCell(const norm::Kernel& kernel, const Cell& cell, std::span<const Regression> regressions,
                     const SweepOptions& options);

}  // namespace normcheck::reports

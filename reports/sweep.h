// The sweep: judges kernels on every cell of their plans, on several threads, with figures that do not depend on them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/reproduce.h"
#include "reference/judge.h"
#include "reference/result.h"
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
  properties::Reproduction how = {};  // of a broken cell: how a kernel that was never called shows it; no diagnosis where not alone
};

struct CellResult {
  Cell cell;
  bool kept = true;                 // no verdict of the cell broke the contract
  std::string fault;                // the first fault of a whole call, e.g. padding written
  std::string harness_fault;        // the first reason why this program could not ask: no memory, process or time
  reference::Tally tally;
  std::map<std::string, std::uint64_t> left_out;  // outputs of cases that the kernel does not take, by reason
  std::optional<WorstCase> worst;   // nothing where nothing was judged
};

// A cell of a kernel's plan that is to be judged.
struct Job {
  std::size_t kernel = 0;   // index into the kernels of the sweep
  Cell cell;
  std::size_t weight = 0;   // ExpectedOutputs
};

// The shard's cells of all kernels, kernel by kernel in the order of their plans.
std::vector<Job> PlanJobs(std::span<const norm::Kernel> kernels, Mode mode, std::span<const Regression> regressions, Shard shard,
                          std::span<const double> epsilons = {});

struct SweepProgress {
  std::size_t cells_done = 0;
  std::size_t cells_total = 0;
  double share = 0;                 // of the expected outputs, 0..1
};

struct SweepOptions {
  Seed seed;
  std::optional<reference::Contract> contract;
  std::function<norm::Kernel(const norm::Kernel&)> fresh;  // the kernel without the state of earlier calls; empty: it keeps none
  // A kernel that was never called, for the worst cases of broken cells: a plug-in in a worker process of its own; nothing where no more
  // may be started. Empty: not asked.
  std::function<std::optional<norm::Kernel>(const norm::Kernel&)> restarted = {};
  // Whether earlier calls have decided about a case of this run: then only what a fresh kernel shows stands by itself.
  std::shared_ptr<std::atomic<bool>> state_seen = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<std::atomic<int>> searches = {};  // so many such cases more are searched for what shows them again; empty: all
  unsigned threads = 1;
  std::function<void(const SweepProgress&)> progress;  // after each cell, one call at a time
  const std::atomic<bool>* stop = nullptr;             // set: no new cell is begun
};

// Called with the index of a job and what it found, by several threads at once, in any order.
using TakeResult = std::function<void(std::size_t job, CellResult result)>;

// Judges the jobs, those of the greatest weight first. Same kernels, cells and seed: same results for every number
// of threads; each cell gets a fresh kernel.
// Error: a kernel threw instead of answering; the cell and the kernel are named, and no new cell is begun.
reference::Result<bool> Sweep(std::span<const Job> jobs, std::span<const norm::Kernel> kernels,
                              std::span<const Regression> regressions, const SweepOptions& options, const TakeResult& take);

// Every case of the cell that the kernel takes, as JudgeCell draws them.
void ForEachCase(const norm::Kernel& kernel, const Cell& cell, Seed seed, std::span<const Regression> regressions,
                 const std::function<void(const Case&)>& take);

// One cell by itself.
CellResult JudgeCell(const norm::Kernel& kernel, const Cell& cell, std::span<const Regression> regressions,
                     const SweepOptions& options);

}  // namespace normcheck::reports

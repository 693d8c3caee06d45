// Runs the sweep: a cell is the unit of work, and its cases are judged in order by one thread.
#include "reports/sweep.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "reference/outputs.h"
#include "reports/parallel.h"

namespace normcheck::reports {
namespace {

using reference::Verdict;
using reference::WorstElement;

// Larger cases are counted as not checked: 2^26 elements are 256 MB of float.
constexpr std::size_t kMaxBufferElements = std::size_t{1} << 26;
constexpr std::uint64_t kMostRepeats = 256;

// A broken promise first (it may be one of statistics or memory), a class fault before a number, then the error on the
// contract's scale, then row and element ulps.
bool IsWorse(const Verdict& a, const Verdict& b) {
  const auto rank = [](const Verdict& verdict) {
    const WorstElement& e = *verdict.worst;
    return std::tuple(!verdict.kept, !e.fault.empty(), e.bound_ratio.value_or(0), e.row_ulp.value_or(0), e.ulp.value_or(0));
  };
  return rank(a) > rank(b);
}

reference::JudgeOptions JudgeOptionsOf(const SweepOptions& options) {
  reference::JudgeOptions judge;
  judge.contract = options.contract;
  judge.diagnose = false;
  return judge;
}

std::vector<reference::Bits> Row(const std::vector<reference::Bits>& x, std::size_t row, std::size_t width) {
  const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * width);
  return {first, first + static_cast<std::ptrdiff_t>(width)};
}

Case CutToRow(const Case& c, std::size_t row) {
  Case cut = reference::MakeCase(c.op, c.formats, 1, c.width, c.epsilon);
  cut.x = Row(c.x, row, c.width);
  cut.gamma = c.gamma;
  cut.beta = c.beta;
  return cut;
}

std::vector<RowElement> NearWorst(const Verdict& verdict, std::size_t width) {
  constexpr std::size_t kEachSide = 2;
  const WorstElement& worst = *verdict.worst;
  const std::size_t first = worst.index - std::min(worst.index, kEachSide);
  std::vector<RowElement> near;
  for (std::size_t i = first; i < std::min(width, worst.index + kEachSide + 1); ++i) {
    const std::size_t at = worst.row * width + i;
    near.push_back({worst.row, i, verdict.got[at], verdict.want[at]});
  }
  return near;
}

// Judges the worst case once more, alone and with a diagnosis, cut to its row where that shows the same.
WorstCase Distil(const norm::Kernel& kernel, const Case& whole, const Verdict& seen, const SweepOptions& options) {
  reference::JudgeOptions judge = JudgeOptionsOf(options);
  judge.diagnose = judge.want_outputs = true;
  Case cut = CutToRow(whole, seen.worst->row);
  Verdict verdict = reference::Judge(kernel, cut, judge);
  const bool same = verdict.worst && verdict.worst->index == seen.worst->index && verdict.worst->got == seen.worst->got;
  if (same && verdict.kept == seen.kept)
    return {std::move(cut), *verdict.worst, verdict.row, std::move(verdict.diagnosis), NearWorst(verdict, whole.width), {}};
  verdict = reference::Judge(kernel, whole, judge);
  if (!verdict.worst) return {whole, *seen.worst, {}, {}, {}, {}};
  return {whole, *verdict.worst, verdict.row, std::move(verdict.diagnosis), NearWorst(verdict, whole.width), {}};
}

// Earlier calls or chance decide about it where a kernel that was never called keeps its contract on the case: then no formula explains it.
void FindReplay(const norm::Kernel& kernel, const SweepOptions& options, CellResult& result) {
  if (result.kept || !result.worst || !options.restarted) return;
  bool fresh = true;
  properties::Suspicion suspicion = properties::JudgeSuspicion(
      [&] {
        const std::optional<norm::Kernel> restarted = options.restarted(kernel);
        fresh = fresh && restarted.has_value();
        return restarted.value_or(kernel);
      },
      options.contract);
  WorstCase& worst = *result.worst;
  const bool alone = properties::ShowsBy(suspicion, {}, worst.c);
  if (alone && (fresh || !*options.state_seen)) return;
  *options.state_seen = true;
  suspicion.most_repeats = kMostRepeats;
  worst.how = {.kind = properties::Reproduced::kNever, .runs = 1};
  if (options.searches == nullptr || (*options.searches)-- > 0) worst.how = properties::Reproduce(suspicion, worst.c);
  if (worst.how.kind == properties::Reproduced::kAlone) worst.how = properties::RateOf(suspicion, worst.c);
  worst.diagnosis.clear();
  if (result.fault.empty()) result.fault = properties::ReproductionText(worst.how);
}

// What a cell gathers while its cases pass by.
struct CellRun {
  CellResult result;
  std::optional<Case> worst_case;
  Verdict worst;

  void Take(const Verdict& verdict, const Case& c) {
    result.tally.Merge(verdict.tally);
    result.kept = result.kept && (verdict.kept || verdict.not_supported);
    if (result.fault.empty()) result.fault = verdict.fault;
    if (!verdict.worst || (worst.worst && !IsWorse(verdict, worst))) return;
    worst = verdict;
    worst_case = c;
  }

  void LeaveOut(const std::string& why, const Case& c) {
    result.tally.not_checked += c.rows * c.width;
    result.left_out[why] += c.rows * c.width;
  }
};

std::string WhyLeftOut(const norm::Kernel& kernel, const Case& c) {
  return reference::BufferElements(c) > kMaxBufferElements ? "too large" : reference::WhyNotAsked(kernel, c);
}

void EachCase(const norm::Kernel& kernel, const Cell& cell, Seed seed, std::span<const Regression> regressions, const std::function<void(const Case&)>& take) {
  for (std::size_t i = 0; i < cell.draws; ++i) take(reference::DrawnFor(kernel, DrawCase(cell, seed, i)));
  for (std::size_t file : cell.files) take(regressions[file].c);
}

void JudgeInto(const norm::Kernel& kernel, const Case& c, const SweepOptions& options, CellRun& run) {
  if (!kernel.statistics) run.result.left_out["statistics"] += 0;
  if (const std::string why = WhyLeftOut(kernel, c); !why.empty()) return run.LeaveOut(why, c);
  const Verdict verdict = reference::Judge(kernel, c, JudgeOptionsOf(options));
  if (verdict.harness_failed && run.result.harness_fault.empty()) run.result.harness_fault = verdict.fault;
  if (verdict.not_supported) return run.LeaveOut(verdict.unasked, c);
  run.Take(verdict, c);
}

// Counts finished work and passes it on, one caller at a time.
class Meter {
 public:
  Meter(std::span<const Job> jobs, const SweepOptions& options) : options_(options) {
    progress_.cells_total = jobs.size();
    for (const Job& job : jobs) total_ += static_cast<double>(job.weight);
  }

  void Done(const Job& job) {
    const std::lock_guard lock(mutex_);
    done_ += static_cast<double>(job.weight);
    ++progress_.cells_done;
    progress_.share = done_ / total_;
    if (options_.progress) options_.progress(progress_);
  }

 private:
  const SweepOptions& options_;
  std::mutex mutex_;
  SweepProgress progress_;
  double done_ = 0;
  double total_ = 0;
};

// Long jobs first, so that no thread is left alone with one at the end.
std::vector<std::size_t> OrderOf(std::span<const Job> jobs) {
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return jobs[i].weight; });
  return order;
}

}  // namespace

void ForEachCase(const norm::Kernel& kernel, const Cell& cell, Seed seed, std::span<const Regression> regressions,
                 const std::function<void(const Case&)>& take) {
  EachCase(kernel, cell, seed, regressions, [&](const Case& c) {
    if (WhyLeftOut(kernel, c).empty()) take(c);
  });
}

CellResult JudgeCell(const norm::Kernel& kernel, const Cell& cell, std::span<const Regression> regressions,
                     const SweepOptions& options) {
  CellRun run;
  run.result.cell = cell;
  try {
    EachCase(kernel, cell, options.seed, regressions, [&](const Case& c) { JudgeInto(kernel, c, options, run); });
    if (run.worst_case) run.result.worst = Distil(kernel, *run.worst_case, run.worst, options);
    FindReplay(kernel, options, run.result);
  } catch (const std::bad_alloc&) {  // what was judged before stands
    run.result.harness_fault = "the system gives no memory";
  }
  return std::move(run.result);
}

std::vector<Job> PlanJobs(std::span<const norm::Kernel> kernels, Mode mode, std::span<const Regression> regressions, Shard shard,
                          std::span<const double> epsilons) {
  std::vector<Job> jobs;
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
    std::size_t index = 0;
    for (Cell& cell : PlanCells(kernels[kernel], mode, regressions, epsilons)) {
      const std::size_t weight = ExpectedOutputs(cell, regressions);
      if (shard.Takes(index++)) jobs.push_back({kernel, std::move(cell), weight});
    }
  }
  return jobs;
}

reference::Result<bool> Sweep(std::span<const Job> jobs, std::span<const norm::Kernel> kernels,
                              std::span<const Regression> regressions, const SweepOptions& options, const TakeResult& take) {
  const std::vector<std::size_t> order = OrderOf(jobs);
  Meter meter(jobs, options);
  return RunInParallel(order.size(), options.threads, options.stop, [&](std::size_t i) {
    const Job& job = jobs[order[i]];
    const norm::Kernel& kernel = kernels[job.kernel];
    try {
      take(order[i], JudgeCell(options.fresh ? options.fresh(kernel) : kernel, job.cell, regressions, options));
    } catch (const std::exception& error) {
      throw std::runtime_error("kernel " + kernel.name + ", cell " + CellId(job.cell) + ": " + error.what());
    }
    meter.Done(job);
  });
}

}  // namespace normcheck::reports

// The campaign's loop: budget, signals, status, summary.
#include "fuzz/campaign.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "fuzz/campaign_dir.h"
#include "fuzz/campaign_summary.h"
#include "fuzz/crew.h"
#include "fuzz/finding.h"
#include "fuzz/stop_signals.h"
#include "reference/case_json.h"
#include "reference/file_word.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{25};
constexpr double kStatusEvery = 1;   // seconds
constexpr double kSummaryEvery = 5;
constexpr const char* kAnyTarget = "fuzz_layer_norm";

std::vector<FormatWorst> WorstByFormat(const WorkerStats& stats) {
  std::map<norm::Format, reference::UlpQ20> worst;
  for (const auto& [cell, figures] : stats.cells) {
    reference::UlpQ20& known = worst[cell.formats.x];
    known = std::max(known, figures.worst_row_ulp);
  }
  std::vector<FormatWorst> formats;
  for (const auto& [format, row_ulp] : worst) formats.push_back({format, reference::FromQ20(row_ulp)});
  return formats;
}

// Turns counts into a status and keeps the summary on disk up to date.
class Watch {
 public:
  Watch(const CampaignOptions& options, const CampaignDir& dir, const std::vector<norm::Op>& ops)
      : options_(options), dir_(dir), ops_(ops), record_(dir.Summary().string()) {}

  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool Due() const { return Seconds() - last_.seconds >= kStatusEvery; }
  std::uint64_t sessions() const { return record_.sessions(); }

  // Before the workers start: what earlier runs could not check is theirs.
  void Begin(const Crew& crew) { not_checked_before_ = crew.Stats().not_checked; }

  const CampaignStatus& Take(const Crew& crew) {
    const WorkerStats stats = crew.Stats();
    CampaignStatus now;
    now.seconds = Seconds();
    now.executions = std::max(crew.Executions(), last_.executions);
    const double step = now.seconds - last_.seconds;
    now.executions_per_second = step > 0 ? static_cast<double>(now.executions - last_.executions) / step : 0;
    now.all_seconds = record_.seconds_before() + now.seconds;
    now.all_executions = stats.executions;
    now.not_checked = stats.not_checked - std::min(stats.not_checked, not_checked_before_);
    if (now.not_checked > 0) now.why_not_checked = stats.why_not_checked;
    now.corpus = dir_.CorpusSize();
    if (stats.judged > 0) now.worst_row_ulp = reference::FromQ20(stats.worst_row_ulp);
    if (stats.judged > 0) now.worst_bound_ratio = reference::FromQ20(stats.worst_bound_ratio);
    now.worst_by_format = WorstByFormat(stats);
    for (const CampaignFinding& finding : dir_.ListFindings(options_.kernel.name)) ++now.findings, ++now.buckets[finding.bucket];
    record_.Observe(now.all_seconds, stats);
    return last_ = now;
  }

  // Writes the summary where its time has come, and always at the end.
  std::optional<Error> Save(const Crew& crew, CampaignState state) {
    if (state == CampaignState::kRunning && Seconds() < next_save_) return std::nullopt;
    next_save_ = Seconds() + kSummaryEvery;
    const auto written = reference::WriteFileAtomically(
        dir_.Summary().string(), SummaryText({options_, dir_, ops_, crew.Stats(), record_, last_, crew.restarts(), state}));
    return written.ok() ? std::nullopt : std::optional(Error{written.error()});
  }

 private:
  Clock::time_point start_ = Clock::now();
  double next_save_ = 0;
  const CampaignOptions& options_;
  const CampaignDir& dir_;
  const std::vector<norm::Op>& ops_;
  CampaignRecord record_;
  CampaignStatus last_;
  std::uint64_t not_checked_before_ = 0;
};

std::vector<norm::Op> OpsOf(const norm::Kernel& kernel, std::optional<norm::Op> op) {
  if (!op) return kernel.ops;
  const bool supported = std::ranges::find(kernel.ops, *op) != kernel.ops.end();
  return supported ? std::vector<norm::Op>{*op} : std::vector<norm::Op>{};
}

std::optional<Error> MissingTarget(const std::string& fuzz_dir, const std::vector<norm::Op>& ops) {
  for (const norm::Op op : ops) {
    const fs::path program = fs::path(fuzz_dir) / ("fuzz_" + std::string(NameOf(op)));
    if (::access(program.c_str(), X_OK) != 0)
      return Error{program.string() + ": no fuzz target; build it: cmake --preset fuzz && cmake --build --preset fuzz"};
  }
  return std::nullopt;
}

// Ends with the budget, a signal, or the error of a worker that cannot run.
std::optional<Error> RunUntilSpent(Crew& crew, Watch& watch, const StopSignals& signals, const CampaignOptions& options,
                                   const std::function<void()>& show) {
  watch.Begin(crew);
  if (auto error = watch.Save(crew, CampaignState::kRunning)) return error;
  if (auto error = crew.Start()) return error;
  const auto spent = [&] { return options.budget.executions ? crew.Done() : watch.Seconds() >= options.budget.seconds; };
  while (!signals.Caught() && !spent()) {
    std::this_thread::sleep_for(kTick);
    if (auto error = crew.Tend()) return error;
    if (!watch.Due()) continue;
    show();
    if (auto error = watch.Save(crew, CampaignState::kRunning)) return error;
  }
  return std::nullopt;
}

fs::path ExecutableDir() {
  std::error_code fault;
  return fs::read_symlink("/proc/self/exe", fault).parent_path();
}

}  // namespace

Result<CampaignResult> RunCampaign(const CampaignOptions& options, const CampaignProgress& progress) {
  const std::vector<norm::Op> ops = OpsOf(options.kernel, options.op);
  if (ops.empty()) return Error{options.kernel.name + ": supports no such op; see normcheck kernels"};
  const auto fuzz_dir = options.fuzz_dir.empty() ? FindFuzzDir() : Result<std::string>(options.fuzz_dir);
  if (!fuzz_dir.ok()) return Error{fuzz_dir.error()};
  if (auto missing = MissingTarget(fuzz_dir.value(), ops)) return *missing;
  const std::string path = options.dir.empty() ? DefaultCampaignDir(options.kernel, options.op) : options.dir;
  const auto dir = CampaignDir::Open(path, options.kernel.name, ops);
  if (!dir.ok()) return Error{dir.error()};

  const StopSignals signals;
  Watch watch(options, dir.value(), ops);
  Crew crew(options, dir.value(), ops, fuzz_dir.value(), watch.sessions());
  CampaignResult result;
  const auto show = [&] {
    result.last = watch.Take(crew);
    if (progress) progress(result.last);
  };
  if (auto error = RunUntilSpent(crew, watch, signals, options, show)) return *error;
  crew.Stop();
  dir.value().RemoveDrafts();
  show();
  const CampaignState state = signals.Caught() ? CampaignState::kInterrupted : CampaignState::kDone;
  if (auto error = watch.Save(crew, state)) return *error;
  result.dir = path;
  result.findings = dir.value().ListFindings(options.kernel.name);
  result.resumed = dir.value().resumed();
  result.interrupted = signals.Caught();
  result.restarts = crew.restarts();
  return result;
}

std::string DefaultCampaignDir(const norm::Kernel& kernel, std::optional<norm::Op> op) {
  const std::string dir = "normcheck-fuzz/" + reference::FileWord(kernel.name);
  if (!op && kernel.ops.size() != 1) return dir;
  return dir + "-" + std::string(NameOf(op ? *op : kernel.ops.front()));
}

Result<std::string> FindFuzzDir() {
  const char* chosen = std::getenv("NORMCHECK_FUZZ_DIR");
  const fs::path here = ExecutableDir();
  const std::vector<fs::path> places = chosen && *chosen ? std::vector<fs::path>{chosen}
                                                         : std::vector<fs::path>{here / "../../fuzz/fuzz", here / "../fuzz"};
  for (const fs::path& place : places)
    if (::access((place / kAnyTarget).c_str(), X_OK) == 0) return place.lexically_normal().string();
  return Error{places.front().lexically_normal().string() +
               ": no fuzz targets; build them: cmake --preset fuzz && cmake --build --preset fuzz, or set NORMCHECK_FUZZ_DIR"};
}

}  // namespace normcheck::fuzz

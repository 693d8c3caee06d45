// The campaign's loop: budget, signals, status, summary.
#include "fuzz/campaign.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "fuzz/campaign_dir.h"
#include "fuzz/crew.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;
using reference::Result;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{25};
constexpr double kStatusEvery = 1;  // seconds
constexpr const char* kAnyTarget = "fuzz_layer_norm";

volatile sig_atomic_t stop_asked = 0;

// SIGINT and SIGTERM set a flag while one of these lives; then the earlier handlers are back.
class StopSignals {
 public:
  StopSignals() {
    stop_asked = 0;
    struct sigaction action = {};
    action.sa_handler = [](int) { stop_asked = 1; };
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &earlier_[i]);
  }
  ~StopSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &earlier_[i], nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  bool Caught() const { return stop_asked != 0; }

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> earlier_{};
};

// Turns counts into a status; keeps the last one for the rate.
class StatusClock {
 public:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool Due() const { return Seconds() - last_.seconds >= kStatusEvery; }

  const CampaignStatus& Take(const Crew& crew, const CampaignDir& dir, const std::string& kernel) {
    const WorkerStats stats = crew.Stats();
    CampaignStatus now;
    now.seconds = Seconds();
    now.executions = std::max(stats.executions, last_.executions);
    const double step = now.seconds - last_.seconds;
    now.executions_per_second = step > 0 ? static_cast<double>(now.executions - last_.executions) / step : 0;
    now.corpus = dir.CorpusSize();
    if (stats.judged > 0) now.worst_row_ulp = reference::FromQ20(stats.worst_row_ulp);
    if (stats.judged > 0) now.worst_bound_ratio = reference::FromQ20(stats.worst_bound_ratio);
    now.findings = dir.ListFindings(kernel).size();
    return last_ = now;
  }

 private:
  Clock::time_point start_ = Clock::now();
  CampaignStatus last_;
};

std::vector<norm::Op> OpsOf(const norm::Kernel& kernel, std::optional<norm::Op> op) {
  if (!op) return kernel.ops;
  const bool supported = std::ranges::find(kernel.ops, *op) != kernel.ops.end();
  return supported ? std::vector<norm::Op>{*op} : std::vector<norm::Op>{};
}

std::string FileName(std::string_view kernel) {
  std::string name(kernel);
  for (char& ch : name)
    if (ch == '/' || ch == ':' || ch == ' ') ch = '-';
  return name;
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
std::optional<Error> RunUntilSpent(Crew& crew, StatusClock& clock, const StopSignals& signals, const CampaignOptions& options,
                                   const std::function<void()>& show) {
  if (auto error = crew.Start()) return error;
  const auto spent = [&] { return options.budget.executions ? crew.Done() : clock.Seconds() >= options.budget.seconds; };
  while (!signals.Caught() && !spent()) {
    std::this_thread::sleep_for(kTick);
    if (auto error = crew.Tend()) return error;
    if (clock.Due()) show();
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
  Crew crew(options, dir.value(), ops, fuzz_dir.value());
  StatusClock clock;
  CampaignResult result;
  const auto show = [&] {
    result.last = clock.Take(crew, dir.value(), options.kernel.name);
    if (progress) progress(result.last);
  };
  if (auto error = RunUntilSpent(crew, clock, signals, options, show)) return *error;
  crew.Stop();
  show();
  result.dir = path;
  result.findings = dir.value().ListFindings(options.kernel.name);
  result.resumed = dir.value().resumed();
  result.interrupted = signals.Caught();
  result.restarts = crew.restarts();
  return result;
}

std::string DefaultCampaignDir(const norm::Kernel& kernel, std::optional<norm::Op> op) {
  const std::string dir = "normcheck-fuzz/" + FileName(kernel.name);
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

// normcheck report: sweeps kernels over their cells, or goes on with a sweep that was cut short.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <sstream>
#include <thread>

#include "properties/plug_in/plug_in.h"
#include "reference/case_json.h"
#include "reference/number.h"
#include "reports/cli/arguments.h"
#include "reports/cli/interrupt.h"
#include "reports/cli/print.h"
#include "reports/cli/report_arguments.h"
#include "reports/campaign_text.h"
#include "reports/cli/status_line.h"
#include "reports/gate.h"
#include "reports/laws.h"
#include "reports/own_rows.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;

// All that a sweep needs, read and checked.
struct Setup {
  std::vector<norm::Kernel> kernels;
  std::vector<Regression> regressions;
  std::optional<Shard> shard;
  std::vector<double> epsilons;
  SweepOptions options;
  Mode mode = Mode::kDefault;
  bool asks_laws = true;
  Json baseline;

  const reference::Contract& ContractOf(const norm::Kernel& kernel) const { return options.contract ? *options.contract : kernel.contract; }
};

Result<std::optional<Shard>> ParseShard(const std::string& text) {
  if (text.empty()) return std::optional<Shard>();
  Shard shard;
  const char* end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, shard.index);
  const bool slash = index.ec == std::errc{} && index.ptr != end && *index.ptr == '/';
  const auto count = slash ? std::from_chars(index.ptr + 1, end, shard.count) : index;
  const bool whole = slash && count.ec == std::errc{} && count.ptr == end;
  if (!whole || shard.index < 1 || shard.index > shard.count || shard.count > kMaxShards)
    return Error{"--shard " + text + ": write i/n with 1 <= i <= n, such as 2/8"};
  return std::optional(shard);
}

// The items of a list with commas, empty ones too.
std::vector<std::string> ItemsOf(const std::vector<std::string>& lists) {
  std::vector<std::string> items;
  for (const std::string& list : lists) {
    std::istringstream rest(list + ",");
    for (std::string item; std::getline(rest, item, ',');) items.push_back(item);
  }
  return items;
}

Result<std::vector<double>> ParseEpsilons(const std::vector<std::string>& lists) {
  std::vector<double> epsilons;
  for (const std::string& text : ItemsOf(lists)) {
    const Result<double> epsilon = reference::ParseEpsilon(text);
    if (!epsilon.ok()) return Error{"--epsilons: " + epsilon.error()};
    if (std::ranges::find(epsilons, epsilon.value()) != epsilons.end()) return Error{"--epsilons: " + text + " is there twice"};
    epsilons.push_back(epsilon.value());
  }
  return epsilons;
}

Result<bool> AddOwnRows(const ReportArguments& arguments, Setup& setup) {
  const bool wanted = !arguments.x.empty();
  if (!wanted && arguments.gamma.empty() && arguments.beta.empty() && arguments.epsilon.empty()) return true;
  if (!wanted) return Error{"--x: missing; --gamma, --beta and --epsilon belong to the rows of --x X.npy"};
  if (arguments.epsilon.empty()) return Error{"--epsilon: missing; say with which epsilon the rows of --x are normalised"};
  const Result<double> epsilon = reference::ParseEpsilon(arguments.epsilon);
  if (!epsilon.ok()) return Error{"--epsilon: " + epsilon.error()};
  auto rows = ReadOwnRows({arguments.x, arguments.gamma, arguments.beta, epsilon.value()}, setup.kernels);
  if (!rows.ok()) return Error{rows.error()};
  std::ranges::move(rows.value(), std::back_inserter(setup.regressions));
  return true;
}

GatedRun GatedRunOf(const Setup& setup) {
  GatedRun run{setup.mode, setup.options.seed, {}};
  for (const norm::Kernel& kernel : setup.kernels)
    run.kernels.emplace_back(kernel.name, reference::ContractText(setup.ContractOf(kernel)));
  return run;
}

Result<bool> ReadInputs(const ReportArguments& arguments, Setup& setup) {
  auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Error{kernels.error()};
  setup.kernels = std::move(kernels).value();
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Error{contract.error()};
  setup.options.contract = contract.value();
  const auto shard = ParseShard(arguments.shard);
  if (!shard.ok()) return Error{shard.error()};
  setup.shard = shard.value();
  auto epsilons = ParseEpsilons(arguments.epsilons);
  if (!epsilons.ok()) return Error{epsilons.error()};
  setup.epsilons = std::move(epsilons).value();
  auto regressions = properties::ReadRegressions(properties::RegressionsDir());
  if (!regressions.ok()) return Error{regressions.error()};
  setup.regressions = std::move(regressions).value();
  return AddOwnRows(arguments, setup);
}

constexpr int kMostSearches = 32;
constexpr int kSlowStarts = 16;

// Programs may need a second for a start: after so many of them there is none.
std::function<std::optional<norm::Kernel>(const norm::Kernel&)> Restarted() {
  return [starts = std::make_shared<std::atomic<int>>(0)](const norm::Kernel& kernel) -> std::optional<norm::Kernel> {
    const bool slow = !properties::plug_in::SeesTheCallersArrays(kernel);
    if (slow && ++*starts > kSlowStarts) return std::nullopt;
    return FreshKernel(kernel);
  };
}

Result<Setup> Prepare(const ReportArguments& arguments) {
  Setup setup;
  setup.mode = arguments.mode();
  setup.asks_laws = !arguments.no_laws;
  setup.options.seed = {arguments.seed};
  setup.options.threads = std::max(1u, std::thread::hardware_concurrency());
  setup.options.stop = &CatchInterrupts();
  setup.options.fresh = [](const norm::Kernel& kernel) { return kernel.kind == norm::Kind::kPlugIn ? kernel : FreshKernel(kernel); };
  setup.options.restarted = Restarted();
  setup.options.searches = std::make_shared<std::atomic<int>>(kMostSearches);
  const Result<bool> read = ReadInputs(arguments, setup);
  if (!read.ok()) return Error{read.error()};
  const Result<bool> stay = CheckInputsStay(arguments);
  if (!stay.ok()) return Error{stay.error()};
  auto baseline = ReadBaseline(arguments, GatedRunOf(setup));
  if (!baseline.ok()) return Error{baseline.error()};
  setup.baseline = std::move(baseline).value();
  const Result<bool> target = CheckBaselineTarget(arguments.baseline);
  if (!target.ok()) return Error{target.error()};
  return setup;
}

// Size and time of last change, which tell one build or input from another.
std::string StampOf(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return "absent";
  return fmt::format("{} {}.{:09}", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

Json IdentityOf(const Setup& setup, const ReportArguments& arguments) {
  Json identity = {{"program", StampOf("/proc/self/exe")}, {"mode", NameOf(setup.mode)}, {"seed", setup.options.seed.value},
                   {"shard", arguments.shard}, {"regressions", properties::RegressionsDir()}, {"epsilon", arguments.epsilon}, {"epsilons", arguments.epsilons}};
  for (const norm::Kernel& kernel : setup.kernels)
    identity["kernels"].push_back({kernel.name, reference::ContractText(setup.ContractOf(kernel)), StampOf(kernel.name)});
  for (const std::string& file : {arguments.x, arguments.gamma, arguments.beta})
    if (!file.empty()) identity["files"].push_back({file, StampOf(file)});
  return identity;
}

std::string KeyOf(const norm::Kernel& kernel, const Cell& cell) { return kernel.name + " " + CellId(cell); }

void Keep(ReportDraft& draft, const norm::Kernel& kernel, CellResult result, Seed seed) {
  std::string file, text;
  if (result.worst) {
    result.worst->c.source = fmt::format("worst of cell {}, seed {}", CellId(result.cell), seed.value);
    file = WorstFile(kernel.name, result.cell);
    text = reference::CaseText(result.worst->c);
  }
  draft.Put(KeyOf(kernel, result.cell), CellJson(kernel, result), file, text);
}

std::string KeyOf(const norm::Kernel& kernel, const properties::Law& law) {
  return fmt::format("{} law {}", kernel.name, law.name);
}

void Keep(ReportDraft& draft, const norm::Kernel& kernel, const properties::Law& law, properties::LawRun run, Seed seed) {
  std::string file, text;
  if (run.shrunk) {
    run.shrunk->source = fmt::format("breaks law {}, seed {}", law.name, seed.value);
    file = LawFile(kernel.name, law.name);
    text = reference::CaseText(*run.shrunk);
  }
  draft.Put(KeyOf(kernel, law), LawJson(run, file), file, text);
}

std::string ProgressText(const SweepProgress& progress, double elapsed) {
  const double left = progress.share > 0 ? elapsed / progress.share - elapsed : 0;
  return fmt::format("report: {:3.0f} %, {} of {} cells, {} left", 100 * progress.share, progress.cells_done,
                     progress.cells_total, DurationText(left));
}

// Judges what the draft lacks. False: interrupted.
Result<bool> RunSweep(const std::vector<Job>& jobs, Setup& setup, ReportDraft& draft) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  std::vector<Job> open;
  for (const Job& job : jobs)
    if (draft.Find(KeyOf(setup.kernels[job.kernel], job.cell)) == nullptr) open.push_back(job);
  if (open.size() < jobs.size()) PrintMessage("report: goes on with {} of {} cells done\n", jobs.size() - open.size(), jobs.size());
  StatusLine line;
  std::size_t done = 0;
  setup.options.progress = [&](const SweepProgress& progress) {
    done = progress.cells_done;
    line.Show(ProgressText(progress, elapsed()));
  };
  const Result<bool> swept = Sweep(open, setup.kernels, setup.regressions, setup.options, [&](std::size_t job, CellResult result) {
    Keep(draft, setup.kernels[open[job].kernel], std::move(result), setup.options.seed);
  });
  line.Clear();
  if (!swept.ok()) return Error{swept.error()};
  PrintMessage("report: {} cells in {}, mode {}, seed {}\n", done, DurationText(elapsed()), NameOf(setup.mode),
             setup.options.seed.value);
  return done == open.size();
}

// Of a sharded run the first shard asks the laws.
std::vector<LawJob> LawsOf(const Setup& setup) {
  const bool elsewhere = setup.shard && setup.shard->index != 1;
  return setup.asks_laws && !elsewhere ? PlanLaws(setup.kernels.size()) : std::vector<LawJob>();
}

// Asks the laws that the draft lacks. False: interrupted.
Result<bool> RunLaws(const Setup& setup, ReportDraft& draft) {
  std::vector<LawJob> open = LawsOf(setup);
  std::erase_if(open, [&](const LawJob& job) { return draft.Find(KeyOf(setup.kernels[job.kernel], *job.law)) != nullptr; });
  const auto start = std::chrono::steady_clock::now();
  StatusLine line;
  line.Show(fmt::format("report: asks {} laws", open.size()));
  std::atomic<std::size_t> done = 0;
  const LawOptions options{setup.mode, setup.options.seed,    setup.options.contract,
                           FreshKernel, setup.options.threads, setup.options.stop};
  const Result<bool> asked = AskLaws(open, setup.kernels, options, [&](std::size_t i, properties::LawRun run) {
    Keep(draft, setup.kernels[open[i].kernel], *open[i].law, std::move(run), setup.options.seed);
    ++done;
  });
  line.Clear();
  if (!asked.ok()) return asked;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!open.empty()) PrintMessage("report: {} laws in {}\n", done.load(), DurationText(elapsed.count()));
  return done == open.size();
}

// An interrupted report has no curves: they take a slow kernel a minute.
std::vector<Curve> CurvesOf(const norm::Kernel& kernel, const Setup& setup, bool interrupted) {
  if (interrupted) return {};
  return MeasureCurves(setup.options.fresh(kernel), setup.options.contract, setup.options.seed);
}

Report Collect(const std::vector<Job>& jobs, const Setup& setup, const ReportDraft& draft, bool interrupted) {
  Report report;
  report.interrupted = interrupted;
  report.environment = DescribeEnvironment(setup.options.threads);
  report.mode = setup.mode;
  report.seed = setup.options.seed;
  report.shard = setup.shard;
  for (const norm::Kernel& kernel : setup.kernels)
    report.kernels.push_back({kernel, setup.ContractOf(kernel), setup.options.contract.has_value(),
                              PlanCells(kernel, setup.mode, setup.regressions, setup.epsilons).size(),
                              CurvesOf(kernel, setup, interrupted), {}, {}});
  for (const Job& job : jobs)
    if (const Json* cell = draft.Find(KeyOf(setup.kernels[job.kernel], job.cell))) report.kernels[job.kernel].cells.push_back(*cell);
  for (const LawJob& job : LawsOf(setup))
    if (const Json* law = draft.Find(KeyOf(setup.kernels[job.kernel], *job.law))) report.kernels[job.kernel].laws.push_back(*law);
  return report;
}

}  // namespace

ExitCode SweepAndReport(const ReportArguments& arguments) {
  if (!arguments.shard.empty() && !(arguments.gate.empty() && arguments.baseline.empty()))
    return Say(ExitCode::kWrongUse, "--shard: one shard has no gate or baseline; give --gate or --baseline to --merge");
  Result<Setup> prepared = Prepare(arguments);
  if (!prepared.ok()) return Say(ExitCode::kWrongUse, prepared.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  Setup setup = std::move(prepared).value();
  const auto draft = ReportDraft::Open(arguments.folder(), IdentityOf(setup, arguments));
  if (!draft.ok()) return Say(ExitCode::kWrongUse, draft.error());
  const std::vector<Job> jobs = PlanJobs(setup.kernels, setup.mode, setup.regressions, setup.shard.value_or(Shard{}),
                                          setup.epsilons);
  const Result<bool> whole = RunSweep(jobs, setup, *draft.value());
  if (!whole.ok()) return Say(ExitCode::kWrongUse, whole.error() + "; nothing is written");
  const Result<bool> asked = RunLaws(setup, *draft.value());
  if (!asked.ok()) return Say(ExitCode::kWrongUse, asked.error() + "; nothing is written");
  Report report;
  try {
    report = Collect(jobs, setup, *draft.value(), !whole.value() || !asked.value());
  } catch (const std::exception& error) {
    return Say(ExitCode::kWrongUse, std::string("curves: ") + error.what() + "; nothing is written");
  }
  return FinishReport(*draft.value(), ReportJson(report, arguments.folder()), setup.baseline, arguments);
}

}  // namespace normcheck::reports

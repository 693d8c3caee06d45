// normcheck report: sweeps kernels over every cell and writes the report.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "reports/cli/arguments.h"
#include "reports/cli/interrupt.h"
#include "reports/campaign_text.h"
#include "reports/cli/status_line.h"
#include "reports/cli/verbs.h"
#include "reports/report_text.h"
#include "reports/write_report.h"

namespace normcheck::reports {
namespace {

struct ReportArguments {
  std::vector<std::string> kernels;
  bool quick = false;
  bool full = false;
  std::uint64_t seed = 1;
  std::string out = "./normcheck-report";
  std::string contract;

  Mode mode() const { return quick ? Mode::kQuick : full ? Mode::kFull : Mode::kDefault; }
};

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string ProgressText(const SweepProgress& progress, double elapsed) {
  const double left = progress.share > 0 ? elapsed / progress.share - elapsed : 0;
  return fmt::format("report: {:3.0f} %, {} of {} cells, {} left", 100 * progress.share, progress.cells_done,
                     progress.cells_total, DurationText(left));
}

Report RunSweep(const std::vector<norm::Kernel>& kernels, const std::vector<Regression>& regressions, SweepOptions options) {
  const auto start = std::chrono::steady_clock::now();
  StatusLine line;
  std::size_t done = 0, total = 0;
  options.progress = [&](const SweepProgress& progress) {
    done = progress.cells_done;
    total = progress.cells_total;
    line.Show(ProgressText(progress, SecondsSince(start)));
  };
  Report report;
  report.environment = DescribeEnvironment(options.threads);
  report.mode = options.mode;
  report.seed = options.seed;
  report.kernels = Sweep(kernels, regressions, options);
  for (KernelResult& kernel : report.kernels) kernel.curves = MeasureCurves(kernel.kernel, options.contract, options.seed);
  report.interrupted = done < total || (total == 0 && options.stop->load());
  line.Clear();
  fmt::print(stderr, "report: {} cells in {}, mode {}, seed {}\n", done, DurationText(SecondsSince(start)),
             NameOf(options.mode), options.seed.value);
  return report;
}

// Broken, unfinished, or with a kernel on which nothing was judged.
ExitCode Answer(const Report& report) {
  ExitCode code = ExitCode::kKept;
  for (const KernelResult& kernel : report.kernels) {
    const bool kept = std::ranges::all_of(kernel.cells, &CellResult::kept);
    const bool judged = std::ranges::any_of(kernel.cells, [](const CellResult& cell) { return cell.tally.judged > 0; });
    if (!kept) code = Graver(code, ExitCode::kBroken);
    if (!judged) code = Graver(code, Say(ExitCode::kNotChecked, kernel.kernel.name + ": nothing that it supports could be judged"));
  }
  if (report.interrupted) code = Graver(code, Say(ExitCode::kNotChecked, "interrupted: the report lacks cells, and says so"));
  return code;
}

ExitCode Finish(const Report& report, const ReportArguments& arguments) {
  const Json json = ReportJson(report, arguments.out);
  const ExitCode answer = Answer(report);
  const auto written = WriteReport(report, json, arguments.out);
  if (!written.ok()) return Say(ExitCode::kWrongUse, written.error());
  if (!written.value().plotted) Say(answer, "the page has no chart: gnuplot is missing (apt-get install gnuplot-nox)");
  fmt::print("{}\n{}\n", ReportTable(json), written.value().page);
  return answer;
}

ExitCode MakeReport(const ReportArguments& arguments) {
  const auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Say(ExitCode::kWrongUse, kernels.error());
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Say(ExitCode::kWrongUse, contract.error());
  const auto target = CheckTarget(arguments.out);
  if (!target.ok()) return Say(ExitCode::kWrongUse, target.error());
  const auto regressions = properties::ReadRegressions(properties::RegressionsDir());
  if (!regressions.ok()) return Say(ExitCode::kWrongUse, regressions.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  SweepOptions options;
  options.mode = arguments.mode();
  options.seed = {arguments.seed};
  options.contract = contract.value();
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.stop = &CatchInterrupts();
  return Finish(RunSweep(kernels.value(), regressions.value(), options), arguments);
}

}  // namespace

void AddReport(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = app.add_subcommand("report", "sweep kernels over all families, widths, formats and epsilons");
  verb->add_option("--kernel", arguments->kernels, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND; may be repeated (default: all production kernels)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* quick = verb->add_flag("--quick", arguments->quick, "under a minute on two cores");
  verb->add_flag("--full", arguments->full, "under an hour on two cores")->excludes(quick);
  verb->add_option("--seed", arguments->seed, "seed of the cases")->check(CLI::NonNegativeNumber)->capture_default_str();
  verb->add_option("--out", arguments->out, "folder of the report")->capture_default_str();
  verb->add_option("--contract", arguments->contract, "judge under this contract instead of the kernels' own");
  verb->callback([arguments, &code] { code = MakeReport(*arguments); });
}

}  // namespace normcheck::reports

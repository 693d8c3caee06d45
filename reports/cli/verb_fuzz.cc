// normcheck fuzz: runs fuzz campaigns with a live status line and sums them up.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

#include "fuzz/campaign.h"
#include "fuzz/campaign_export.h"
#include "reference/operations/operations.h"
#include "reports/campaign_page.h"
#include "reports/campaign_text.h"
#include "reports/cli/arguments.h"
#include "reports/cli/options.h"
#include "reports/cli/print.h"
#include "reports/cli/status_line.h"
#include "reports/cli/verbs.h"
#include "reports/report.h"
#include "reports/summary.h"

namespace normcheck::reports {
namespace {

struct FuzzArguments {
  std::vector<std::string> kernels;
  std::string op;
  std::string time = "60s";
  std::optional<std::uint64_t> runs;
  int jobs = 0;
  std::string dir;
  std::uint64_t seed = 1;
  std::string export_dir;
  bool minimize = false;
  bool run = false;  // --time or --runs was given
};

constexpr std::size_t kLineWidth = 79;
constexpr double kPagesEvery = 30;  // seconds

// "19 found: statistics 6 eps-after-root 5 ...", the most frequent first, as many as the room takes.
std::string BucketsText(const fuzz::CampaignStatus& status, std::size_t room) {
  std::vector<std::pair<std::string, std::size_t>> buckets(status.buckets.begin(), status.buckets.end());
  std::ranges::stable_sort(buckets, std::greater<>{}, &std::pair<std::string, std::size_t>::second);
  std::string text = fmt::format("{} found{}", status.findings, buckets.empty() ? "" : ":");
  for (const auto& [bucket, count] : buckets) {
    const std::string next = fmt::format(" {} {}", bucket, count);
    if (text.size() + next.size() + 4 > room) return text + " ...";
    text += next;
  }
  return text;
}

std::string WorstText(const fuzz::CampaignStatus& status) {
  std::string text;
  for (const fuzz::FormatWorst& worst : status.worst_by_format)
    text += fmt::format(" {} {}", norm::TraitsOf(worst.x).name, UlpText(worst.row_ulp));
  return text.empty() ? " -" : text;
}

// Elapsed, rate, corpus, worst row ulps by format of x, findings by bucket; within 79 columns.
std::string StatusText(const fuzz::CampaignStatus& status) {
  const std::string head = fmt::format("{} {}/s corpus {} ulp{} ", DurationText(status.seconds),
                                       CountText(static_cast<std::uint64_t>(status.executions_per_second)), status.corpus, WorstText(status));
  return head + BucketsText(status, kLineWidth > head.size() ? kLineWidth - head.size() : 0);
}

void PrintSummary(const std::string& kernel, const fuzz::CampaignResult& result) {
  const fuzz::CampaignStatus& last = result.last;
  const double rate = last.seconds > 0 ? static_cast<double>(last.executions) / last.seconds : 0;
  Print("{}: {} runs in {}, {}/s, corpus {}\n", kernel, CountText(last.executions), DurationText(last.seconds),
             CountText(static_cast<std::uint64_t>(rate)), last.corpus);
  if (result.resumed)
    Print("  with earlier sessions: {} runs in {}\n", CountText(last.all_executions), DurationText(last.all_seconds));
  Print("  worst row ulps:{}; {:.3g} of the bound\n", WorstText(last), last.worst_bound_ratio.value_or(0));
  Print("  {} {}\n", result.resumed ? "resumed in" : "kept in", result.dir);
  if (result.restarts > 0) Print("  workers restarted {} times\n", result.restarts);
  if (result.interrupted) Print("  interrupted; the same command goes on from here\n");
  for (const fuzz::CampaignFinding& finding : result.findings)
    Print("  finding {}\n    replay {}\n", finding.signature, finding.replay);
}

// Page and Markdown; without gnuplot they are made without the chart, and that is said.
ExitCode WritePages(const std::string& dir) {
  const auto pages = WriteCampaignPages(dir);
  if (!pages.ok()) return Say(ExitCode::kWrongUse, pages.error());
  Print("  summary {}\n", pages.value().page);
  return pages.value().has_plot ? ExitCode::kKept : Say(ExitCode::kNotChecked, "the page has no chart: gnuplot is missing; install gnuplot-nox");
}

ExitCode Export(const norm::Kernel& kernel, const std::string& dir, const std::string& target) {
  const auto written = fuzz::ExportFindings(dir, kernel, target);
  if (!written.ok()) return Say(ExitCode::kWrongUse, written.error());
  for (const std::string& file : written.value()) Print("  exported {}\n", file);
  return written.value().empty() ? ExitCode::kKept : ExitCode::kBroken;
}

ExitCode Minimize(const fuzz::CampaignOptions& options, bool& interrupted) {
  const auto minimized = fuzz::MinimizeCorpus(options);
  if (!minimized.ok()) return Say(ExitCode::kWrongUse, minimized.error());
  interrupted = minimized.value().interrupted;
  if (interrupted) return Say(ExitCode::kNotChecked, "minimizing was interrupted; the corpus is as it was");
  Print("{}: corpus minimized from {} to {} inputs\n", options.kernel.name, minimized.value().before, minimized.value().after);
  return ExitCode::kKept;
}

ExitCode RunFuzzer(const fuzz::CampaignOptions& options, bool& interrupted) {
  const norm::Kernel& kernel = options.kernel;
  if (options.op && std::ranges::find(kernel.ops, *options.op) == kernel.ops.end())
    return Say(ExitCode::kNotChecked, fmt::format("{}: does not support {}", kernel.name, norm::NameOf(*options.op)));
  PrintMessage("fuzzing {} in {}, seed {}\n", kernel.name, options.dir, options.seed);
  StatusLine line;
  double next_pages = kPagesEvery;
  const auto result = fuzz::RunCampaign(options, [&](const fuzz::CampaignStatus& status) {
    line.Show(StatusText(status));
    if (status.seconds < next_pages) return;
    next_pages = status.seconds + kPagesEvery;
    static_cast<void>(WriteCampaignPages(options.dir));  // the last ones, at the end, must succeed
  });
  line.Clear();
  if (!result.ok()) return Say(ExitCode::kWrongUse, result.error());
  PrintSummary(kernel.name, result.value());
  ExitCode code = WritePages(options.dir);
  std::fflush(stdout);
  interrupted = result.value().interrupted;
  const fuzz::CampaignStatus& last = result.value().last;
  if (last.not_checked > 0)
    code = Graver(code, Say(ExitCode::kNotChecked, fmt::format("{}: {} inputs not checked: {}", kernel.name, last.not_checked, last.why_not_checked)));
  if (!result.value().findings.empty()) return Graver(code, ExitCode::kBroken);
  if (result.value().last.executions > 0) return code;
  return Graver(code, Say(ExitCode::kNotChecked, kernel.name + ": no input was run; give it more time"));
}

// What was asked for beside or instead of a run; these need a campaign that is there.
ExitCode FuzzKernel(const norm::Kernel& kernel, fuzz::CampaignOptions options, const FuzzArguments& arguments, bool& interrupted) {
  options.kernel = kernel;
  if (options.dir.empty()) options.dir = fuzz::DefaultCampaignDir(kernel, options.op);
  const bool after_only = (arguments.minimize || !arguments.export_dir.empty()) && !arguments.run && fuzz::HoldsCampaign(options.dir);
  ExitCode code = after_only ? ExitCode::kKept : RunFuzzer(options, interrupted);
  if (code == ExitCode::kWrongUse) return code;
  if (arguments.minimize && !interrupted) code = Graver(code, Minimize(options, interrupted));
  if (!arguments.export_dir.empty()) code = Graver(code, Export(kernel, options.dir, arguments.export_dir));
  return code;
}

// Fills what the words say; the error is wrong use.
reference::Result<fuzz::CampaignOptions> OptionsOf(const FuzzArguments& arguments) {
  fuzz::CampaignOptions options;
  const auto seconds = fuzz::ParseDuration(arguments.time);
  if (!seconds.ok()) return reference::Error{"--time: " + seconds.error()};
  options.budget = {seconds.value(), arguments.runs};
  options.op = norm::OpNamed(arguments.op);
  if (!arguments.op.empty() && !options.op)
    return reference::Error{"--op " + arguments.op + ": unknown; one of " + reference::OpNames()};
  options.jobs = arguments.jobs;
  options.dir = arguments.dir;
  options.seed = arguments.seed;
  const unsigned jobs = arguments.jobs > 0 ? static_cast<unsigned>(arguments.jobs) : std::max(1u, std::thread::hardware_concurrency());
  options.environment = DescribeEnvironment(jobs);
  return options;
}

// Kernels that cannot run the op asked for are left out where none was named.
std::vector<norm::Kernel> Chosen(std::vector<norm::Kernel> kernels, const FuzzArguments& arguments, std::optional<norm::Op> op) {
  if (!arguments.kernels.empty() || !op) return kernels;
  std::erase_if(kernels, [&](const norm::Kernel& kernel) { return std::ranges::find(kernel.ops, *op) == kernel.ops.end(); });
  return kernels;
}

ExitCode FuzzKernels(const FuzzArguments& arguments) {
  auto options = OptionsOf(arguments);
  if (!options.ok()) return Say(ExitCode::kWrongUse, options.error());
  const auto named = KernelsNamed(arguments.kernels);
  if (!named.ok()) return Say(ExitCode::kWrongUse, named.error());
  const std::vector<norm::Kernel> kernels = Chosen(named.value(), arguments, options.value().op);
  if (kernels.size() > 1 && !arguments.dir.empty())
    return Say(ExitCode::kWrongUse, "--dir: holds one kernel's campaign; name one with --kernel");
  if (const auto refused = RefuseToJudge()) return *refused;
  const auto fuzz_dir = fuzz::FindFuzzDir();
  if (!fuzz_dir.ok()) return Say(ExitCode::kNotChecked, fuzz_dir.error());
  fuzz::CampaignOptions ready = std::move(options).value();
  ready.fuzz_dir = fuzz_dir.value();
  ExitCode code = ExitCode::kKept;
  bool interrupted = false;
  for (const norm::Kernel& kernel : kernels)
    if (!interrupted) code = Graver(code, FuzzKernel(kernel, ready, arguments, interrupted));
  return code;
}

}  // namespace

void AddFuzz(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<FuzzArguments>();
  CLI::App* verb = app.add_subcommand("fuzz", "search for the rows on which a kernel breaks its promise");
  verb->add_option("--kernel", arguments->kernels, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND; may be repeated (default: the correctly rounded production kernels)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--op", arguments->op, reference::OpNames() + " (default: every op of the kernel)");
  CLI::Option* time = verb->add_option("--time", arguments->time, "per kernel: 60s, 10m, 2h")->capture_default_str();
  AddCount(*verb, "--runs", arguments->runs, 1, std::uint64_t{1} << 62, "per kernel: executions instead of time")->excludes(time);
  AddCount(*verb, "--jobs", arguments->jobs, 1, 1024, "worker processes (default: one per core)");
  verb->add_option("--dir", arguments->dir, "where the campaign lives; a second run resumes it");
  AddSeed(*verb, arguments->seed, "seed of the workers");
  verb->add_option("--export", arguments->export_dir,
                   "copy the findings here as regression cases; of a campaign that is there already unless --time or --runs is given");
  verb->add_flag("--minimize", arguments->minimize, "merge the corpus and keep every worst row; without a run, as --export");
  verb->callback([arguments, time, &code] {
    arguments->run = time->count() > 0 || arguments->runs.has_value();
    code = FuzzKernels(*arguments);
  });
}

}  // namespace normcheck::reports

// normcheck fuzz: runs fuzz campaigns with a live status line and sums them up.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "fuzz/campaign.h"
#include "reports/cli/arguments.h"
#include "reports/cli/status_line.h"
#include "reports/cli/verbs.h"
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
};

std::string StatusText(const std::string& kernel, const fuzz::CampaignStatus& status) {
  const std::string ratio = status.worst_bound_ratio ? fmt::format(" ({:.3g} of the bound)", *status.worst_bound_ratio) : "";
  return fmt::format("{}: {}, {} runs, {:.0f}/s, corpus {}, worst {} row ulps{}, {} findings", kernel,
                     DurationText(status.seconds), CountText(status.executions), status.executions_per_second, status.corpus,
                     UlpText(status.worst_row_ulp), ratio, status.findings);
}

void PrintSummary(const std::string& kernel, const fuzz::CampaignResult& result) {
  fmt::print("{}\n", StatusText(kernel, result.last));
  fmt::print("  {} {}\n", result.resumed ? "resumed in" : "kept in", result.dir);
  if (result.restarts > 0) fmt::print("  workers restarted {} times\n", result.restarts);
  if (result.interrupted) fmt::print("  interrupted; the same command goes on from here\n");
  for (const fuzz::CampaignFinding& finding : result.findings)
    fmt::print("  finding {}\n    replay {}\n", finding.signature, finding.replay);
}

ExitCode FuzzKernel(const norm::Kernel& kernel, fuzz::CampaignOptions options, bool& interrupted) {
  options.kernel = kernel;
  if (options.op && std::ranges::find(kernel.ops, *options.op) == kernel.ops.end())
    return Say(ExitCode::kNotChecked, fmt::format("{}: does not support {}", kernel.name, norm::NameOf(*options.op)));
  StatusLine line;
  const auto result = fuzz::RunCampaign(
      options, [&](const fuzz::CampaignStatus& status) { line.Show(StatusText(kernel.name, status)); });
  line.Clear();
  if (!result.ok()) return Say(ExitCode::kWrongUse, result.error());
  PrintSummary(kernel.name, result.value());
  std::fflush(stdout);
  interrupted = result.value().interrupted;
  if (!result.value().findings.empty()) return ExitCode::kBroken;
  return result.value().last.executions > 0 ? ExitCode::kKept
                                            : Say(ExitCode::kNotChecked, kernel.name + ": no input was run; give it more time");
}

// Fills what the words say; the error is wrong use.
reference::Result<fuzz::CampaignOptions> OptionsOf(const FuzzArguments& arguments) {
  fuzz::CampaignOptions options;
  const auto seconds = fuzz::ParseDuration(arguments.time);
  if (!seconds.ok()) return reference::Error{"--time: " + seconds.error()};
  options.budget = {seconds.value(), arguments.runs};
  for (norm::Op op : norm::kOps)
    if (norm::NameOf(op) == arguments.op) options.op = op;
  if (!arguments.op.empty() && !options.op)
    return reference::Error{"--op " + arguments.op + ": unknown; one of layer_norm, rms_norm"};
  options.jobs = arguments.jobs;
  options.dir = arguments.dir;
  options.seed = arguments.seed;
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
  fmt::print(stderr, "seed {}\n", ready.seed);
  ExitCode code = ExitCode::kKept;
  bool interrupted = false;
  for (const norm::Kernel& kernel : kernels)
    if (!interrupted) code = Graver(code, FuzzKernel(kernel, ready, interrupted));
  return code;
}

}  // namespace

void AddFuzz(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<FuzzArguments>();
  CLI::App* verb = app.add_subcommand("fuzz", "search for the rows on which a kernel breaks its promise");
  verb->add_option("--kernel", arguments->kernels, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND; may be repeated (default: all production kernels)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--op", arguments->op, "layer_norm or rms_norm (default: every op of the kernel)");
  CLI::Option* time = verb->add_option("--time", arguments->time, "per kernel: 60s, 10m, 2h")->capture_default_str();
  verb->add_option("--runs", arguments->runs, "per kernel: executions instead of time")->check(CLI::PositiveNumber)->excludes(time);
  verb->add_option("--jobs", arguments->jobs, "worker processes (default: one per core)")->check(CLI::Range(1, 1024));
  verb->add_option("--dir", arguments->dir, "where the campaign lives; a second run resumes it");
  verb->add_option("--seed", arguments->seed, "seed of the workers")->check(CLI::NonNegativeNumber)->capture_default_str();
  verb->callback([arguments, &code] { code = FuzzKernels(*arguments); });
}

}  // namespace normcheck::reports

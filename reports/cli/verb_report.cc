// normcheck report: the options of sweeps, gates, merges and comparisons.
#include "reports/cli/options.h"
#include "reports/cli/report_arguments.h"
#include "reports/cli/verbs.h"

namespace normcheck::reports {
namespace {

ExitCode MakeReport(const ReportArguments& arguments) {
  if (!arguments.merge.empty()) return MergeReports(arguments);
  return arguments.diff.empty() ? SweepAndReport(arguments) : DiffReports(arguments);
}

// What a sweep judges; a merge or a comparison takes it from the reports.
std::vector<CLI::Option*> AddSweepOptions(CLI::App& verb, ReportArguments& arguments) {
  CLI::Option* kernel =
      verb.add_option("--kernel", arguments.kernels, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND; may be repeated (default: the correctly rounded production kernels)")
          ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* quick = verb.add_flag("--quick", arguments.quick, "under a minute on two cores");
  CLI::Option* full = verb.add_flag("--full", arguments.full, "under an hour on two cores")->excludes(quick);
  return {kernel, quick, full,
          verb.add_flag("--no-laws", arguments.no_laws, "the sweep alone: no batches, repetitions, orders of calls or guard pages"),
          AddSeed(verb, arguments.seed, "seed of the cases"),
          verb.add_option("--contract", arguments.contract, "judge under this contract instead of the kernels' own"),
          verb.add_option("--shard", arguments.shard, "i/n: only part i of n of the cells, for --merge"),
          verb.add_option("--epsilons", arguments.epsilons, "judge every family at each of these, as 1e-5,0, instead of the mode's"),
          verb.add_option("--x", arguments.x, "also judge these rows of yours (.npy: float32, float16, or bfloat16 as uint16)"),
          verb.add_option("--gamma", arguments.gamma, "gamma of your rows (.npy)"),
          verb.add_option("--beta", arguments.beta, "beta of your rows (.npy)"),
          verb.add_option("--epsilon", arguments.epsilon, "epsilon of your rows")};
}

}  // namespace

void AddReport(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* verb = app.add_subcommand("report", "sweep kernels over all families, widths, formats and epsilons");
  const std::vector<CLI::Option*> sweep = AddSweepOptions(*verb, *arguments);
  verb->add_option("--out", arguments->out, "folder of the report (default ./normcheck-report, with --diff ./normcheck-diff)");
  CLI::Option* gate = verb->add_option("--gate", arguments->gate, "fail where the run is worse than this baseline or report.json");
  CLI::Option* baseline = verb->add_option("--baseline", arguments->baseline, "also write the run as a baseline for --gate");
  CLI::Option* merge = verb->add_option("--merge", arguments->merge, "put the report.json of all shards together")->expected(1, -1);
  CLI::Option* diff = verb->add_option("--diff", arguments->diff, "compare two report.json, as page and Markdown")->expected(2);
  for (CLI::Option* option : sweep) {
    merge->excludes(option);
    diff->excludes(option);
  }
  verb->get_option("--epsilons")->excludes(gate)->excludes(baseline);
  diff->excludes(merge)->excludes(gate)->excludes(baseline);
  verb->callback([arguments, &code] { code = MakeReport(*arguments); });
}

}  // namespace normcheck::reports

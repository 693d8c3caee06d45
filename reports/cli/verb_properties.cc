// normcheck properties: runs the laws on kernels and keeps the shrunk case of every broken one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "properties/audit.h"
#include "properties/kernels.h"
#include "properties/kill_matrix.h"
#include "properties/replay.h"
#include "properties/run_laws.h"
#include "reference/case_json.h"
#include "reference/file_word.h"
#include "reference/input_file.h"
#include "reference/judge.h"
#include "reference/shell_word.h"
#include "reports/cli/arguments.h"
#include "reports/cli/check_cases.h"
#include "reports/cli/interrupt.h"
#include "reports/cli/options.h"
#include "reports/cli/print.h"
#include "reports/cli/verbs.h"
#include "reports/junit.h"
#include "reports/kill_page.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

using properties::LawRun;
using reference::ShellWord;
using State = LawRun::State;

struct PropertyArguments {
  std::vector<std::string> kernels;
  int cases = 200;
  std::uint64_t seed = 1;
  bool all = false;
  bool as_drawn = false;
  std::vector<std::string> laws;
  bool replay = false;
  std::vector<std::string> case_files;
  std::vector<std::string> before;
  RepeatOptions repeat;
  std::string kill_matrix;
  std::string kill_page;
  std::string audit;
  std::string junit;
  std::string contract;
};

constexpr const char* kFolder = "./normcheck-properties";

std::string_view Word(State state) {
  switch (state) {
    case State::kKept: return "kept";
    case State::kBroken: return "BROKEN";
    case State::kGaveUp: return "gave up";
    case State::kNotApplicable: break;
  }
  return "not applicable";
}

void PrintLine(const LawRun& run) {
  Print("  {:<38} {:<14} {:>8} cases {:>8.2f} s\n", run.law, Word(run.state), run.cases, run.seconds);
  std::fflush(stdout);
}

std::string CasePath(const std::string& kernel, const std::string& law) {
  return std::string(kFolder) + "/" + reference::FileWord(kernel) + "-" + law + ".case.json";
}

// The run of the laws once more, as it was asked for.
std::string WholeRun(const norm::Kernel& kernel, const PropertyArguments& arguments) {
  std::string line = fmt::format("./normcheck properties --kernel {} --cases {} --seed {}", reference::ShellWord(kernel.name), arguments.cases, arguments.seed);
  if (arguments.all) line += " --all";
  if (arguments.as_drawn) line += " --no-shrink";
  for (const std::string& law : arguments.laws) line += " --law " + law;
  return arguments.contract.empty() ? line : line + " --contract " + reference::ShellWord(arguments.contract);
}

// The case that shows the fault, and the calls that it needs before it.
reference::Result<std::vector<std::string>> WriteCases(const norm::Kernel& kernel, const LawRun& run, const PropertyArguments& arguments) {
  std::error_code error;
  std::filesystem::create_directories(kFolder, error);
  std::vector<std::string> files = {CasePath(kernel.name, run.law)};
  std::vector<reference::Case> cases = {*run.shrunk};
  for (const reference::Case& earlier : run.how.before) {
    const std::string stem = files.front().substr(0, files.front().find(".case.json"));
    files.push_back(fmt::format("{}.before-{}.json", stem, files.size()));
    cases.push_back(earlier);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string what = i > 0 ? "before" : arguments.as_drawn ? "drawn" : "shrunk";
    cases[i].source = fmt::format("{} by law {} on {}, seed {}", what, run.law, kernel.name, arguments.seed);
    const auto written = reference::WriteFileAtomically(files[i], reference::CaseText(cases[i]));
    if (!written.ok()) return reference::Error{written.error()};
  }
  return files;
}

// Prints what a broken law saw, keeps its case, and answers the line that shows it again.
reference::Result<std::string> Keep(const norm::Kernel& kernel, const LawRun& run, const PropertyArguments& arguments) {
  Print("    {}\n", run.seen);
  std::string line;
  if (run.shrunk) {
    const auto files = WriteCases(kernel, run, arguments);
    if (!files.ok()) return reference::Error{files.error()};
    Print("    case   {}\n", files.value().front());
    line = ShortestLine({kernel, run, arguments.contract, files.value().front(), {files.value().begin() + 1, files.value().end()}});
  }
  if (line.empty()) line = WholeRun(kernel, arguments);
  Print("    replay {}\n", line);
  return line;
}

ExitCode Answer(const norm::Kernel& kernel, const LawRun& run, const PropertyArguments& arguments, std::map<std::string, std::string>& lines) {
  if (run.state == State::kBroken) {
    const auto line = Keep(kernel, run, arguments);
    if (!line.ok()) return Graver(ExitCode::kBroken, Say(ExitCode::kWrongUse, line.error()));
    lines[run.law] = line.value();
    return ExitCode::kBroken;
  }
  if (run.not_asked > 0) return Say(ExitCode::kNotChecked, fmt::format("{}: {} cases not asked: {}", run.law, run.not_asked, run.why_not_asked));
  return run.state == State::kGaveUp ? ExitCode::kNotChecked : ExitCode::kKept;
}

ExitCode CheckKernel(const norm::Kernel& kernel, const PropertyArguments& arguments, std::vector<KernelLaws>& results) {
  ExitCode code = ExitCode::kKept;
  properties::PropertyOptions options;
  options.cases = arguments.cases;
  options.seed = {arguments.seed};
  options.all = arguments.all;
  options.laws = arguments.laws;
  options.shrink = !arguments.as_drawn;
  options.contract = ContractNamed(arguments.contract).value();
  options.fresh = [&] { return FreshKernel(kernel); };
  options.stop = &CatchInterrupts();
  options.reproduce = true;
  std::map<std::string, std::string> lines;  // by law
  options.progress = [&](const LawRun& run) {
    PrintLine(run);
    code = Graver(code, Answer(kernel, run, arguments, lines));
  };
  Print("{} under {}, {} cases a law, seed {}\n", kernel.name,
             reference::ContractText(options.contract.value_or(kernel.contract)), arguments.cases, arguments.seed);
  results.emplace_back(kernel.name, properties::RunLaws(kernel, options));
  if (CatchInterrupts()) return code;
  for (LawRun& run : results.back().second) run.replay = lines[run.law];
  const bool checked = std::ranges::any_of(results.back().second, [](const LawRun& run) { return run.cases > 0; });
  return checked || code == ExitCode::kNotChecked ? code : Graver(code, Say(ExitCode::kNotChecked, kernel.name + ": no law applies to this kernel"));
}

ExitCode CheckProperties(const PropertyArguments& arguments) {
  const auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Say(ExitCode::kWrongUse, kernels.error());
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Say(ExitCode::kWrongUse, contract.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  ExitCode code = ExitCode::kKept;
  std::vector<KernelLaws> results;
  for (const norm::Kernel& kernel : kernels.value())
    if (!CatchInterrupts()) code = Graver(code, CheckKernel(kernel, arguments, results));
  if (CatchInterrupts()) code = Graver(code, Say(ExitCode::kNotChecked, "interrupted: the laws that are not listed were not asked"));
  if (arguments.junit.empty()) return code;
  const auto written = reference::WriteFileAtomically(arguments.junit, JUnitXml(results));
  return written.ok() ? code : Graver(code, Say(ExitCode::kWrongUse, "--junit: " + written.error()));
}

std::string_view Word(properties::ReplayedRow::Answer answer) {
  using Answer = properties::ReplayedRow::Answer;
  return answer == Answer::kHasBug ? "HAS IT" : answer == Answer::kFree ? "free" : "not asked";
}

ExitCode ReplayBugs(const PropertyArguments& arguments) {
  const auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Say(ExitCode::kWrongUse, kernels.error());
  const auto regressions = properties::ReadRegressions(properties::RegressionsDir());
  if (!regressions.ok()) return Say(ExitCode::kNotChecked, regressions.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  ExitCode code = ExitCode::kKept;
  for (const norm::Kernel& kernel : kernels.value()) {
    Print("{}: the public bugs, row by row\n", kernel.name);
    for (const properties::ReplayedRow& row : properties::ReplayPublicBugs(kernel, regressions.value())) {
      Print("  {:<5} {:<10} {}{}{}\n", row.row, Word(row.answer), row.how, row.seen.empty() ? "" : ": ", row.seen);
      if (row.answer == properties::ReplayedRow::Answer::kHasBug) code = ExitCode::kBroken;
    }
  }
  return code;
}

ExitCode WriteInto(const std::string& folder, std::string_view name, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto written = reference::WriteFileAtomically(fmt::format("{}/{}", folder, name), text);
  if (!written.ok()) return Say(ExitCode::kWrongUse, written.error());
  Print("{}\n", written.value());
  return ExitCode::kKept;
}

// Mutants named by --kernel, else all that count in the totals.
ExitCode WriteKillMatrix(const PropertyArguments& arguments) {
  std::vector<norm::Kernel> mutants;
  for (const norm::Kernel& mutant : properties::Mutants()) {
    const bool named = std::ranges::find(arguments.kernels, mutant.name) != arguments.kernels.end();
    if (arguments.kernels.empty() ? mutant.kind == norm::Kind::kMutant : named) mutants.push_back(mutant);
  }
  if (mutants.empty()) return Say(ExitCode::kWrongUse, "--kernel: names no mutant; `normcheck kernels` lists them");
  properties::KillOptions options;
  options.cases = arguments.cases;
  options.progress = [](const std::string& mutant) { PrintMessage("{}\n", mutant); };
  const auto matrix = properties::MakeKillMatrix(mutants, options);
  const std::string json = properties::KillMatrixJson(matrix);
  ExitCode code = WriteInto(arguments.kill_matrix, "kill-matrix.json", json);
  code = Graver(code, WriteInto(arguments.kill_matrix, "kill-matrix.html", KillMatrixPage(Json::parse(json))));
  code = Graver(code, WriteInto(arguments.kill_matrix, "kill-matrix.md", properties::KillMatrixMarkdown(matrix)));
  return matrix.Survivors().empty() ? code : Graver(code, ExitCode::kBroken);
}

// The page alone, from a matrix that was made before.
ExitCode WriteKillPage(const std::string& folder) {
  const std::string path = folder + "/kill-matrix.json";
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;
  const auto text = reference::ReadInputFile(path, kMostBytes);
  if (!text.ok()) return Say(ExitCode::kWrongUse, path + ": cannot be read: " + text.error() + "; make it with --kill-matrix");
  try {
    const Json matrix = Json::parse(text.value());
    if (matrix.at("schema") != "normcheck/kill-matrix/1") return Say(ExitCode::kWrongUse, path + ": schema: not normcheck/kill-matrix/1; make it with --kill-matrix");
    return WriteInto(folder, "kill-matrix.html", KillMatrixPage(matrix));
  } catch (const Json::exception& error) {
    return Say(ExitCode::kWrongUse, fmt::format("{}: {}; make it again with --kill-matrix", path, error.what()));
  }
}

ExitCode WriteAudit(const PropertyArguments& arguments) {
  properties::AuditOptions options;
  options.seed = {arguments.seed};
  const auto audit = properties::AuditNullKernels(options);
  const ExitCode code = WriteInto(arguments.audit, "null-audit.md", properties::AuditMarkdown(audit, options));
  return audit.prove_nothing.empty() ? code : Graver(code, ExitCode::kBroken);
}

ExitCode Run(const PropertyArguments& arguments) {
  if (std::getenv("RC_PARAMS") != nullptr)
    return Say(ExitCode::kWrongUse, "RC_PARAMS: nothing of it would be read; unset it and use --cases and --seed");
  if (arguments.repeat.repeat > 1 && arguments.case_files.empty()) return Say(ExitCode::kWrongUse, "--repeat: goes with --case");
  if (arguments.replay) return ReplayBugs(arguments);
  if (!arguments.case_files.empty())
    return CheckCases({arguments.kernels, arguments.laws, arguments.case_files, arguments.before, arguments.contract, arguments.repeat});
  if (!arguments.kill_matrix.empty()) return WriteKillMatrix(arguments);
  if (!arguments.kill_page.empty()) return WriteKillPage(arguments.kill_page);
  return arguments.audit.empty() ? CheckProperties(arguments) : WriteAudit(arguments);
}

}  // namespace

void AddProperties(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<PropertyArguments>();
  CLI::App* verb = app.add_subcommand("properties", "run the laws that a kernel must obey on random cases");
  verb->add_option("--kernel", arguments->kernels, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND; may be repeated (default: the correctly rounded production kernels)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddCount(*verb, "--cases", arguments->cases, 1, 1'000'000'000, "cases per law (default 200)");
  AddSeed(*verb, arguments->seed, "seed of the cases");
  verb->add_flag("--all", arguments->all, "go on after the first broken law");
  std::vector<std::string> names;
  for (const properties::Law& law : properties::Laws()) names.emplace_back(law.name);
  verb->add_option("--law", arguments->laws, "this law alone; may be repeated (default: every law)")
      ->check(CLI::IsMember(names))->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_flag("--no-shrink", arguments->as_drawn, "write a failing case as it was drawn: for kernels whose calls are slow");
  verb->add_option("--junit", arguments->junit, "write a JUnit XML file");
  verb->add_option("--contract", arguments->contract, "judge under this contract instead of the kernel's own");
  verb->add_flag("--replay", arguments->replay, "say for each public bug report whether the kernel has that bug");
  CLI::Option* cases = verb->add_option("--case", arguments->case_files, "ask every law, or those of --law, of these case files instead of random cases");
  verb->add_option("--before", arguments->before, "with --case: a case that the kernel is called on first; may be repeated")
      ->needs(cases)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddRepeat(verb, arguments->repeat);
  verb->add_option("--kill-matrix", arguments->kill_matrix, "run every mutant against every law and write the matrix into this folder");
  verb->add_option("--kill-page", arguments->kill_page, "make kill-matrix.html again from the kill-matrix.json in this folder");
  verb->add_option("--audit", arguments->audit, "hold null kernels against every configuration and write the audit into this folder");
  verb->callback([arguments, &code] { code = Run(*arguments); });
}

}  // namespace normcheck::reports

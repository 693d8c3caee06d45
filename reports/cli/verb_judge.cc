// normcheck judge: judges case files and says for each what the kernel did.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <thread>
#include <new>

#include "properties/kernels.h"
#include "properties/probe.h"
#include "properties/standard_sweep.h"
#include "properties/tolerance.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reference/shell_word.h"
#include "reference/verdict_json.h"
#include "reference/visible_text.h"
#include "reports/advise.h"
#include "reports/cli/arguments.h"
#include "reports/cli/interrupt.h"
#include "reports/cli/judge_folder.h"
#include "reports/cli/judged_causes.h"
#include "reports/cli/options.h"
#include "reports/cli/print.h"
#include "reports/cli/repeated_runs.h"
#include "reports/cli/verbs.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

using reference::Case;
using reference::Result;

constexpr int kMostRestarts = 16;

struct JudgeArguments {
  std::vector<std::string> files;
  std::string kernel;
  std::string contract;
  std::string tolerance;
  std::size_t width = 768;
  bool probe = false;
  bool advise = false;
  bool json = false;
  bool outputs = false;
  bool causes = false;
  std::string require;
  std::string results;
  RepeatOptions repeat;
  EmitArguments emit;

  bool Asks() const { return probe || advise || !tolerance.empty(); }
};

struct NamedCase {
  std::string file;
  Case c;
};

// What the whole run gathers.
struct Session {
  ExitCode code = ExitCode::kKept;
  std::size_t judged = 0;
  std::map<std::string, std::size_t> not_judged;  // by reason
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
  std::string text;
  std::vector<std::string> files;  // that were asked, in order
  int restarts = 0;
  JudgedCauses causes;
  std::string not_judged_text;

  void Raise(ExitCode other) { code = Graver(code, other); }
};

// Up to so many cases that were not judged are named each; of more the count alone is shown.
constexpr std::size_t kMostNamed = 3;

std::size_t NotJudged(const Session& session) {
  std::size_t all = 0;
  for (const auto& [reason, count] : session.not_judged) all += count;
  return all;
}

// "76 not judged (format 28, op 48)"
std::string NotJudgedText(const Session& session) {
  std::string reasons;
  for (const auto& [reason, count] : session.not_judged) reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, count);
  return fmt::format("{} not judged ({})", NotJudged(session), reasons);
}

std::vector<NamedCase> ReadCases(const std::vector<std::string>& files, Session& session) {
  std::vector<NamedCase> cases;
  for (const std::string& file : files) {
    try {
      Result<Case> read = reference::ReadCaseFile(file);
      if (read.ok()) cases.push_back({file, std::move(read).value()});
      else session.Raise(Say(ExitCode::kWrongUse, read.error()));
    } catch (const std::bad_alloc&) {
      session.Raise(Say(ExitCode::kNotChecked, file + ": not checked: the system gives no memory to read it"));
    }
  }
  return cases;
}

void CheckStated(const NamedCase& named, Session& session) {
  if (named.c.expected.empty()) return;
  const Result<bool> agrees = reference::CheckExpected(named.c);
  if (!agrees.ok()) session.Raise(Say(ExitCode::kWrongUse, named.file + ": " + agrees.error()));
}

// Earlier calls decide about it: a kernel that was never called keeps its contract on the case. Only where there were calls; not asked of
// more than kMostRestarts broken cases, since each starts the kernel anew.
bool NeedsEarlierCalls(const norm::Kernel& kernel, const NamedCase& named, const reference::JudgeOptions& options, Session& session) {
  if (session.files.size() < 2 || ++session.restarts > kMostRestarts) return false;
  reference::JudgeOptions plain = options;
  plain.diagnose = false;
  const reference::Verdict alone = reference::Judge(FreshKernel(kernel), named.c, plain);
  return alone.kept && !alone.not_supported;
}

// The line that shows it again: the case, or all that was judged before it as well.
std::string ReplayOf(const norm::Kernel& kernel, const NamedCase& named, const JudgeArguments& arguments, bool needs_earlier, const Session& session) {
  std::string line = "./normcheck judge --kernel " + reference::ShellWord(kernel.name);
  if (!arguments.contract.empty()) line += " --contract " + reference::ShellWord(arguments.contract);
  if (arguments.repeat.repeat > 1) line += fmt::format(" --repeat {}{}", arguments.repeat.repeat, arguments.repeat.restart ? " --restart" : "");
  if (!needs_earlier) return line + " " + reference::ShellWord(named.file);
  for (const std::string& file : session.files) line += " " + reference::ShellWord(file);
  return line;
}

void Note(const Runs& runs, bool needs_earlier, nlohmann::ordered_json& json) {
  if (runs.asked > 1) json["runs"] = {{"asked", runs.asked}, {"broken", runs.broken}, {"first", runs.first}};
  if (needs_earlier) json["needs_earlier_calls"] = true;
}

std::string NotesText(const Runs& runs, bool needs_earlier) {
  std::string text;
  if (runs.asked > 1 && runs.broken > 0) text += "  runs   " + RunsText(runs) + "\n";
  if (needs_earlier) text += "  state  needs the earlier calls: a kernel that was never called keeps its contract on this case\n";
  return text;
}

void Count(const reference::Verdict& verdict, Session& session) {
  if (verdict.not_supported) ++session.not_judged[verdict.unasked];
  else ++session.judged;
  if (verdict.harness_failed) session.Raise(ExitCode::kNotChecked);
  else if (!verdict.not_supported && !verdict.kept) session.Raise(ExitCode::kBroken);
}

void JudgeOne(const norm::Kernel& kernel, const NamedCase& named, const JudgeArguments& arguments,
              const reference::JudgeOptions& options, Session& session) {
  session.files.push_back(named.file);
  auto [verdict, runs] = JudgeRuns(kernel, named.c, options, arguments.repeat);
  Count(verdict, session);
  if (verdict.harness_failed) Say(ExitCode::kNotChecked, named.file + ": not checked: " + verdict.fault);
  const bool broken = !verdict.kept && !verdict.not_supported;
  const bool needs_earlier = broken && NeedsEarlierCalls(kernel, named, options, session);
  if (needs_earlier) verdict.diagnosis.clear();  // no formula explains what earlier calls decide
  session.causes.Add(kernel, named.c, verdict, named.file, needs_earlier);
  if (arguments.causes) return;
  if (arguments.json) {
    session.verdicts.push_back(reference::VerdictJson(verdict, named.c, named.file, arguments.outputs));
    return Note(runs, needs_earlier, session.verdicts.back());
  }
  std::string& text = verdict.not_supported ? session.not_judged_text : session.text;
  if (verdict.harness_failed) return;
  text += reference::VerdictText(verdict, named.c, named.file, ReplayOf(kernel, named, arguments, needs_earlier, session));
  if (!text.ends_with('\n')) text += '\n';
  text += NotesText(runs, needs_earlier);
}

// The kernel asked for, or the correctly rounded one of the case's op; nothing where there is none.
std::optional<norm::Kernel> KernelFor(const std::optional<norm::Kernel>& given, norm::Op op) {
  if (given) return *given;
  for (norm::Kernel& kernel : norm::ProductionKernels())
    if (kernel.name == norm::NameOf(op)) return std::move(kernel);
  return std::nullopt;
}

ExitCode SayNoKernel(const NamedCase& named) {
  return Say(ExitCode::kWrongUse, named.file + ": no production kernel computes " + std::string(NameOf(named.c.op)) +
                                      "; name one with --kernel");
}

// Ends the text of several files; of one file, what it says alone stands in its verdict.
std::string EndingOf(const Session& session) { return session.judged > 1 ? session.causes.Text() : ""; }

void PrintAnswers(const JudgeArguments& arguments, const Session& session) {
  if (arguments.causes) return WriteResult(reference::JsonText(session.causes.Json(session.code == ExitCode::kKept), 1) + "\n");
  const bool named = NotJudged(session) <= kMostNamed;
  WriteResult(arguments.json ? reference::JsonText(session.verdicts, 1) + "\n" : session.text + (named ? session.not_judged_text : "") + EndingOf(session));
  if (session.not_judged.empty()) return;
  (arguments.json ? WriteMessage : WriteResult)(NotJudgedText(session) + "\n");
}

ExitCode JudgeFiles(const JudgeArguments& arguments) {
  const auto required = reference::LevelNamed(arguments.require);
  if (!arguments.require.empty() && !required)
    return Say(ExitCode::kWrongUse, "--require: correctly-rounded, accurate, stable, unstable or wrong");
  if (arguments.outputs && !arguments.json) return Say(ExitCode::kWrongUse, "--outputs: goes with --json");
  std::optional<norm::Kernel> given;
  if (!arguments.kernel.empty()) {
    Result<norm::Kernel> found = KernelNamed(arguments.kernel);
    if (!found.ok()) return Say(ExitCode::kWrongUse, found.error());
    given = std::move(found).value();
  }
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Say(ExitCode::kWrongUse, contract.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  Session session;
  reference::JudgeOptions options;
  options.contract = contract.value();
  options.want_outputs = arguments.outputs;
  const std::vector<NamedCase> cases = ReadCases(arguments.files, session);
  const std::atomic<bool>& interrupted = CatchInterrupts();
  for (const NamedCase& named : cases) {
    if (interrupted) break;
    CheckStated(named, session);
    const auto kernel = KernelFor(given, named.c.op);
    if (kernel) JudgeOne(*kernel, named, arguments, options, session);
    else session.Raise(SayNoKernel(named));
  }
  if (interrupted) session.Raise(Say(ExitCode::kNotChecked, "interrupted: the files that are not listed were not judged"));
  if (cases.empty()) return session.code;
  if (required && session.causes.IsBelow(*required)) session.Raise(ExitCode::kBroken);
  PrintAnswers(arguments, session);
  if (session.judged == 0) session.Raise(ExitCode::kNotChecked);
  return session.code;
}

// On the cases of `files`, or on the standard sweep without any.
ExitCode PrintTolerance(const properties::Tolerance& tolerance, const std::vector<std::string>& files) {
  Session session;
  std::vector<Case> cases;
  for (NamedCase& named : ReadCases(files, session)) cases.push_back(std::move(named.c));
  if (session.code != ExitCode::kKept) return session.code;
  const std::vector<norm::Kernel> kernels = properties::AllKernels();
  Print("{}", properties::ToleranceText(tolerance, properties::CountTolerance(tolerance, kernels, cases), cases.size()));
  return ExitCode::kKept;
}

ExitCode PrintAdvice(const norm::Kernel& kernel, std::size_t width) {
  const auto regressions = properties::ReadRegressions(properties::RegressionsDir());
  if (!regressions.ok()) return Say(ExitCode::kWrongUse, regressions.error());
  AdviseOptions options;
  options.regressions = regressions.value();
  options.fresh = FreshKernel;
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  const auto advice = Advise(kernel, options);
  if (!advice.ok()) return Say(ExitCode::kNotChecked, advice.error());
  Print("{}", AdviceText(kernel, advice.value(), properties::PreferredFormats(kernel).y, width));
  return ExitCode::kKept;
}

// --probe and --advise need no case files, --tolerance takes them.
ExitCode AnswerQuestions(const JudgeArguments& arguments) {
  std::optional<properties::Tolerance> tolerance;
  if (!arguments.tolerance.empty()) {
    const auto read = properties::ParseTolerance(arguments.tolerance);
    if (!read.ok()) return Say(ExitCode::kWrongUse, "--tolerance: " + read.error());
    tolerance = read.value();
  }
  const bool of_kernel = arguments.probe || arguments.advise;
  if (of_kernel && arguments.kernel.empty()) return Say(ExitCode::kWrongUse, "--probe, --advise: say which kernel with --kernel");
  std::optional<norm::Kernel> kernel;
  if (of_kernel) {
    Result<norm::Kernel> found = KernelNamed(arguments.kernel);
    if (!found.ok()) return Say(ExitCode::kWrongUse, found.error());
    kernel = std::move(found).value();
  }
  if (const auto refused = RefuseToJudge()) return *refused;
  if (arguments.probe) Print("{}", properties::ProbeText(*kernel, properties::Probe(*kernel)));
  ExitCode code = ExitCode::kKept;
  if (arguments.advise) code = Graver(code, PrintAdvice(*kernel, arguments.width));
  if (tolerance) code = Graver(code, PrintTolerance(*tolerance, arguments.files));
  return code;
}

// --emit and --results work on a folder of cases.
std::optional<ExitCode> WorkOnFolder(const JudgeArguments& arguments) {
  const bool emits = !arguments.emit.dir.empty();
  if (!emits && arguments.results.empty()) return std::nullopt;
  if (!arguments.files.empty() || arguments.Asks() || (emits && !arguments.results.empty()))
    return Say(ExitCode::kWrongUse, "--emit, --results: one of them, without case files, --probe, --advise and --tolerance");
  if (!emits) return JudgeResults({arguments.results, arguments.contract, arguments.kernel, arguments.json, arguments.outputs});
  EmitArguments emit = arguments.emit;
  emit.kernel = arguments.kernel;
  return EmitCases(emit);
}

ExitCode RunJudge(const JudgeArguments& arguments) {
  if (arguments.repeat.repeat > 1 && arguments.files.empty()) return Say(ExitCode::kWrongUse, "--repeat: goes with case files");
  if (const auto code = WorkOnFolder(arguments)) return *code;
  if (arguments.Asks()) {
    if (!arguments.files.empty() && (arguments.probe || arguments.advise)) return Say(ExitCode::kWrongUse, "--probe, --advise: take no case files");
    return AnswerQuestions(arguments);
  }
  if (arguments.files.empty()) return Say(ExitCode::kWrongUse, "judge: no case file given; see `normcheck judge --help`");
  return JudgeFiles(arguments);
}

void AddFolderOptions(CLI::App* verb, JudgeArguments& arguments) {
  EmitArguments& emit = arguments.emit;
  CLI::Option* dir = verb->add_option("--emit", emit.dir, "write cases as .npy files and a manifest into this folder, for a kernel that runs elsewhere");
  AddCount(*verb, "--count", emit.count, 1, 99999, "with --emit: cases (default 100)")->needs(dir);
  AddSeed(*verb, emit.seed, "with --emit: their seed")->needs(dir);
  verb->add_option("--op", emit.op, "with --emit: " + reference::OpNames() + " (default: layer_norm and rms_norm)")->needs(dir);
  verb->add_option("--format", emit.formats, "with --emit: only cases of f32, f16 or bf16 throughout; may be repeated")->needs(dir);
  verb->add_flag("--no-beta", emit.no_beta, "with --emit: for a kernel that has no beta")->needs(dir);
  verb->add_flag("--kernel-independent", emit.kernel_independent, "with --emit: all 27 triples of formats, not those of --kernel or the production kernels")
      ->needs(dir);
  verb->add_option("--results", arguments.results, "judge the y files of such a folder; with --kernel: that kernel on its cases");
}

}  // namespace

void AddJudge(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<JudgeArguments>();
  CLI::App* verb = app.add_subcommand("judge", "judge a kernel on case files");
  verb->add_option("CASE.json", arguments->files, "case files (schema normcheck/case/1)");
  verb->add_option("--kernel", arguments->kernel, "a name from `normcheck kernels`, ./LIBRARY.so or exec:COMMAND (default: the production kernel of the case's op)");
  verb->add_option("--contract", arguments->contract, "judge under this contract, e.g. correctly-rounded, ulp:2, row-ulp:4");
  AddRepeat(verb, arguments->repeat);
  AddFolderOptions(verb, *arguments);
  verb->add_flag("--probe", arguments->probe, "say what --kernel computes, with the evidence");
  verb->add_flag("--advise", arguments->advise, "say which contract --kernel keeps on the sweep of report, and the atol and rtol it justifies");
  AddCount(*verb, "--width", arguments->width, 1, std::uint64_t{1} << 40, "with --advise: the width of the tolerance (default 768)");
  verb->add_option("--tolerance", arguments->tolerance, "atol,rtol: say which faults such a tolerance lets pass, and which correct kernels it rejects, on the case files or, without any, on the standard sweep");
  verb->add_flag("--json", arguments->json, "print one JSON array of verdicts");
  verb->add_flag("--outputs", arguments->outputs, "with --json: what the kernel gave and what it should have given");
  verb->add_flag("--causes", arguments->causes, "print one JSON object over all case files: level, digits and the causes of what is broken")->excludes("--json");
  verb->add_option("--require", arguments->require, "exit 1 below this level: correctly-rounded, accurate, stable or unstable");
  verb->callback([arguments, &code] { code = RunJudge(*arguments); });
}

}  // namespace normcheck::reports

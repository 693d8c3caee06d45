// Emits cases for kernels that run elsewhere, and judges their results.
#include "reports/cli/judge_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "properties/plug_in/case_folder.h"
#include "properties/plug_in/results.h"
#include "reference/judge.h"
#include "reference/operations/operations.h"
#include "reference/shell_word.h"
#include "reference/verdict_json.h"
#include "reference/visible_text.h"
#include "reports/cli/arguments.h"
#include "reports/cli/print.h"

namespace normcheck::reports {
namespace {

using properties::plug_in::CasesWanted;
using properties::plug_in::ReadFolderCase;
using reference::Error;
using reference::Result;
using reference::ShellWord;

constexpr std::uint64_t kMaxCases = 99'999;

// Without --op or a kernel's word: the operations that every framework has.
std::vector<norm::Op> OpsAskedFor(const EmitArguments& arguments) {
  if (!arguments.op.empty()) return reference::AllOps();
  return {std::begin(norm::kProductionOps), std::end(norm::kProductionOps)};
}

Result<CasesWanted> TakenBy(const EmitArguments& arguments) {
  CasesWanted wanted{arguments.count, {arguments.seed}, OpsAskedFor(arguments), norm::ProductionFormats()};
  wanted.beta = !arguments.no_beta;
  if (arguments.kernel_independent) wanted.formats = norm::AllFormats();
  if (arguments.kernel.empty() || arguments.kernel_independent) return wanted;
  const Result<norm::Kernel> kernel = KernelNamed(arguments.kernel);
  if (!kernel.ok()) return Error{kernel.error()};
  wanted.ops = kernel.value().ops;
  wanted.formats = kernel.value().formats;
  wanted.absent_params = kernel.value().absent_params;
  wanted.beta = wanted.beta && kernel.value().beta;
  return wanted;
}

Result<CasesWanted> WantedBy(const EmitArguments& arguments) {
  if (arguments.count == 0 || arguments.count > kMaxCases) return Error{fmt::format("--count: write a number from 1 to {}", kMaxCases)};
  Result<CasesWanted> taken = TakenBy(arguments);
  if (!taken.ok()) return taken;
  CasesWanted wanted = std::move(taken).value();
  if (!arguments.op.empty()) std::erase_if(wanted.ops, [&](norm::Op op) { return norm::NameOf(op) != arguments.op; });
  if (wanted.ops.empty()) return Error{"--op " + arguments.op + ": write one that the kernel takes, of " + reference::OpNames()};
  for (const std::string& name : arguments.formats)
    if (!norm::FormatNamed(name)) return Error{"--format " + name + ": write f32, f16 or bf16"};
  if (!arguments.formats.empty())
    std::erase_if(wanted.formats, [&](const norm::Formats& f) {
      return f.x != f.params || f.x != f.y || std::ranges::find(arguments.formats, norm::TraitsOf(f.x).name) == arguments.formats.end();
    });
  if (wanted.formats.empty()) return Error{"--format: the kernel takes none of them"};
  return wanted;
}

struct FolderSession {
  ExitCode code = ExitCode::kKept;
  nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
  std::string text;
  std::size_t kept = 0, broken = 0, unusable = 0, not_supported = 0, not_checked = 0;

  void Raise(ExitCode other) { code = Graver(code, other); }
};

// Whom the results are of.
struct Judged {
  std::optional<norm::Kernel> kernel;
  reference::JudgeOptions options;
  std::string replay;
};

Result<Judged> JudgedBy(const ResultsArguments& arguments) {
  Judged judged;
  judged.replay = "./normcheck judge --results " + reference::ShellWord(arguments.dir) +
                  (arguments.contract.empty() ? "" : " --contract " + reference::ShellWord(arguments.contract)) +
                  (arguments.kernel.empty() ? "" : " --kernel " + reference::ShellWord(arguments.kernel));
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Error{contract.error()};
  judged.options.contract = contract.value();
  judged.options.want_outputs = arguments.outputs;
  if (arguments.kernel.empty()) return judged;
  Result<norm::Kernel> kernel = KernelNamed(arguments.kernel);
  if (!kernel.ok()) return Error{kernel.error()};
  judged.kernel = std::move(kernel).value();
  return judged;
}

// The contract of kernels that state none.
constexpr reference::Contract kUnstated{norm::ContractKind::kRowUlp, 4};

Result<reference::Verdict> VerdictOn(const ReadFolderCase& read, const Judged& judged, const std::string& dir) {
  if (!read.fault.empty()) return Error{read.fault};
  if (judged.kernel) return reference::Judge(*judged.kernel, read.named.c, judged.options);
  const Result<reference::Outputs> outputs = properties::plug_in::ReadResults(dir, read);
  if (!outputs.ok()) return Error{outputs.error()};
  reference::Verdict verdict = reference::JudgeOutputs(read.named.c, outputs.value(), kUnstated, norm::EpsilonFormat::kF64, judged.options);
  verdict.kernel = "results";
  if (properties::plug_in::IsNanFilled(read.named.c, outputs.value()))
    Say(ExitCode::kBroken, dir + "/" + read.y + ": NaN throughout; was it written?");
  return verdict;
}

void JudgeOne(const ReadFolderCase& read, const ResultsArguments& arguments, const Judged& judged, FolderSession& session) {
  const Result<reference::Verdict> result = VerdictOn(read, judged, arguments.dir);
  if (!result.ok()) {
    ++session.unusable;
    return session.Raise(Say(ExitCode::kWrongUse, result.error()));
  }
  const reference::Verdict& verdict = result.value();
  if (verdict.harness_failed) ++session.not_checked;
  else ++(verdict.not_supported ? session.not_supported : verdict.kept ? session.kept : session.broken);
  session.Raise(verdict.harness_failed ? ExitCode::kNotChecked : verdict.not_supported || verdict.kept ? ExitCode::kKept : ExitCode::kBroken);
  const std::string file = arguments.dir + "/" + read.y;
  if (arguments.json)
    session.verdicts.push_back(reference::VerdictJson(verdict, read.named.c, file, arguments.outputs));
  else
    session.text += reference::VerdictText(verdict, read.named.c, file, judged.replay);
}

std::string CountsText(const FolderSession& session) {
  const std::size_t all = session.kept + session.broken + session.unusable + session.not_supported + session.not_checked;
  const std::string not_checked = session.not_checked == 0 ? "" : fmt::format(", {} not checked", session.not_checked);
  return fmt::format("{} cases: {} kept, {} broken, {} unusable, {} not supported{}\n", all, session.kept, session.broken, session.unusable,
                     session.not_supported, not_checked);
}

}  // namespace

ExitCode EmitCases(const EmitArguments& arguments) {
  const Result<CasesWanted> wanted = WantedBy(arguments);
  if (!wanted.ok()) return Say(ExitCode::kWrongUse, wanted.error());
  const auto written = WriteCaseFolder(arguments.dir, properties::plug_in::DrawCases(wanted.value()), {arguments.seed});
  if (!written.ok()) return Say(ExitCode::kWrongUse, "--emit " + written.error());
  Print("{} cases of seed {} in {}\nwrite each y there, as {}/manifest.json says; then: ./normcheck judge --results {}\n", arguments.count,
        arguments.seed, arguments.dir, arguments.dir, reference::ShellWord(arguments.dir));
  return ExitCode::kKept;
}

ExitCode JudgeResults(const ResultsArguments& arguments) {
  if (arguments.outputs && !arguments.json) return Say(ExitCode::kWrongUse, "--outputs: goes with --json");
  const Result<Judged> judged = JudgedBy(arguments);
  if (!judged.ok()) return Say(ExitCode::kWrongUse, judged.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  const auto cases = properties::plug_in::ReadCaseFolder(arguments.dir);
  if (!cases.ok()) return Say(ExitCode::kWrongUse, "--results " + cases.error());
  FolderSession session;
  for (const ReadFolderCase& read : cases.value()) JudgeOne(read, arguments, judged.value(), session);
  for (const std::string& extra : properties::plug_in::ExtraFiles(arguments.dir, cases.value()))
    session.Raise(Say(ExitCode::kWrongUse, extra + ": extra; the manifest names no such file, rename or remove it"));
  if (session.not_supported > 0 && session.kept + session.broken == 0) session.Raise(ExitCode::kNotChecked);
  if (cases.value().empty()) session.Raise(Say(ExitCode::kNotChecked, arguments.dir + ": its manifest has no cases"));
  Print("{}", arguments.json ? reference::JsonText(session.verdicts, 1) + "\n" : session.text + CountsText(session));
  return session.code;
}

}  // namespace normcheck::reports

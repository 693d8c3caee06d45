// Reads cases, asks laws, composes lines.
#include "reports/cli/check_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fuzz/target_laws.h"
#include "properties/laws.h"
#include "properties/reproduce.h"
#include "reference/case_json.h"
#include "reference/shell_word.h"
#include "reports/cli/arguments.h"
#include "reports/cli/print.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

using properties::Law;
using properties::LawResult;
using reference::Case;
using Contract = std::optional<reference::Contract>;

bool Named(const CaseArguments& arguments, const Law& law) {
  return arguments.laws.empty() || std::ranges::find(arguments.laws, law.name) != arguments.laws.end();
}

// Cases without elements meet only what a law that is named does with them.
Case Prepared(const Law& law, const Case& c) { return c.x.empty() ? c : fuzz::PreparedFor(law, c); }

struct Questions {
  const CaseArguments& arguments;
  Contract contract;
  std::vector<Case> before;
};

ExitCode AskLaw(const norm::Kernel& kernel, const Law& law, const std::string& file, const Case& c, const Questions& questions) {
  const norm::Kernel fresh = FreshKernel(kernel);
  for (const Case& earlier : questions.before) properties::CallBefore(fresh, earlier);
  std::string seen, not_asked;
  bool applies = false;
  const Runs runs = RunRepeatedly(fresh, questions.arguments.repeat, [&](const norm::Kernel& asked) {
    const LawResult result = properties::CheckLaw(asked, law, Prepared(law, c), questions.contract);
    const bool broken = result.state == LawResult::State::kBroken;
    applies = applies || broken || result.state == LawResult::State::kKept;
    if (result.state == LawResult::State::kNotAsked && not_asked.empty()) not_asked = result.seen;
    if (broken && seen.empty()) seen = result.seen;
    return broken;
  });
  if (!not_asked.empty()) Say(ExitCode::kNotChecked, fmt::format("{}: {} not asked: {}", file, law.name, not_asked));
  if (!applies) return ExitCode::kNotChecked;
  if (runs.broken == 0) return ExitCode::kKept;
  Print("BROKEN  {}  {}\n  case   {}\n  seen   {}\n", kernel.name, law.name, file, seen);
  if (runs.asked > 1) Print("  runs   {}\n", RunsText(runs));
  return ExitCode::kBroken;
}

ExitCode CheckCase(const norm::Kernel& kernel, const std::string& file, const Case& c, const Questions& questions) {
  if (c.x.empty() && questions.arguments.laws.empty()) return Say(ExitCode::kNotChecked, file + ": no elements, of which no law could speak");
  if (!kernel.beta && c.beta)
    return Say(ExitCode::kNotChecked, fmt::format("{}: not asked: it has a beta, and {} has none; take beta out of the case", file, kernel.name));
  ExitCode code = ExitCode::kKept;
  bool asked = false;
  for (const Law& law : properties::Laws()) {
    if (!Named(questions.arguments, law) || !law.applies_to(kernel)) continue;
    const ExitCode answer = AskLaw(kernel, law, file, c, questions);
    if (answer == ExitCode::kNotChecked) continue;
    asked = true;
    code = Graver(code, answer);
  }
  if (!asked) return Say(ExitCode::kNotChecked, file + ": no law that was asked for applies to " + kernel.name);
  if (code == ExitCode::kKept) Print("kept    {}  {}\n", kernel.name, file);
  return code;
}

reference::Result<std::vector<Case>> ReadAll(const std::vector<std::string>& files) {
  std::vector<Case> cases;
  for (const std::string& file : files) {
    auto c = reference::ReadCaseFile(file);
    if (!c.ok()) return reference::Error{c.error()};
    cases.push_back(std::move(c).value());
  }
  return cases;
}

std::string LawLine(const LawReplay& replay) {
  std::string line = fmt::format("./normcheck properties --kernel {} --law {} ", reference::ShellWord(replay.kernel.name), replay.run.law);
  if (!replay.contract.empty()) line += "--contract " + reference::ShellWord(replay.contract) + " ";
  line += properties::RepeatOptions(replay.run.how);
  for (const std::string& earlier : replay.before) line += "--before " + reference::ShellWord(earlier) + " ";
  return line + "--case " + reference::ShellWord(replay.file);
}

}  // namespace

std::string ShortestLine(const LawReplay& replay) {
  const Contract contract = ContractNamed(replay.contract).value();
  const auto fresh = [&] { return FreshKernel(replay.kernel); };
  const Case& c = *replay.run.shrunk;
  const bool judged = replay.run.alone && properties::Reproduce(properties::JudgeSuspicion(fresh, contract), c).kind == properties::Reproduced::kAlone;
  if (judged) return reference::JudgeLine(replay.kernel.name, replay.contract, replay.file);
  const Law& law = *std::ranges::find(properties::Laws(), replay.run.law, &Law::name);
  if (replay.run.how.kind == properties::Reproduced::kNever) return "";
  return properties::ShowsBy(properties::LawSuspicion(fresh, law, contract), replay.run.how, Prepared(law, c)) ? LawLine(replay) : "";
}

ExitCode CheckCases(const CaseArguments& arguments) {
  const auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Say(ExitCode::kWrongUse, kernels.error());
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Say(ExitCode::kWrongUse, contract.error());
  auto before = ReadAll(arguments.before);
  if (!before.ok()) return Say(ExitCode::kWrongUse, before.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  const Questions questions = {arguments, contract.value(), std::move(before).value()};
  ExitCode code = ExitCode::kKept;
  for (const std::string& file : arguments.files) {
    const auto c = reference::ReadCaseFile(file);
    if (!c.ok()) code = Graver(code, Say(ExitCode::kWrongUse, c.error()));
    for (const norm::Kernel& kernel : kernels.value())
      if (c.ok()) code = Graver(code, CheckCase(kernel, file, c.value(), questions));
  }
  return code;
}

}  // namespace normcheck::reports

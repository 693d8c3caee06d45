// normcheck properties: runs the laws on kernels and keeps the shrunk case of every broken one.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "properties/run_laws.h"
#include "reference/case_json.h"
#include "reference/judge.h"
#include "reports/cli/arguments.h"
#include "reports/cli/verbs.h"
#include "reports/junit.h"
#include "reports/report.h"

namespace normcheck::reports {
namespace {

using properties::LawRun;
using State = LawRun::State;

struct PropertyArguments {
  std::vector<std::string> kernels;
  int cases = 200;
  std::uint64_t seed = 1;
  bool all = false;
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
  fmt::print("  {:<38} {:<14} {:>8} cases {:>8.2f} s\n", run.law, Word(run.state), run.cases, run.seconds);
  std::fflush(stdout);
}

std::string CasePath(const std::string& kernel, const std::string& law) {
  std::string name = kernel + "-" + law;
  std::ranges::replace_if(name, [](char c) { return c == ':' || c == '/' || c == ' '; }, '-');
  return std::string(kFolder) + "/" + name + ".case.json";
}

// `judge` where the judge alone sees the fault in the case, else the same run of the laws.
std::string Replay(const norm::Kernel& kernel, const LawRun& run, const std::string& path, const PropertyArguments& arguments) {
  reference::JudgeOptions options;
  options.contract = ContractNamed(arguments.contract).value();
  options.diagnose = false;
  if (!reference::Judge(kernel, *run.shrunk, options).kept) return ReplayLine(kernel, arguments.contract, path);
  const std::string contract = arguments.contract.empty() ? "" : " --contract " + ShellWord(arguments.contract);
  return fmt::format("./normcheck properties --kernel {} --cases {} --seed {}{}", ShellWord(kernel.name), arguments.cases,
                     arguments.seed, contract);
}

ExitCode Keep(const norm::Kernel& kernel, const LawRun& run, const PropertyArguments& arguments) {
  fmt::print("    {}\n", run.seen);
  if (!run.shrunk) return ExitCode::kBroken;
  const std::string path = CasePath(kernel.name, run.law);
  std::error_code error;
  std::filesystem::create_directories(kFolder, error);
  reference::Case c = *run.shrunk;
  c.source = fmt::format("shrunk by law {} on {}, seed {}", run.law, kernel.name, arguments.seed);
  const auto written = reference::WriteFileAtomically(path, reference::CaseText(c));
  if (!written.ok()) return Graver(ExitCode::kBroken, Say(ExitCode::kWrongUse, written.error()));
  fmt::print("    case   {}\n    replay {}\n", path, Replay(kernel, run, path, arguments));
  return ExitCode::kBroken;
}

ExitCode Answer(const norm::Kernel& kernel, const LawRun& run, const PropertyArguments& arguments) {
  if (run.state == State::kBroken) return Keep(kernel, run, arguments);
  return run.state == State::kGaveUp ? ExitCode::kNotChecked : ExitCode::kKept;
}

ExitCode CheckKernel(const norm::Kernel& kernel, const PropertyArguments& arguments, std::vector<KernelLaws>& results) {
  ExitCode code = ExitCode::kKept;
  properties::PropertyOptions options;
  options.cases = arguments.cases;
  options.seed = {arguments.seed};
  options.all = arguments.all;
  options.contract = ContractNamed(arguments.contract).value();
  options.progress = [&](const LawRun& run) {
    PrintLine(run);
    code = Graver(code, Answer(kernel, run, arguments));
  };
  fmt::print("{} under {}, {} cases a law, seed {}\n", kernel.name,
             reference::ContractText(options.contract.value_or(kernel.contract)), arguments.cases, arguments.seed);
  results.emplace_back(kernel.name, properties::RunLaws(kernel, options));
  const bool checked = std::ranges::any_of(results.back().second, [](const LawRun& run) { return run.cases > 0; });
  return checked ? code : Graver(code, Say(ExitCode::kNotChecked, kernel.name + ": no law applies to this kernel"));
}

ExitCode CheckProperties(const PropertyArguments& arguments) {
  const auto kernels = KernelsNamed(arguments.kernels);
  if (!kernels.ok()) return Say(ExitCode::kWrongUse, kernels.error());
  const auto contract = ContractNamed(arguments.contract);
  if (!contract.ok()) return Say(ExitCode::kWrongUse, contract.error());
  if (const auto refused = RefuseToJudge()) return *refused;
  ExitCode code = ExitCode::kKept;
  std::vector<KernelLaws> results;
  for (const norm::Kernel& kernel : kernels.value()) code = Graver(code, CheckKernel(kernel, arguments, results));
  if (arguments.junit.empty()) return code;
  const auto written = reference::WriteFileAtomically(arguments.junit, JUnitXml(results));
  return written.ok() ? code : Graver(code, Say(ExitCode::kWrongUse, "--junit: " + written.error()));
}

}  // namespace

void AddProperties(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<PropertyArguments>();
  CLI::App* verb = app.add_subcommand("properties", "run the laws that a kernel must obey on random cases");
  verb->add_option("--kernel", arguments->kernels, "a name from `normcheck kernels`; may be repeated (default: all production kernels)")
      ->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  verb->add_option("--cases", arguments->cases, "cases per law")->check(CLI::Range(1, 1'000'000'000))->capture_default_str();
  verb->add_option("--seed", arguments->seed, "seed of the cases")->check(CLI::NonNegativeNumber)->capture_default_str();
  verb->add_flag("--all", arguments->all, "go on after the first broken law");
  verb->add_option("--junit", arguments->junit, "write a JUnit XML file");
  verb->add_option("--contract", arguments->contract, "judge under this contract instead of the kernel's own");
  verb->callback([arguments, &code] { code = CheckProperties(*arguments); });
}

}  // namespace normcheck::reports

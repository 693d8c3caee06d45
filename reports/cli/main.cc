// normcheck: the command line. Picks the verb; stdout is the result, stderr progress and messages, the exit code the answer.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>
#include <system_error>

#include "properties/guarded_call.h"
#include "properties/plug_in/notes.h"
#include "reports/cli/arguments.h"
#include "reports/cli/options.h"
#include "reports/cli/verbs.h"

namespace normcheck::reports {
namespace {

constexpr const char* kAbout =
    "normcheck: decides how wrong a LayerNorm or RMSNorm kernel is, finds the row on which it is worst, names the mistake.\n"
    "Exit codes: 0 promises kept, 1 a promise broken, 2 wrong use or unreadable input, 3 could not check.";

void AddVerbs(CLI::App& app, ExitCode& code) {
  app.require_subcommand(1);
  AddReport(app, code);
  AddProperties(app, code);
  AddFuzz(app, code);
  AddJudge(app, code);
  AddKernels(app, code);
  AddBench(app, code);
  app.set_version_flag("--version", "normcheck " NORMCHECK_VERSION);
  for (CLI::App* verb : app.get_subcommands({})) {
    verb->set_version_flag("--version", "normcheck " NORMCHECK_VERSION);
    RefuseEmptyValues(*verb);
  }
}

// An unknown first word, which CLI11 would only call unexpected, or not name at all.
std::optional<std::string> UnknownVerb(const CLI::App& app, int argc, char** argv) {
  constexpr std::string_view kOptions[] = {"--help", "-h", "--version"};
  if (argc < 2 || std::ranges::find(kOptions, argv[1]) != std::end(kOptions)) return std::nullopt;
  std::string known;
  for (const CLI::App* verb : app.get_subcommands({})) {
    if (verb->get_name() == argv[1]) return std::nullopt;
    known += (known.empty() ? "" : ", ") + verb->get_name();
  }
  return fmt::format("unknown verb '{}'; one of {} (normcheck --help)", argv[1], known);
}

ExitCode Parse(CLI::App& app, int argc, char** argv, const ExitCode& code) {
  if (const auto unknown = UnknownVerb(app, argc, argv)) return Say(ExitCode::kWrongUse, *unknown);
  try {
    app.parse(argc, argv);
    return code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return Say(ExitCode::kWrongUse, std::string(error.what()) + "; see normcheck --help");
    app.exit(error);
    return ExitCode::kKept;
  }
}

// A result that did not reach its reader is a failed write.
ExitCode Flush(ExitCode code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return Say(ExitCode::kWrongUse, "standard output: cannot write; free the disk or mend the pipe");
}

ExitCode Run(int argc, char** argv) {
  ExitCode code = ExitCode::kKept;
  CLI::App app(kAbout, "normcheck");
  try {
    AddVerbs(app, code);
    const ExitCode answer = Parse(app, argc, argv, code);
    for (const std::string& note : properties::plug_in::TakeNotes()) Say(answer, note);
    return Flush(answer);
  } catch (const std::system_error& error) {
    return Say(ExitCode::kWrongUse, std::string("cannot write or read: ") + error.what());
  } catch (const std::exception& error) {
    return Say(ExitCode::kNotChecked, std::string("could not finish: ") + error.what());
  }
}

}  // namespace
}  // namespace normcheck::reports

int main(int argc, char** argv) {
  const normcheck::properties::CrashHandlers handlers;
  return static_cast<int>(normcheck::reports::Run(argc, argv));
}

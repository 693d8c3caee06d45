// The verbs of the command line. Each adds its options to `app`; when it is chosen it runs and leaves its exit code in `code`.
#pragma once

#include <CLI/CLI.hpp>

#include "reports/cli/exit_code.h"

namespace normcheck::reports {

void AddReport(CLI::App& app, ExitCode& code);
void AddProperties(CLI::App& app, ExitCode& code);
void AddFuzz(CLI::App& app, ExitCode& code);
void AddJudge(CLI::App& app, ExitCode& code);
void AddKernels(CLI::App& app, ExitCode& code);
void AddBench(CLI::App& app, ExitCode& code);

}  // namespace normcheck::reports

// `properties --case`: laws asked of case files, and the lines that ask them again.
#pragma once

#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/run_laws.h"
#include "reports/cli/exit_code.h"
#include "reports/cli/repeated_runs.h"

namespace normcheck::reports {

struct CaseArguments {
  std::vector<std::string> kernels;
  std::vector<std::string> laws;  // none: every law
  std::vector<std::string> files;
  std::vector<std::string> before;  // cases that each kernel is called on before it is asked
  std::string contract;
  RepeatOptions repeat;
};

// Each law on each case, prepared for it as a fuzz target does, by a kernel that is started anew for it.
ExitCode CheckCases(const CaseArguments& arguments);

// Cases of a broken law as CheckCases would read them: how one shows it, and which line asks for that.
struct LawReplay {
  const norm::Kernel& kernel;
  const properties::LawRun& run;
  std::string contract;
  std::string file;                 // of the shrunk case
  std::vector<std::string> before;  // of run.how.before
};

// The shortest line that shows it: `judge` where the judge sees the fault in the case, else `properties` with the law and the case. Each was
// tried by its own steps. Nothing where neither shows it.
std::string ShortestLine(const LawReplay& replay);

}  // namespace normcheck::reports

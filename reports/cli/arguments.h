// Turns the words of the command line into kernels and contracts, and says what is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/contract.h"
#include "reference/result.h"
#include "reports/cli/exit_code.h"

namespace normcheck::reports {

// A kernel by its name, library or command. Where its code runs in this process, a crash of it is a fault of the call
// (norm::KernelFault), for which main holds the handlers. Error: an unknown name.
reference::Result<norm::Kernel> KernelNamed(const std::string& name);

// The named kernels in order, each once; no names: the correctly rounded production kernels, whose figures no
// machine changes. Error: an unknown name or one given twice.
reference::Result<std::vector<norm::Kernel>> KernelsNamed(const std::vector<std::string>& names);

// The same kernel without the state that earlier calls left in it.
norm::Kernel FreshKernel(const norm::Kernel& kernel);

// Nothing for empty text.
reference::Result<std::optional<reference::Contract>> ContractNamed(const std::string& text);

// "normcheck: MESSAGE" as one line on stderr, and the code back.
ExitCode Say(ExitCode code, const std::string& message);

// Says why and gives the code where this process may not judge (a changed floating-point environment).
std::optional<ExitCode> RefuseToJudge();

}  // namespace normcheck::reports

// normcheck judge --emit and --results: cases as a folder of .npy files, and the verdicts on what came back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/cli/exit_code.h"

namespace normcheck::reports {

struct EmitArguments {
  std::string dir;
  std::uint64_t count = 100;
  std::uint64_t seed = 1;
  std::string op;                    // empty: both
  std::vector<std::string> formats;  // plain triples; empty: all that the kernel takes
  std::string kernel;                // cases that this one takes; empty: the production kernels
  bool no_beta = false;
  bool kernel_independent = false;   // any triple of formats, whatever a kernel takes
};

// Writes the folder and says on stdout what is to be done with it.
ExitCode EmitCases(const EmitArguments& arguments);

struct ResultsArguments {
  std::string dir;
  std::string contract;  // empty: the kernel's, or row-ulp:4
  std::string kernel;    // judged on the folder's cases instead of the y files; empty: the y files
  bool json = false;
  bool outputs = false;
};

// Judges every y that can be used; the others are named one by one on stderr, exit 2.
ExitCode JudgeResults(const ResultsArguments& arguments);

}  // namespace normcheck::reports

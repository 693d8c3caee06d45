// What `normcheck report` was asked for, and the steps that its ways of running share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/cli/exit_code.h"
#include "reports/draft.h"

namespace normcheck::reports {

struct ReportArguments {
  std::vector<std::string> kernels;
  bool quick = false;
  bool full = false;
  bool no_laws = false;
  std::uint64_t seed = 1;
  std::string out;
  std::string contract;
  std::string shard;
  std::vector<std::string> epsilons;
  std::string x, gamma, beta, epsilon;
  std::string gate;
  std::string baseline;
  std::vector<std::string> diff;
  std::vector<std::string> merge;

  Mode mode() const { return quick ? Mode::kQuick : full ? Mode::kFull : Mode::kDefault; }
  std::string folder() const { return out.empty() ? "./normcheck-report" : out; }
};

// The three ways. Each checks all its input before it computes or writes.
ExitCode SweepAndReport(const ReportArguments& arguments);
ExitCode MergeReports(const ReportArguments& arguments);
ExitCode DiffReports(const ReportArguments& arguments);

// The baseline of --gate, checked against the run that is to come; null where there is no --gate.
struct GatedRun;
reference::Result<Json> ReadBaseline(const ReportArguments& arguments, const GatedRun& run);

// Nothing where the run leaves the files of --gate, --baseline and --merge alone: those of the report that --out replaces are refused.
reference::Result<bool> CheckInputsStay(const ReportArguments& arguments);

// Nothing where --baseline can be written.
reference::Result<bool> CheckBaselineTarget(const std::string& file);

// Writes the report's files, holds it against the baseline (null: no gate), puts the folder in place, writes --baseline and
// prints the table. The answer: the gate's, or without one whether all contracts were kept.
ExitCode FinishReport(ReportDraft& draft, const Json& report, const Json& baseline, const ReportArguments& arguments);

}  // namespace normcheck::reports

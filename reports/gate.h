// The gate: holds a run against a baseline. Anything worse fails; what is better or new is listed; what was broken may stay so.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/result.h"
#include "reports/compare.h"

namespace normcheck::reports {

// What a gated run is going to be, known before it begins.
struct GatedRun {
  Mode mode = Mode::kDefault;
  Seed seed;
  std::vector<std::pair<std::string, std::string>> kernels;  // names and contracts
};

// Errors: "FILE: FIELD: what; mend" for another mode or seed, an interrupted or sharded baseline, a kernel that it lacks or
// that it judged under another contract.
reference::Result<bool> CheckBaseline(const std::string& file, const Json& baseline, const GatedRun& run);

struct GateResult {
  std::string baseline;               // the file
  Comparison comparison;
  std::vector<std::string> allowed;   // "KERNEL CELL": broken now, broken in the baseline, and no worse; or "KERNEL law NAME"
  std::vector<std::string> not_run;   // kernels of the baseline that the run leaves out
  std::size_t worse = 0, better = 0, added = 0;  // cells and laws

  bool passed() const { return worse == 0; }
};

// Requires: CheckBaseline passed. Both reports outlive the result.
GateResult Gate(const std::string& file, const Json& baseline, const Json& report);

// A few lines for a terminal, at most 80 columns wide.
std::string GateText(const GateResult& gate);

// One suite a kernel, one test a family or law; a family with a worse cell fails, a law that got worse too.
std::string GateJUnit(const GateResult& gate, const Json& report);

// SARIF 2.1.0: a rule a figure; worse cells are errors, better and new ones and allowed ones are notes.
std::string GateSarif(const GateResult& gate);

}  // namespace normcheck::reports

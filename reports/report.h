// A report: what a sweep found and under which circumstances, and its JSON form (schema normcheck/report/1).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/curves.h"
#include "reports/sweep.h"

namespace normcheck::reports {

using Json = nlohmann::ordered_json;

// Where a report was made; no figure, left out of comparisons.
using Environment = std::vector<std::pair<std::string, std::string>>;

// Version, compiler, instruction set, processor, system, threads and time.
Environment DescribeEnvironment(unsigned threads);

// A kernel and its cells as JSON.
struct KernelReport {
  norm::Kernel kernel;
  reference::Contract contract;  // that judged it
  bool contract_given = false;   // by --contract
  std::size_t planned = 0;       // cells of the whole plan; written for shards
  std::vector<Curve> curves;
  std::vector<Json> cells;       // in the order of the plan; cells that an interrupt left out are missing
  std::vector<Json> laws;        // LawJson, in the order of PlanLaws; none where another shard asks them
};

struct Report {
  Environment environment;
  Mode mode = Mode::kDefault;
  Seed seed;
  std::optional<Shard> shard;
  bool interrupted = false;  // cells are missing
  std::vector<KernelReport> kernels;
};

// A cell as it stands in the report, without its replay line.
Json CellJson(const norm::Kernel& kernel, const CellResult& result);

// The report as DESIGN.md (Files) lays it out. Everything else that people read (Markdown, page, table) is made from this
// JSON alone. `dir`: the folder in which the report will stand, for the replay lines.
Json ReportJson(const Report& report, const std::string& dir);

// True where all its cells kept the contract and no law was broken.
bool KernelIsKept(const Json& kernel);

// Writes the replay line of every cell and broken law of a report that stands in `dir`.
void SetReplayLines(Json& report, const std::string& dir);

// "worst/<kernel>-<cell>.case.json", below the report's folder.
std::string WorstFile(const std::string& kernel, const Cell& cell);

}  // namespace normcheck::reports

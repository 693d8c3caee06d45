// A report: what a sweep found and under which circumstances, and its JSON form (schema normcheck/report/1).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/sweep.h"

namespace normcheck::reports {

using Json = nlohmann::ordered_json;

// Where a report was made; no figure, left out of comparisons.
using Environment = std::vector<std::pair<std::string, std::string>>;

// Version, compiler, instruction set, processor, system, threads and time.
Environment DescribeEnvironment(unsigned threads);

struct Report {
  Environment environment;
  Mode mode = Mode::kDefault;
  Seed seed;
  bool interrupted = false;  // cells are missing
  std::vector<KernelResult> kernels;
};

// The report as DESIGN.md (Files) lays it out. Everything else that people read (Markdown, page, table) is made from this
// JSON alone. `dir`: the folder in which the report will stand, for the replay lines.
Json ReportJson(const Report& report, const std::string& dir);

// "worst/<kernel>-<cell>.case.json", below the report's folder.
std::string WorstFile(const KernelResult& kernel, const Cell& cell);

// The shell line that judges `file` again; quoted where the kernel's name or the path needs it.
std::string ReplayLine(const norm::Kernel& kernel, const std::string& contract, const std::string& file);

// Text as one word of a POSIX shell.
std::string ShellWord(const std::string& text);

}  // namespace normcheck::reports

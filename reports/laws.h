// The laws that a report asks beside its sweep: what no single call shows.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "properties/run_laws.h"
#include "reports/report.h"

namespace normcheck::reports {

// A law of a kernel that is to be asked.
struct LawJob {
  std::size_t kernel = 0;  // index into the kernels of the run
  const properties::Law* law = nullptr;
};

// batch-independence, batch-size, large-calls; repeatable, and judged, whose calls differ in all while the sweep's cells begin afresh;
// row-ranges; in-place; written, guard-pages, padding: a row does not depend on its batch, on earlier calls, on the order of calls,
// on where it stands, and nothing else is read or written. Every kernel's slowest law first, so that no thread is left alone with one.
std::vector<LawJob> PlanLaws(std::size_t kernels);

// Cases a law in a mode. A round of large calls is asked whole in each: it meets rows x width only as a whole.
int CasesOf(const properties::Law& law, Mode mode);

struct LawOptions {
  Mode mode = Mode::kDefault;
  Seed seed;
  std::optional<reference::Contract> contract;
  std::function<norm::Kernel(const norm::Kernel&)> fresh;  // a kernel that no earlier call has touched
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;
};

// Called with the index of a job and what it found, by several threads at once, in any order.
using TakeLaw = std::function<void(std::size_t job, properties::LawRun run)>;

// Asks the jobs, each of a fresh kernel. Error: what `take` threw; no new law is begun.
reference::Result<bool> AskLaws(std::span<const LawJob> jobs, std::span<const norm::Kernel> kernels, const LawOptions& options,
                                const TakeLaw& take);

// A law as it stands in the report, without its replay line. `file`: the case that breaks it; empty where there is none.
Json LawJson(const properties::LawRun& run, const std::string& file);

// "worst/<kernel>-law-<law>.case.json", below the report's folder.
std::string LawFile(const std::string& kernel, std::string_view law);

// The shell line that asks the law again: of its case, or with the whole run where the case alone does not show the fault.
std::string LawReplayLine(const Json& kernel, const Json& law, Mode mode, Seed seed, const std::string& dir);

}  // namespace normcheck::reports

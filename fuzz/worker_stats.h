// What a worker tells its campaign while it runs: counts and worst errors, in a small file that is replaced whole.
#pragma once

#include <cstdint>
#include <string>

#include "reference/result.h"
#include "reference/tally.h"

namespace normcheck::fuzz {

struct WorkerStats {
  std::uint64_t executions = 0;
  std::uint64_t judged = 0;                   // executions that were not skipped by a cap or an unsupported case
  reference::UlpQ20 worst_row_ulp = 0;        // over judged executions
  reference::UlpQ20 worst_bound_ratio = 0;

  // Counts add up, worst errors are the larger ones.
  void Merge(const WorkerStats& other);

  friend bool operator==(const WorkerStats&, const WorkerStats&) = default;
};

// JSON {"schema":"normcheck/worker/1", ...}, written by a temporary file and a rename.
reference::Result<std::string> WriteWorkerStats(const std::string& path, const WorkerStats& stats);

// Errors: missing file, not this schema.
reference::Result<WorkerStats> ReadWorkerStats(const std::string& path);

}  // namespace normcheck::fuzz

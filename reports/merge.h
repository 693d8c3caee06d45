// Puts the shards of a sweep together: the same figures, byte for byte, as one run gives.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reference/result.h"
#include "reports/report.h"

namespace normcheck::reports {

// A shard's report and the file that it came from.
struct ShardReport {
  std::string file;
  Json report;
};

// The whole report. Shards may come in any order; the environment holds what they share, and differing entries side by side.
// Errors, "FILE: FIELD: what; mend": no shard, another count, mode, seed or kernel list, a shard that is there twice or missing,
// an interrupted one, cells that are there twice or that do not make up a whole.
reference::Result<Json> Merge(std::span<const ShardReport> shards);

}  // namespace normcheck::reports

// A campaign's summary as JSON, schema normcheck/campaign/1; Markdown and page are made from it by reports/.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/campaign.h"
#include "fuzz/campaign_dir.h"
#include "fuzz/worker_stats.h"

namespace normcheck::fuzz {

enum class CampaignState : std::uint8_t { kRunning, kInterrupted, kDone };

// What only summary.json remembers from one run on a directory to the next: sessions, time, and errors over time.
class CampaignRecord {
 public:
  // One point for each growth by an eighth of an octave on either scale, so that a series stays short.
  struct Point {
    double seconds = 0;  // of all sessions
    std::uint64_t executions = 0;
    double row_ulp = 0;
    double bound_ratio = 0;
  };
  using SeriesName = std::pair<norm::Op, norm::Format>;  // op and format of x

  // Goes on from the summary in the file; starts anew where there is none that can be read.
  explicit CampaignRecord(const std::string& file);

  void Observe(double all_seconds, const WorkerStats& stats);

  std::uint64_t sessions() const { return sessions_; }  // this one included
  double seconds_before() const { return seconds_before_; }
  std::uint64_t restarts_before() const { return restarts_before_; }
  const std::map<SeriesName, std::vector<Point>>& series() const { return series_; }

 private:
  std::uint64_t sessions_ = 1;
  double seconds_before_ = 0;
  std::uint64_t restarts_before_ = 0;
  std::map<SeriesName, std::vector<Point>> series_;
};

struct SummaryParts {
  const CampaignOptions& options;
  const CampaignDir& dir;
  const std::vector<norm::Op>& ops;
  const WorkerStats& stats;  // of all sessions
  const CampaignRecord& record;
  const CampaignStatus& last;
  std::uint64_t restarts;    // of this session
  CampaignState state;
};

// {"schema", "kernel", "contract", "about", "ops", "seed", "state", "environment": {..}, "sessions", "seconds", "executions", "judged",
//  "executions_per_second", "corpus", "restarts",
//  "worst":      one per op and formats: judged, max_row_ulp, row_ulp_file, max_bound_ratio, bound_ratio_file (null: no case is on disk),
//  "series":     one per op and format of x, with points [seconds, executions, row_ulp, bound_ratio],
//  "findings":   signature, bucket, file, note, replay, and op and formats of its case,
//  "causes":     what explains the findings (reference/diagnosis/causes.h), once the run has ended,
//  "coverage":   {"classes": one per op, format of x and class of rows; "families": one per origin (origin.h) and class of rows;
//                 "conditions": counts},
//  "worst_rows": one per op, formats, class and scale, worst first}
// Files are named below the campaign's directory, replay lines as the directory was named to the run.
std::string SummaryText(const SummaryParts& parts);

}  // namespace normcheck::fuzz

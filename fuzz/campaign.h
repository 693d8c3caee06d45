// Fuzz campaigns: workers as processes of their own, a directory that holds all they find, and the summary as data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "norm/kernel.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// When a campaign ends. Executions are counted over all workers; where they are set, time is no limit.
struct Budget {
  double seconds = 60;
  std::optional<std::uint64_t> executions;
};

struct CampaignOptions {
  norm::Kernel kernel;          // workers find it again by its name
  std::optional<norm::Op> op;   // nothing: every op of the kernel
  Budget budget;
  int jobs = 0;                 // worker processes, 0: one per core; never fewer than ops
  std::string dir;              // empty: DefaultCampaignDir
  std::string fuzz_dir;         // where fuzz_layer_norm and fuzz_rms_norm are: FindFuzzDir
  std::uint64_t seed = 1;
  int hang_seconds = 10;        // of processor time and sleep on one input (stuck_watch.h)
  std::vector<std::pair<std::string, std::string>> environment;  // shown in the summary as it is
};

// The worst error of one format of x so far, over ops and sessions.
struct FormatWorst {
  norm::Format x = norm::Format::kF32;
  double row_ulp = 0;

  friend bool operator==(const FormatWorst&, const FormatWorst&) = default;
};

// Where a campaign stands, once a second and once at its end.
struct CampaignStatus {
  double seconds = 0;                       // of this run
  std::uint64_t executions = 0;             // of this run
  double executions_per_second = 0;         // over the last second
  double all_seconds = 0;                   // of every run on the directory
  std::uint64_t all_executions = 0;
  std::uint64_t not_checked = 0;            // of this run: inputs that this program could not run or judge
  std::string why_not_checked;
  std::size_t corpus = 0;                   // inputs kept, both ops
  std::optional<double> worst_row_ulp;      // of every run; nothing before the first judged case
  std::optional<double> worst_bound_ratio;  // observed / promised under the kernel's contract
  std::vector<FormatWorst> worst_by_format; // formats that were judged
  std::size_t findings = 0;                 // of every run
  std::map<std::string, std::size_t> buckets;  // findings by diagnosis, else by fault
};

// A broken promise on disk: one per signature OP-FORMATS-FAULT[-DIAGNOSIS] (finding.h), such as
// "layer_norm-f32-beyond-contract-eps-after-root" or "rms_norm-f16-crash".
struct CampaignFinding {
  std::string file;    // DIR/findings/SIGNATURE.case.json, or .mixed.json (finding.h)
  std::string signature;
  std::string bucket;  // "eps-after-root", "crash": the diagnosis, else the fault
  std::string replay;  // ./normcheck judge --kernel K FILE
};

struct CampaignResult {
  CampaignStatus last;
  std::string dir;
  std::vector<CampaignFinding> findings;  // sorted by signature
  bool resumed = false;                   // the directory held an earlier campaign
  bool interrupted = false;               // ended by SIGINT or SIGTERM
  std::uint64_t restarts = 0;             // workers that died early and were started again
};

using CampaignProgress = std::function<void(const CampaignStatus&)>;

// Runs workers on the kernel until the budget is spent or SIGINT, SIGTERM or SIGHUP comes (handled here while it runs; 2 s at most).
// Directory: created where missing; DIR/normcheck-campaign.json marks it as ours and names the kernel; a second run resumes.
// DIR/summary.json is replaced every 5 seconds and at the end (campaign_summary.h).
// A worker that crashes, exits, hangs (hang_seconds on one input, twice: crew.h) or takes more than 2 GiB becomes a finding and is
// started again.
// Workers die with this process, also on kill -9.
// Errors: nothing to run, a directory that is foreign, another kernel's, unwritable or in use by another campaign, workers
//   that cannot run; one line that names the thing and the mend. Nothing foreign is written then.
reference::Result<CampaignResult> RunCampaign(const CampaignOptions& options, const CampaignProgress& progress);

// "normcheck-fuzz/KERNEL-OP", or "normcheck-fuzz/KERNEL" for a kernel of several ops where none is chosen.
std::string DefaultCampaignDir(const norm::Kernel& kernel, std::optional<norm::Op> op);

// The folder of the fuzz targets: $NORMCHECK_FUZZ_DIR, or the build's `fuzz` beside the build of this executable.
// Error (exit 3: a missing tool): says where it looked and how to build them.
reference::Result<std::string> FindFuzzDir();

// "60s", "10m", "2h": seconds. A whole or decimal number > 0, its unit required; at most 1000 hours.
reference::Result<double> ParseDuration(std::string_view text);

}  // namespace normcheck::fuzz

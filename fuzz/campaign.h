// Fuzz campaigns: workers as processes of their own, a directory that holds all they find, and the summary as data.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
};

// Where a campaign stands, once a second and once at its end.
struct CampaignStatus {
  double seconds = 0;
  std::uint64_t executions = 0;
  double executions_per_second = 0;         // over the last second
  std::size_t corpus = 0;                   // inputs kept, both ops
  std::optional<double> worst_row_ulp;      // over the elements judged so far; nothing before the first
  std::optional<double> worst_bound_ratio;  // observed / promised under the kernel's contract
  std::size_t findings = 0;                 // those of earlier runs on the directory included
};

// A broken promise on disk: one per signature OP-X-PARAMS-Y-FAULT-DIAGNOSIS, such as
// "layer_norm-f32-f32-f32-beyond-contract-eps-after-root" or "rms_norm-f16-f16-f16-crash-none".
struct CampaignFinding {
  std::string file;    // DIR/findings/SIGNATURE.case.json
  std::string signature;
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

// Runs workers on the kernel until the budget is spent or SIGINT or SIGTERM comes (handled here while it runs; 2 s at most).
// Directory: created where missing; DIR/normcheck-campaign.json marks it as ours and names the kernel; a second run resumes.
// A worker that crashes, hangs (10 s on one input) or takes more than 2 GiB becomes a finding and is started again.
// Requires: to be called on a thread that outlives the campaign (workers die with it, also on kill -9).
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

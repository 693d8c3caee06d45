// What a fuzz target does with its cases: judges each, keeps count, and records findings or reports the first one.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fuzz/call_history.h"
#include "fuzz/finding.h"
#include "fuzz/sighting.h"
#include "fuzz/target_case.h"
#include "fuzz/worker_stats.h"
#include "fuzz/worst_rows.h"
#include "norm/kernel.h"
#include "properties/laws.h"
#include "reference/result.h"
#include "reference/verdict.h"

namespace normcheck::fuzz {

// Exit code of a target that cannot write its findings (EX_IOERR): starting it again would not help.
inline constexpr int kCannotRecord = 74;

// What makes inputs: moves, fresh cases and crossovers beside libFuzzer's own mutations; these alone, as for a target without
// a mutator; or fresh cases alone, a random sweep. The last two are for experiments.
enum class Mutations : std::uint8_t { kRowMoves, kBytes, kFresh };

struct SessionOptions {
  norm::Kernel kernel;
  std::string findings_dir;  // empty: the first broken promise is reported instead of recorded
  std::string stats_file;    // empty: none is written; else what it holds is counted on
  std::string worst_dir{};   // empty: worst rows are not kept
  bool guidance = true;      // errors go back through the extra counters (guidance.h)
  Mutations mutations = Mutations::kRowMoves;
  norm::Op op = norm::Op::kLayerNorm;  // of the cases that the mutator makes
  Pace pace = Pace::kClock;
};

class TargetSession {
 public:
  enum class Outcome { kJudged, kSkipped, kFailed };

  explicit TargetSession(SessionOptions options);

  // Judges one case under the kernel's contract by the fast levels, and asks some cases a law beside (target_laws.h). kFailed:
  // report() says all of it, and the target must end: without findings_dir a promise was broken; with it a file could not be
  // written.
  Outcome Check(const reference::Case& c);

  // The input of the next case, for mistakes that need those before it.
  void Remember(std::span<const std::uint8_t> input) { history_.Add(input); }

  // Called before each question that settles how a finding shows again: whoever watches for hangs sees that one question is no long one.
  void OnEachQuestion(std::function<void()> pulse) { pulse_ = std::move(pulse); }

  // Where the next case comes from (origin.h); after it, "corpus" again.
  void Announce(std::size_t origin) { origin_ = origin; }

  const norm::Kernel& kernel() const { return options_.kernel; }
  norm::Op op() const { return options_.op; }
  bool recording() const { return !options_.findings_dir.empty(); }
  Mutations mutations() const { return options_.mutations; }
  const std::string& report() const { return report_; }
  const WorkerStats& stats() const { return stats_; }
  void SaveStats();

 private:
  bool StatsAreDue() const;
  Outcome Broken(const reference::Case& c);
  Outcome BrokenBefore(const reference::Case& c, const properties::Law* law);
  Outcome CheckLaw(const reference::Case& c);
  Outcome BrokenLaw(const properties::Law& law, const reference::Case& c, const std::string& seen);
  Outcome Record(const Sighting& sighting);
  Outcome Report(const Sighting& sighting);
  bool Note(const reference::Case& c, const reference::Verdict& verdict);
  bool WorthDiagnosing(const reference::Case& c, const reference::Verdict& verdict);

  SessionOptions options_;
  WorkerStats stats_;
  WorstRows worst_;
  std::size_t origin_;
  CallHistory history_;
  std::function<void()> pulse_;
  std::string report_;
  std::set<std::string> known_;                       // signatures on disk
  std::map<std::string, std::uint64_t> settled_;      // searches for a replay, by the signature before them
  std::map<std::string, std::uint64_t> broken_;       // by signature without diagnosis
  std::map<std::uint64_t, std::uint64_t> described_;  // by what the fast levels tell
  std::chrono::steady_clock::time_point saved_{};
};

// The session of this process; each target of a kernel defines it.
TargetSession& TheSession();

// From the environment: NORMCHECK_KERNEL (default: the production kernel of the op), NORMCHECK_FINDINGS, NORMCHECK_STATS,
// NORMCHECK_WORST, NORMCHECK_PACE (clock or counts), and for experiments NORMCHECK_GUIDANCE (on or off) and NORMCHECK_MUTATIONS (row-moves, bytes or
// fresh); the first is the default.
// Errors: no such kernel, or one without the op; another word.
reference::Result<SessionOptions> SessionFromEnvironment(norm::Op op);

}  // namespace normcheck::fuzz

// The workers of one campaign: started, counted, started again when they die, and stopped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign.h"
#include "fuzz/campaign_dir.h"
#include "fuzz/worker.h"
#include "fuzz/worker_stats.h"

namespace normcheck::fuzz {

class Crew {
 public:
  // One worker per job, at least one per op, dealt out in turn; executions are shared evenly.
  Crew(const CampaignOptions& options, const CampaignDir& dir, const std::vector<norm::Op>& ops, const std::string& fuzz_dir);

  // Errors of both: a worker that cannot run, with the log that says why.
  std::optional<reference::Error> Start();
  std::optional<reference::Error> Tend();  // reaps, turns crashes into findings, starts again

  bool Done() const;  // every worker has spent its executions
  void Stop();        // politely, then firmly: within 1.2 s
  WorkerStats Stats() const;
  std::uint64_t restarts() const { return restarts_; }

 private:
  struct Seat {
    norm::Op op = norm::Op::kLayerNorm;
    std::string program;
    std::string stats_file;
    std::string log;
    std::optional<std::uint64_t> executions;  // to spend
    std::optional<Worker> worker;
    WorkerStats before;                       // of the workers that held this seat earlier
    int starts = 0;
    int hollow_ends = 0;                      // in a row: died before the first execution
    bool done = false;
  };

  std::optional<reference::Error> StartSeat(Seat& seat);
  std::optional<reference::Error> Ended(Seat& seat, WorkerEnd end);
  WorkerCommand CommandOf(const Seat& seat) const;
  bool StoppedWithin(int signal, double seconds);

  const CampaignOptions& options_;
  const CampaignDir& dir_;
  std::vector<Seat> seats_;
  std::uint64_t restarts_ = 0;
};

}  // namespace normcheck::fuzz

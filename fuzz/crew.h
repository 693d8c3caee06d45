// The workers of one campaign: started, counted, started again when they die, and stopped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/artifacts.h"
#include "fuzz/campaign.h"
#include "fuzz/campaign_dir.h"
#include "fuzz/stuck_watch.h"
#include "fuzz/worker.h"
#include "fuzz/worker_stats.h"

namespace normcheck::fuzz {

class Crew {
 public:
  // One worker per job, at least one per op, dealt out in turn; executions are shared evenly.
  // `session`: how many runs the directory has seen; each draws other seeds.
  Crew(const CampaignOptions& options, const CampaignDir& dir, const std::vector<norm::Op>& ops, const std::string& fuzz_dir,
       std::uint64_t session);

  // Errors of both: a worker that cannot run, with the log that says why.
  // An execution that takes options.hang_seconds (StuckWatch) ends its worker and is a suspect: its input runs once more, alone in a
  // fresh worker. Where it hangs there, it is a finding; where it ends, only if it had hung on processor time, which no other process
  // can make it spend: "hang-after-other-calls".
  std::optional<reference::Error> Start();
  std::optional<reference::Error> Tend();  // reaps, kills what hangs, turns deaths into findings, starts again

  bool Done() const;  // every worker has spent its executions
  void Stop();        // politely, then firmly: within 0.9 s
  WorkerStats Stats() const;           // of every session on the directory
  std::uint64_t Executions() const;    // of this one
  std::uint64_t restarts() const { return restarts_; }

 private:
  struct Seat {
    norm::Op op = norm::Op::kLayerNorm;
    std::string program;
    std::string stats_file;
    std::string log;
    std::string flight_file;
    std::filesystem::path artifacts;
    std::optional<std::uint64_t> executions;  // to spend
    std::optional<Worker> worker;
    StuckWatch watch;
    std::string suspect_file;                 // the suspect's input; outlives a campaign that ends before it is tried
    enum class Suspect : std::uint8_t { kNone, kSlept, kBusy } suspect = Suspect::kNone;
    bool on_trial = false;                    // the worker runs the suspect alone
    std::uint64_t before = 0;                 // executions of earlier sessions
    std::uint64_t at_start = 0;               // executions before the worker that runs now
    std::uint64_t starts = 0;
    int hollow_ends = 0;                      // in a row: died before the first execution
    bool done = false;
  };

  std::optional<reference::Error> StartSeat(Seat& seat);
  std::optional<reference::Error> Ended(Seat& seat, WorkerEnd end);
  std::optional<reference::Error> Failure(const Seat& seat, WorkerEnd end) const;
  void HarvestEnd(Seat& seat, WorkerEnd end);
  void KillWhatHangs(Seat& seat);
  void KeepSuspect(Seat& seat, const std::vector<std::uint8_t>& input);
  void EndTrial(Seat& seat, std::string_view fault);
  DeathPlace PlaceOf(const Seat& seat) const;
  std::uint64_t Spent(const Seat& seat) const;
  WorkerCommand CommandOf(const Seat& seat) const;
  WorkerCommand TrialOf(const Seat& seat) const;
  bool StoppedWithin(int signal, double seconds);

  const CampaignOptions& options_;
  const CampaignDir& dir_;
  std::uint64_t session_;
  std::vector<Seat> seats_;
  std::uint64_t restarts_ = 0;
};

}  // namespace normcheck::fuzz

// Starting, tending and stopping workers.
#include "fuzz/crew.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "fuzz/artifacts.h"
#include "fuzz/target_session.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;

constexpr int kHollowEndsAllowed = 3;
constexpr int kNoSuchKernel = 2;
constexpr std::chrono::milliseconds kPollEvery{10};

std::size_t SeatCount(int jobs, std::size_t ops) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::max(jobs > 0 ? static_cast<std::size_t>(jobs) : cores, ops);
}

std::optional<std::uint64_t> Share(std::optional<std::uint64_t> executions, std::size_t seat, std::size_t seats) {
  if (!executions) return std::nullopt;
  return *executions / seats + (seat < *executions % seats ? 1 : 0);
}

// libFuzzer's -seed is 32 bits wide and random where it is 0; a worker that died must not die on the same path again.
std::uint64_t SeedOf(std::uint64_t seed, std::size_t seat, int start) {
  const std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u + seat * 7919 + static_cast<std::uint64_t>(start) * 104729;
  return (mixed & 0x7fffffff) | 1;
}

WorkerStats StatsIn(const std::string& file) {
  const auto stats = ReadWorkerStats(file);
  return stats.ok() ? stats.value() : WorkerStats{};
}

bool Hopeless(WorkerEnd end) {
  return end.code == kNoSuchKernel || end.code == kCannotRecord || end.code == kCannotExecute;
}

}  // namespace

Crew::Crew(const CampaignOptions& options, const CampaignDir& dir, const std::vector<norm::Op>& ops, const std::string& fuzz_dir)
    : options_(options), dir_(dir), seats_(SeatCount(options.jobs, ops.size())) {
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    seat.op = ops[i % ops.size()];
    seat.program = (fs::path(fuzz_dir) / ("fuzz_" + std::string(NameOf(seat.op)))).string();
    seat.stats_file = (dir.Workers() / (std::to_string(i) + ".json")).string();
    seat.log = (dir.Workers() / (std::to_string(i) + ".log")).string();
    seat.executions = Share(options.budget.executions, i, seats_.size());
    seat.done = seat.executions == std::uint64_t{0};
    std::error_code fault;
    fs::remove(seat.log, fault);
  }
}

std::optional<Error> Crew::Start() {
  for (Seat& seat : seats_) {
    if (seat.done) continue;
    if (auto error = StartSeat(seat)) return error;
  }
  return std::nullopt;
}

WorkerCommand Crew::CommandOf(const Seat& seat) const {
  const std::size_t index = static_cast<std::size_t>(&seat - seats_.data());
  WorkerCommand command;
  command.arguments = {seat.program, dir_.Corpus(seat.op).string(),
                       "-artifact_prefix=" + dir_.Artifacts(seat.op).string() + "/",
                       "-seed=" + std::to_string(SeedOf(options_.seed, index, seat.starts)),
                       "-max_len=32768", "-timeout=10", "-rss_limit_mb=2048", "-reload=1", "-verbosity=0"};
  if (seat.executions)
    command.arguments.push_back("-runs=" + std::to_string(*seat.executions - seat.before.executions));
  command.environment = {"NORMCHECK_KERNEL=" + options_.kernel.name, "NORMCHECK_FINDINGS=" + dir_.Findings().string(),
                         "NORMCHECK_STATS=" + seat.stats_file};
  command.log = seat.log;
  return command;
}

std::optional<Error> Crew::StartSeat(Seat& seat) {
  std::error_code fault;
  fs::remove(seat.stats_file, fault);
  auto worker = Worker::Start(CommandOf(seat));
  if (!worker.ok()) return Error{worker.error()};
  seat.worker = std::move(worker).value();
  ++seat.starts;
  return std::nullopt;
}

std::optional<Error> Crew::Tend() {
  for (Seat& seat : seats_) {
    if (!seat.worker) continue;
    const auto end = seat.worker->Poll();
    if (!end) continue;
    if (auto error = Ended(seat, *end)) return error;
  }
  return std::nullopt;
}

std::optional<Error> Crew::Ended(Seat& seat, WorkerEnd end) {
  const WorkerStats stats = StatsIn(seat.stats_file);
  seat.worker.reset();
  seat.before.Merge(stats);
  const std::size_t deaths = HarvestArtifacts(dir_.Artifacts(seat.op), dir_.Findings().string(), options_.kernel, seat.op);
  seat.hollow_ends = deaths == 0 && stats.executions == 0 ? seat.hollow_ends + 1 : 0;
  if (Hopeless(end) || seat.hollow_ends >= kHollowEndsAllowed)
    return Error{seat.program + ": cannot run; " + seat.log + " says why"};
  seat.done = seat.executions && (seat.before.executions >= *seat.executions || (end.code == 0 && end.signal == 0));
  if (seat.done) return std::nullopt;
  ++restarts_;
  return StartSeat(seat);
}

bool Crew::Done() const {
  return std::ranges::all_of(seats_, &Seat::done);
}

// SIGUSR1 lets libFuzzer end after the execution in flight and write its statistics; SIGTERM ends it at once.
void Crew::Stop() {
  if (!StoppedWithin(SIGUSR1, 0.6)) StoppedWithin(SIGTERM, 0.3);
  StoppedWithin(SIGKILL, 0.3);
  for (Seat& seat : seats_)
    HarvestArtifacts(dir_.Artifacts(seat.op), dir_.Findings().string(), options_.kernel, seat.op);
}

bool Crew::StoppedWithin(int signal, double seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  const auto running = [](Seat& seat) { return seat.worker && !seat.worker->Poll() && seat.worker->running(); };
  for (Seat& seat : seats_)
    if (seat.worker) seat.worker->Signal(signal);
  while (std::ranges::count_if(seats_, running) > 0) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPollEvery);
  }
  return true;
}

WorkerStats Crew::Stats() const {
  WorkerStats sum;
  for (const Seat& seat : seats_) {
    sum.Merge(seat.before);
    if (seat.worker) sum.Merge(StatsIn(seat.stats_file));
  }
  return sum;
}

}  // namespace normcheck::fuzz

// Starting, tending and stopping workers.
#include "fuzz/crew.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "fuzz/flight_record.h"
#include "fuzz/target_session.h"
#include "properties/plug_in/child_process.h"

namespace normcheck::fuzz {
namespace {

namespace fs = std::filesystem;
using reference::Error;

constexpr int kHollowEndsAllowed = 3;
constexpr int kNoSuchKernel = 2;
constexpr int kInterrupted = 72;
constexpr std::chrono::milliseconds kPollEvery{10};
constexpr std::string_view kHang = "hang";
// A campaign of so many executions is the same each time: no comparisons, whose addresses differ from start to start and become
// mutations, and no look at the corpus folder by the clock, which other workers fill in the meantime.
constexpr std::array kRepeatable = {"-use_cmp=0", "-reload=0"};
constexpr std::string_view kHangAfterOthers = "hang-after-other-calls";

std::size_t SeatCount(int jobs, std::size_t ops) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::max(jobs > 0 ? static_cast<std::size_t>(jobs) : cores, ops);
}

std::optional<std::uint64_t> Share(std::optional<std::uint64_t> executions, std::size_t seat, std::size_t seats) {
  if (!executions) return std::nullopt;
  return *executions / seats + (seat < *executions % seats ? 1 : 0);
}

// libFuzzer's -seed is 32 bits wide and random where it is 0; a worker that died must not die on the same path again.
std::uint64_t SeedOf(std::uint64_t seed, std::size_t seat, std::uint64_t start) {
  const std::uint64_t mixed = seed * 0x9e3779b97f4a7c15u + seat * 7919 + start * 104729;
  return (mixed & 0x7fffffff) | 1;
}

WorkerStats StatsIn(const std::string& file) {
  const auto stats = ReadWorkerStats(file);
  return stats.ok() ? stats.value() : WorkerStats{};
}

bool Hopeless(WorkerEnd end) {
  return end.code == kNoSuchKernel || end.code == kCannotRecord || end.code == properties::plug_in::kCannotExecute;
}

// An end that leaves no artifact though an execution was under way: the kernel ended the process (_exit), or wrecked it
// beyond libFuzzer's own report. SIGKILL comes from outside.
std::string_view SilentFault(WorkerEnd end) {
  if (end.signal == SIGKILL || end.signal == SIGTERM || end.code == kInterrupted || Hopeless(end)) return {};
  return end.signal != 0 ? "crash" : "exit";
}

}  // namespace

Crew::Crew(const CampaignOptions& options, const CampaignDir& dir, const std::vector<norm::Op>& ops, const std::string& fuzz_dir,
           std::uint64_t session)
    : options_(options), dir_(dir), session_(session), seats_(SeatCount(options.jobs, ops.size())) {
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    Seat& seat = seats_[i];
    const std::string number = std::to_string(i);
    seat.op = ops[i % ops.size()];
    seat.program = (fs::path(fuzz_dir) / ("fuzz_" + std::string(NameOf(seat.op)))).string();
    seat.stats_file = (dir.Workers() / (number + ".json")).string();
    seat.log = (dir.Workers() / (number + ".log")).string();
    seat.flight_file = (dir.Workers() / (number + ".flight")).string();
    seat.suspect_file = (dir.Workers() / (number + ".suspect")).string();
    if (fs::exists(seat.suspect_file)) seat.suspect = Seat::Suspect::kSlept;
    seat.artifacts = dir.Artifacts(seat.op) / number;
    seat.executions = Share(options.budget.executions, i, seats_.size());
    seat.done = seat.executions == std::uint64_t{0};
    seat.before = seat.at_start = StatsIn(seat.stats_file).executions;
    std::error_code fault;
    fs::remove(seat.log, fault);
    fs::remove(seat.flight_file, fault);
  }
}

std::optional<Error> Crew::Start() {
  for (Seat& seat : seats_) {
    std::error_code fault;
    fs::create_directories(seat.artifacts, fault);
    if (fault) return Error{seat.artifacts.string() + ": cannot be written (" + fault.message() + "); choose another --dir"};
    HarvestArtifacts(seat.artifacts, PlaceOf(seat));  // of a campaign that was killed
    if (seat.done) continue;
    if (auto error = StartSeat(seat)) return error;
  }
  return std::nullopt;
}

DeathPlace Crew::PlaceOf(const Seat& seat) const { return {options_.kernel, seat.op, dir_.Findings().string(), seat.log}; }

std::uint64_t Crew::Spent(const Seat& seat) const {
  const std::uint64_t now = StatsIn(seat.stats_file).executions;
  return now > seat.before ? now - seat.before : 0;
}

WorkerCommand Crew::CommandOf(const Seat& seat) const {
  const std::size_t index = static_cast<std::size_t>(&seat - seats_.data());
  WorkerCommand command;
  command.arguments = {seat.program, dir_.Corpus(seat.op).string(),
                       "-artifact_prefix=" + seat.artifacts.string() + "/",
                       "-seed=" + std::to_string(SeedOf(options_.seed, index, 1000 * session_ + seat.starts)),
                       "-max_len=32768", "-timeout=0", "-rss_limit_mb=2048",
                       "-handle_xfsz=0", "-entropic=0", "-print_funcs=0", "-verbosity=0"};
  if (seat.executions) {
    command.arguments.push_back("-runs=" + std::to_string(*seat.executions - Spent(seat)));
    command.arguments.insert(command.arguments.end(), kRepeatable.begin(), kRepeatable.end());
  }
  command.environment = {"NORMCHECK_KERNEL=" + options_.kernel.name, "NORMCHECK_FINDINGS=" + dir_.Findings().string(),
                         "NORMCHECK_STATS=" + seat.stats_file, "NORMCHECK_WORST=" + dir_.Worst().string(),
                         "NORMCHECK_FLIGHT=" + seat.flight_file};
  if (seat.executions) command.environment.push_back("NORMCHECK_PACE=counts");
  command.log = seat.log;
  return command;
}

// The suspect's input alone; its counts and errors are the first worker's.
WorkerCommand Crew::TrialOf(const Seat& seat) const {
  WorkerCommand command = CommandOf(seat);
  command.arguments = {seat.program, seat.suspect_file, "-artifact_prefix=" + seat.artifacts.string() + "/", "-timeout=0",
                       "-rss_limit_mb=2048", "-handle_xfsz=0"};
  for (std::string& setting : command.environment)
    for (const std::string name : {"NORMCHECK_STATS=", "NORMCHECK_WORST="})
      if (setting.starts_with(name)) setting = name;
  return command;
}

std::optional<Error> Crew::StartSeat(Seat& seat) {
  seat.at_start = StatsIn(seat.stats_file).executions;
  seat.on_trial = seat.suspect != Seat::Suspect::kNone;
  seat.watch = StuckWatch();
  auto worker = Worker::Start(seat.on_trial ? TrialOf(seat) : CommandOf(seat));
  if (!worker.ok()) return Error{worker.error()};
  seat.worker = std::move(worker).value();
  ++seat.starts;
  return std::nullopt;
}

std::optional<Error> Crew::Tend() {
  for (Seat& seat : seats_) {
    if (!seat.worker) continue;
    KillWhatHangs(seat);
    const auto end = seat.worker->Poll();
    if (!end) continue;
    if (auto error = Ended(seat, *end)) return error;
  }
  return std::nullopt;
}

void Crew::KillWhatHangs(Seat& seat) {
  seat.watch.Look(seat.flight_file, seat.worker->pid());
  if (seat.watch.seconds() < options_.hang_seconds) return;
  const auto input = InputUnderWay(seat.flight_file);
  if (!input) return;
  if (seat.on_trial) EndTrial(seat, kHang);
  else if (!IsKnownDeath(*input, kHang, PlaceOf(seat))) KeepSuspect(seat, *input);
  seat.worker->Signal(SIGKILL);
  seat.watch = StuckWatch();
}

void Crew::KeepSuspect(Seat& seat, const std::vector<std::uint8_t>& input) {
  std::ofstream file(seat.suspect_file, std::ios::binary);
  file.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  const bool busy = seat.watch.processor_seconds() >= options_.hang_seconds;
  seat.suspect = busy ? Seat::Suspect::kBusy : Seat::Suspect::kSlept;
}

// fault: what the suspect is stored as; empty where it is innocent. The log tells of other inputs.
void Crew::EndTrial(Seat& seat, std::string_view fault) {
  DeathPlace place = PlaceOf(seat);
  place.log.clear();
  if (!fault.empty()) HarvestDeath(InputIn(seat.suspect_file), fault, place);
  std::error_code ignored;
  fs::remove(seat.suspect_file, ignored);
  seat.suspect = Seat::Suspect::kNone;
  seat.on_trial = false;
}

// Artifacts first; where the worker left none, the flight record.
void Crew::HarvestEnd(Seat& seat, WorkerEnd end) {
  const auto input = InputUnderWay(seat.flight_file);
  const std::size_t deaths = HarvestArtifacts(seat.artifacts, PlaceOf(seat));
  const bool silent = deaths == 0 && input && !SilentFault(end).empty();
  if (silent) HarvestDeath(*input, SilentFault(end), PlaceOf(seat));
  const bool ran = StatsIn(seat.stats_file).executions > seat.at_start;
  seat.hollow_ends = deaths == 0 && !silent && !ran ? seat.hollow_ends + 1 : 0;
  std::error_code fault;
  fs::remove(seat.flight_file, fault);
}

std::optional<Error> Crew::Failure(const Seat& seat, WorkerEnd end) const {
  if (end.signal == 0 && end.code == kCannotRecord)
    return Error{dir_.path().string() + ": cannot be written; free the space and run again, it resumes (" + seat.log + " says more)"};
  if (Hopeless(end) || seat.hollow_ends >= kHollowEndsAllowed)
    return Error{seat.program + ": cannot run; " + seat.log + " says why"};
  return std::nullopt;
}

std::optional<Error> Crew::Ended(Seat& seat, WorkerEnd end) {
  const bool in_flight = InputUnderWay(seat.flight_file).has_value();
  const bool clean = end.code == 0 && end.signal == 0 && !in_flight;
  const bool was_on_trial = seat.on_trial;
  seat.worker.reset();
  HarvestEnd(seat, end);
  if (was_on_trial) EndTrial(seat, clean && seat.suspect == Seat::Suspect::kBusy ? kHangAfterOthers : std::string_view());
  if (auto error = Failure(seat, end)) return error;
  const bool spent = seat.executions && (Spent(seat) >= *seat.executions || (clean && !was_on_trial));
  seat.done = spent && seat.suspect == Seat::Suspect::kNone;
  if (seat.done) return std::nullopt;
  ++restarts_;
  return StartSeat(seat);
}

bool Crew::Done() const {
  return std::ranges::all_of(seats_, &Seat::done);
}

// SIGUSR1 lets libFuzzer end after the execution in flight and write its statistics; SIGTERM ends it at once.
void Crew::Stop() {
  if (!StoppedWithin(SIGUSR1, 0.4)) StoppedWithin(SIGTERM, 0.2);
  StoppedWithin(SIGKILL, 0.3);
  for (Seat& seat : seats_) HarvestArtifacts(seat.artifacts, PlaceOf(seat));
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
  std::error_code fault;
  for (fs::directory_iterator entry(dir_.Workers(), fault), end; !fault && entry != end; entry.increment(fault))
    if (entry->path().extension() == ".json") sum.Merge(StatsIn(entry->path().string()));
  return sum;
}

std::uint64_t Crew::Executions() const {
  std::uint64_t sum = 0;
  for (const Seat& seat : seats_) sum += Spent(seat);
  return sum;
}

}  // namespace normcheck::fuzz

// A worker that stands in for a fuzz target in campaign tests; FAKE_WORKER says how it behaves.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "fuzz/flight_record.h"
#include "fuzz/target_session.h"
#include "fuzz/worker_stats.h"
#include "reference/case_bytes.h"

namespace {

volatile sig_atomic_t stop_asked = 0;

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string Argument(int argc, char** argv, std::string_view name) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]).starts_with(name)) return std::string(argv[i]).substr(name.size());
  return "";
}

void WriteBytes(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// As a target does: counts on from what the file holds. "mild" has a smaller error than the rest.
normcheck::fuzz::WorkerStats Earlier() {
  const auto earlier = normcheck::fuzz::ReadWorkerStats(Setting("NORMCHECK_STATS"));
  return earlier.ok() ? earlier.value() : normcheck::fuzz::WorkerStats{};
}

void Save(normcheck::fuzz::WorkerStats stats, std::uint64_t executions) {
  normcheck::fuzz::WorkerStats now;
  now.executions = now.judged = executions;
  now.worst_row_ulp = Setting("FAKE_WORKER") == "mild" ? 1u << 20 : 3u << 20;
  now.worst_bound_ratio = 1u << 19;
  stats.Merge(now);
  static_cast<void>(normcheck::fuzz::WriteWorkerStats(Setting("NORMCHECK_STATS"), stats));
}

std::vector<std::uint8_t> SomeInput() {
  return normcheck::reference::EncodeCase(normcheck::reference::MakeCase(normcheck::norm::Op::kLayerNorm, {}, 1, 4, 1e-5));
}

void Crash(const std::string& prefix) {
  Save(Earlier(), 1);
  WriteBytes(prefix + "crash-" + std::to_string(getpid()), SomeInput());
  std::abort();
}

// An execution begins, and the kernel takes the process along, or never returns and blocks every signal.
void Begin() {
  static normcheck::fuzz::FlightRecorder flights(Setting("NORMCHECK_FLIGHT"));
  Save(Earlier(), 1);
  flights.Begin(SomeInput());
}

// Writes far past an allocation of its own, over what others have on the heap.
void ScribbleOverTheHeap() {
  Begin();
  volatile char* const y = static_cast<char*>(std::malloc(16));
  std::vector<std::string> neighbours(1000, std::string(100, 'x'));
  for (std::size_t i = 0; i < 4096; ++i) y[i] = 'y';
  neighbours.clear();
  std::free(const_cast<char*>(y));
}

[[noreturn]] void StayDeaf() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  Begin();
  for (;;) pause();
}

// One long execution where the worker is a campaign's, a short one where it is to run an input alone.
void Dawdle(const std::string& behaviour, bool alone) {
  static normcheck::fuzz::FlightRecorder flights(Setting("NORMCHECK_FLIGHT"));
  if (!alone) Save(Earlier(), 1);
  flights.Begin(SomeInput());
  if (behaviour == "stopped") raise(SIGSTOP);
  const bool spins = behaviour == "spins" || (behaviour == "spins in company" && !alone);
  while (spins && stop_asked >= 0) continue;
  if (behaviour == "naps in company" && !alone) sleep(60);
  flights.End();
}

// -merge=1 NEW OLD: the first file is all it takes.
int Merge(const std::filesystem::path& merged, const std::filesystem::path& old) {
  const std::filesystem::directory_iterator first(old);
  std::filesystem::copy(first->path(), merged / first->path().filename());
  return 0;
}

void Count(const std::string& corpus, std::uint64_t runs) {
  std::ofstream(corpus + "/" + std::to_string(getpid())) << "input";
  const auto earlier = Earlier();
  for (std::uint64_t executions = 1; stop_asked == 0 && executions <= runs; ++executions) {
    Save(earlier, executions);
    usleep(5000);
  }
}

void IgnoreSignals() {
  signal(SIGUSR1, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string behaviour = Setting("FAKE_WORKER");
  signal(SIGUSR1, [](int) { stop_asked = 1; });
  if (behaviour == "hollow") return 1;
  if (behaviour == "unrecorded") return normcheck::fuzz::kCannotRecord;
  if (argc > 3 && std::string_view(argv[1]) == "-merge=1") return Merge(argv[2], argv[3]);
  if (behaviour == "exit") Begin(), _exit(0);
  if (behaviour == "deaf") StayDeaf();
  if (behaviour == "scribbles") ScribbleOverTheHeap();
  const bool alone = !std::filesystem::is_directory(argv[1]);
  for (const char* slow : {"stopped", "spins", "spins in company", "naps in company"})
    if (behaviour == slow) Dawdle(behaviour, alone);
  if (alone) return 0;
  if (behaviour == "crash") Crash(Argument(argc, argv, "-artifact_prefix="));
  if (behaviour == "stubborn") IgnoreSignals();
  const std::string runs = Argument(argc, argv, "-runs=");
  Count(argv[1], runs.empty() ? 1000000 : std::stoull(runs));
  return 0;
}

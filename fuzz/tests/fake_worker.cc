// A worker that stands in for a fuzz target in campaign tests; FAKE_WORKER says how it behaves.
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

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

void Save(std::uint64_t executions) {
  static_cast<void>(normcheck::fuzz::WriteWorkerStats(Setting("NORMCHECK_STATS"), {executions, executions, 3u << 20, 1u << 19}));
}

void Crash(const std::string& prefix) {
  Save(1);
  WriteBytes(prefix + "crash-" + std::to_string(getpid()),
             normcheck::reference::EncodeCase(normcheck::reference::MakeCase(normcheck::norm::Op::kLayerNorm, {}, 1, 4, 1e-5)));
  std::abort();
}

void Count(const std::string& corpus, std::uint64_t runs) {
  std::ofstream(corpus + "/" + std::to_string(getpid())) << "input";
  for (std::uint64_t executions = 1; stop_asked == 0 && executions <= runs; ++executions) {
    Save(executions);
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
  if (behaviour == "crash") Crash(Argument(argc, argv, "-artifact_prefix="));
  if (behaviour == "stubborn") IgnoreSignals();
  const std::string runs = Argument(argc, argv, "-runs=");
  Count(argv[1], runs.empty() ? 1000000 : std::stoull(runs));
  return 0;
}

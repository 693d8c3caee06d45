// normcheck bench: runs the benchmark program that stands beside this one.
#include <fmt/format.h>
#include <regex.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include "reports/cli/arguments.h"
#include "reports/cli/interrupt.h"
#include "reports/cli/verbs.h"

extern char** environ;

namespace normcheck::reports {
namespace {

namespace fs = std::filesystem;

struct BenchArguments {
  std::string filter;
  std::string json;
  bool quick = false;
};

fs::path Program() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / "normcheck_bench";
}

// Its exit status, 127 where it was ended by a signal. An interrupt of ours ends it.
int WaitFor(pid_t child) {
  const std::atomic<bool>& interrupted = CatchInterrupts();
  int status = 0;
  for (bool told = false; waitpid(child, &status, WNOHANG) == 0; std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (interrupted && !std::exchange(told, true)) kill(child, SIGTERM);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

// Its exit status; 127 where it cannot be started.
int RunProgram(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return 127;
  return WaitFor(child);
}

// What is wrong with a regular expression; empty: nothing.
std::string FaultOf(const std::string& expression) {
  regex_t compiled;
  const int fault = regcomp(&compiled, expression.c_str(), REG_EXTENDED | REG_NOSUB);
  if (fault == 0) return regfree(&compiled), "";
  char why[128];
  regerror(fault, &compiled, why, sizeof why);
  return why;
}

std::vector<std::string> Words(const BenchArguments& arguments, const std::string& draft) {
  std::vector<std::string> words = {Program().string()};
  if (!arguments.filter.empty()) words.push_back("--benchmark_filter=" + arguments.filter);
  if (arguments.quick) words.insert(words.end(), {"--quick", "--benchmark_min_time=0.05"});
  words.push_back("--benchmark_out=" + draft);
  words.push_back("--benchmark_out_format=json");
  return words;
}

// Renames the draft to the name asked for; without anything in it no benchmark ran, which is no success.
ExitCode KeepJson(const std::string& draft, const std::string& file) {
  std::error_code error;
  if (fs::file_size(draft, error) == 0 || error) return Say(ExitCode::kNotChecked, "--filter: no benchmark has such a name");
  if (file.empty()) return ExitCode::kKept;
  fs::rename(draft, file, error);
  if (error) return Say(ExitCode::kWrongUse, "--json " + file + ": " + error.message() + "; name another file");
  return ExitCode::kKept;
}

// Beside the file asked for, so that it can be renamed; else among the temporary files.
std::string DraftOf(const std::string& json) {
  const std::string place = json.empty() ? (fs::temp_directory_path() / "normcheck-bench").string() : json;
  return fmt::format("{}.partial-{}", place, getpid());
}

ExitCode Bench(const BenchArguments& arguments) {
  if (const std::string fault = FaultOf(arguments.filter); !fault.empty())
    return Say(ExitCode::kWrongUse, "--filter " + arguments.filter + ": no regular expression: " + fault);
  const std::string draft = DraftOf(arguments.json);
  if (access(fs::absolute(draft).parent_path().c_str(), W_OK | X_OK) != 0)
    return Say(ExitCode::kWrongUse, "--json " + arguments.json + ": cannot write there; name another file");
  if (access(Program().c_str(), X_OK) != 0)
    return Say(ExitCode::kNotChecked, Program().string() + ": missing; build the target normcheck_bench (needs libbenchmark-dev)");
  const int status = RunProgram(Words(arguments, draft));
  const ExitCode code = status == 0 ? KeepJson(draft, arguments.json)
                                    : Say(ExitCode::kNotChecked, fmt::format("the benchmarks ended with status {}", status));
  std::error_code ignored;
  fs::remove(draft, ignored);
  return code;
}

}  // namespace

void AddBench(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* verb = app.add_subcommand("bench", "measure the speed of the kernels, of the judge and of the laws");
  verb->add_option("--filter", arguments->filter, "only benchmarks whose name matches this regular expression");
  verb->add_option("--json", arguments->json, "also write the figures to this file (Google Benchmark's JSON)");
  verb->add_flag("--quick", arguments->quick, "a quarter of the shapes, and short measurements");
  verb->callback([arguments, &code] { code = Bench(*arguments); });
}

}  // namespace normcheck::reports

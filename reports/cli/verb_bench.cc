// normcheck bench: runs the benchmark program that stands beside this one.
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "reports/cli/arguments.h"
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

// Its exit status; 127 where it cannot be started.
int RunProgram(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return 127;
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 127;
  return WEXITSTATUS(status);
}

std::vector<std::string> Words(const BenchArguments& arguments, const std::string& draft) {
  std::vector<std::string> words = {Program().string()};
  if (!arguments.filter.empty()) words.push_back("--benchmark_filter=" + arguments.filter);
  if (arguments.quick) words.push_back("--benchmark_min_time=0.05");
  if (!draft.empty()) {
    words.push_back("--benchmark_out=" + draft);
    words.push_back("--benchmark_out_format=json");
  }
  return words;
}

// Renames the draft to the name asked for once there is something in it.
ExitCode KeepJson(const std::string& draft, const std::string& file) {
  std::error_code error;
  if (fs::file_size(draft, error) == 0 || error) return Say(ExitCode::kNotChecked, "--filter: no benchmark has such a name");
  fs::rename(draft, file, error);
  if (error) return Say(ExitCode::kWrongUse, "--json " + file + ": " + error.message() + "; name another file");
  return ExitCode::kKept;
}

ExitCode Bench(const BenchArguments& arguments) {
  const std::string draft = arguments.json.empty() ? "" : fmt::format("{}.partial-{}", arguments.json, getpid());
  if (!draft.empty() && access(fs::absolute(draft).parent_path().c_str(), W_OK | X_OK) != 0)
    return Say(ExitCode::kWrongUse, "--json " + arguments.json + ": cannot write there; name another file");
  if (access(Program().c_str(), X_OK) != 0)
    return Say(ExitCode::kNotChecked, Program().string() + ": missing; build the target normcheck_bench (needs libbenchmark-dev)");
  const int status = RunProgram(Words(arguments, draft));
  ExitCode code = ExitCode::kKept;
  if (status != 0) code = Say(ExitCode::kNotChecked, fmt::format("the benchmarks ended with status {}", status));
  else if (!draft.empty()) code = KeepJson(draft, arguments.json);
  std::error_code ignored;
  if (!draft.empty()) fs::remove(draft, ignored);
  return code;
}

}  // namespace

void AddBench(CLI::App& app, ExitCode& code) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* verb = app.add_subcommand("bench", "measure the speed of the kernels and of the judge");
  verb->add_option("--filter", arguments->filter, "only benchmarks whose name matches this regular expression");
  verb->add_option("--json", arguments->json, "also write the figures to this file (Google Benchmark's JSON)");
  verb->add_flag("--quick", arguments->quick, "short measurements");
  verb->callback([arguments, &code] { code = Bench(*arguments); });
}

}  // namespace normcheck::reports

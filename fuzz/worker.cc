// Worker processes by fork and exec.
#include "fuzz/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace normcheck::fuzz {
namespace {

using reference::Error;

constexpr off_t kLongestLog = off_t{1} << 20;

std::string_view NameIn(std::string_view setting) { return setting.substr(0, setting.find('=')); }

std::vector<std::string> MergedEnvironment(const std::vector<std::string>& changes) {
  std::vector<std::string> merged = changes;
  for (char** setting = environ; *setting; ++setting) {
    const auto same = [&](const std::string& change) { return NameIn(change) == NameIn(*setting); };
    if (std::ranges::none_of(changes, same)) merged.emplace_back(*setting);
  }
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void BecomeWorker(char* const* arguments, char* const* environment, int log, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotExecute);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};  // a kernel that crashes all night must not fill the disk
  setrlimit(RLIMIT_CORE, &no_core);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execve(arguments[0], arguments, environment);
  _exit(kCannotExecute);
}

// Appends, but starts anew beyond a megabyte: a kernel may die thousands of times.
int OpenLog(const std::string& path) {
  struct stat status {};
  const bool long_enough = stat(path.c_str(), &status) == 0 && status.st_size > kLongestLog;
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (long_enough ? O_TRUNC : 0), 0644);
}

}  // namespace

reference::Result<Worker> Worker::Start(const WorkerCommand& command) {
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = MergedEnvironment(command.environment);
  const auto argument_pointers = Pointers(arguments);
  const auto environment_pointers = Pointers(environment);
  const int log = OpenLog(command.log);
  if (log < 0) return Error{command.log + ": cannot be written (" + std::strerror(errno) + ")"};
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeWorker(argument_pointers.data(), environment_pointers.data(), log, parent);
  const int fault = errno;
  close(log);
  if (pid < 0) return Error{arguments.front() + ": cannot be started (" + std::strerror(fault) + ")"};
  setpgid(pid, pid);  // both sides, or a signal sent at once could miss the group
  return Worker(pid);
}

Worker::Worker(Worker&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  std::swap(pid_, other.pid_);
  return *this;
}

Worker::~Worker() {
  if (!running()) return;
  Signal(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<WorkerEnd> Worker::Poll() {
  int status = 0;
  if (!running() || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  pid_ = -1;
  if (WIFSIGNALED(status)) return WorkerEnd{.code = 0, .signal = WTERMSIG(status)};
  return WorkerEnd{.code = WEXITSTATUS(status), .signal = 0};
}

void Worker::Signal(int signal) {
  if (running()) kill(-pid_, signal);
}

}  // namespace normcheck::fuzz

// Worker processes: their log, their end.
#include "fuzz/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "properties/plug_in/child_process.h"

namespace normcheck::fuzz {
namespace {

using reference::Error;

constexpr off_t kLongestLog = off_t{1} << 20;

// Appends, but starts anew beyond a megabyte: a kernel may die thousands of times.
int OpenLog(const std::string& path) {
  struct stat status {};
  const bool long_enough = stat(path.c_str(), &status) == 0 && status.st_size > kLongestLog;
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (long_enough ? O_TRUNC : 0), 0644);
}

}  // namespace

reference::Result<Worker> Worker::Start(const WorkerCommand& command) {
  const int log = OpenLog(command.log);
  if (log < 0) return Error{command.log + ": cannot be written (" + std::strerror(errno) + ")"};
  const auto pid = properties::plug_in::StartProcess(
      {.arguments = command.arguments, .environment = command.environment, .handed = {{log, STDOUT_FILENO}, {log, STDERR_FILENO}}});
  close(log);
  if (!pid.ok()) return Error{pid.error()};
  return Worker(pid.value());
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

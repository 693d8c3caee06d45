// Child processes by fork and exec from a thread that lives as long as this process.
#include "properties/plug_in/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

constexpr int kNoProgram = 127;
constexpr int kFreeNumbers = 16;  // above every number that a child is handed
constexpr std::chrono::milliseconds kTimeToEnd{1000};

// PR_SET_PDEATHSIG follows the thread that forked, not the process: threads of a sweep end long before their workers do.
class Nursery {
 public:
  pid_t Fork(std::function<pid_t()> fork) {
    const std::lock_guard one(callers_);
    std::packaged_task<pid_t()> task(std::move(fork));
    auto result = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      task_ = std::move(task);
    }
    wake_.notify_one();
    return result.get();
  }

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return task_.valid(); });
      task_();
      task_ = {};
    }
  }

  std::mutex callers_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::packaged_task<pid_t()> task_;
  std::thread thread_{[this] { Work(); }};
};

// Never destroyed: its thread must not see that.
Nursery& TheNursery() {
  static Nursery* const nursery = new Nursery;
  return *nursery;
}

// Between fork and exec: async-signal-safe calls only. Numbers are moved out of each other's way first.
[[noreturn]] void BecomeChild(char* const* arguments, std::vector<Handed>& handed, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNoProgram);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGPIPE, SIGTERM, SIGINT}) std::signal(signal, SIG_DFL);
  for (Handed& pair : handed) pair.ours = fcntl(pair.ours, F_DUPFD_CLOEXEC, kFreeNumbers);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  for (const Handed& pair : handed)
    if (dup2(pair.ours, pair.theirs) < 0) _exit(kNoProgram);
  execvp(arguments[0], arguments);
  _exit(kNoProgram);
}

std::string TextOf(int status) {
  if (WIFSIGNALED(status)) {
    const char* const name = sigabbrev_np(WTERMSIG(status));
    return std::string("crashed (SIG") + (name != nullptr ? name : std::to_string(WTERMSIG(status))) + ")";
  }
  return "ended its process (exit " + std::to_string(WEXITSTATUS(status)) + ")";
}

}  // namespace

Descriptor::~Descriptor() {
  if (open()) close(number_);
}

reference::Result<Channel> OpenChannel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error{std::string("no socket: ") + std::strerror(errno)};
  return Channel{Descriptor(ends[0]), Descriptor(ends[1])};
}

reference::Result<ChildProcess> ChildProcess::Start(std::vector<std::string> arguments, const std::vector<Handed>& handed) {
  std::vector<char*> pointers;
  for (std::string& word : arguments) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::vector<Handed> numbers = handed;
  const pid_t parent = getpid();
  const pid_t pid = TheNursery().Fork([&] {
    const pid_t child = fork();
    if (child == 0) BecomeChild(pointers.data(), numbers, parent);
    return child;
  });
  if (pid < 0) return Error{arguments.front() + ": cannot be started: the system gives no process"};
  setpgid(pid, pid);  // both sides, or a kill at once could miss the group
  return ChildProcess(pid);
}

ChildProcess::~ChildProcess() { Kill(); }

void ChildProcess::Kill() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::string ChildProcess::HowItEnded() {
  const auto deadline = std::chrono::steady_clock::now() + kTimeToEnd;
  int status = 0;
  while (pid_ > 0 && std::chrono::steady_clock::now() < deadline) {
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended == pid_) {
      kill(-pid_, SIGKILL);  // what it may have started
      pid_ = -1;
      return TextOf(status);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Kill();
  return "closed its channel";
}

}  // namespace normcheck::properties::plug_in

// Child processes by fork and exec from a thread that lives as long as this process.
#include "properties/plug_in/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <string_view>
#include <thread>

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

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

// Never destroyed: its thread must not see that. A process that was forked has none of its parent's threads, and gets its own.
Nursery& TheNursery() {
  static std::mutex mutex;
  static Nursery* nursery = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner != getpid()) nursery = new Nursery, owner = getpid();
  return *nursery;
}

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

// Between fork and exec: async-signal-safe calls only. Numbers are moved out of each other's way first.
[[noreturn]] void BecomeChild(char* const* arguments, char* const* environment, std::vector<Handed>& handed, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotExecute);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGPIPE, SIGTERM, SIGINT}) std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};  // a kernel that crashes all night must not fill the disk
  setrlimit(RLIMIT_CORE, &no_core);
  for (Handed& pair : handed) pair.ours = fcntl(pair.ours, F_DUPFD_CLOEXEC, kFreeNumbers);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  for (const Handed& pair : handed)
    if (dup2(pair.ours, pair.theirs) < 0) _exit(kCannotExecute);
  execvpe(arguments[0], arguments, environment);
  _exit(kCannotExecute);
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

reference::Result<pid_t> StartProcess(const Program& program) {
  std::vector<std::string> arguments = program.arguments, environment = MergedEnvironment(program.environment);
  const std::vector<char*> argument_pointers = Pointers(arguments), environment_pointers = Pointers(environment);
  std::vector<Handed> numbers = program.handed;
  const pid_t parent = getpid();
  const pid_t pid = TheNursery().Fork([&] {
    const pid_t child = fork();
    if (child == 0) BecomeChild(argument_pointers.data(), environment_pointers.data(), numbers, parent);
    return child;
  });
  if (pid < 0) return Error{arguments.front() + ": cannot be started: the system gives no process"};
  setpgid(pid, pid);  // both sides, or a kill at once could miss the group
  return pid;
}

reference::Result<ChildProcess> ChildProcess::Start(const Program& program) {
  const auto pid = StartProcess(program);
  return pid.ok() ? reference::Result<ChildProcess>(ChildProcess(pid.value())) : Error{pid.error()};
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

// Child processes by fork and exec from a thread that lives as long as this process; kernels' below a supervisor.
#include "properties/plug_in/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <string_view>
#include <thread>

#include "properties/plug_in/worker_program.h"

namespace normcheck::properties::plug_in {
namespace {

using reference::Error;

constexpr int kFreeNumbers = 16;  // above every number that a child is handed
// Milliseconds. Busy machines let processes wait; one that is stopped or dead is noticed long before.
constexpr int kTimeToStart = 60'000, kTimeToAnswer = 60'000, kTimeToEnd = 1000;

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

std::string SignalName(int signal) {
  const char* const name = sigabbrev_np(signal);
  return std::string("SIG") + (name != nullptr ? name : std::to_string(signal));
}

std::string TextOf(int status) {
  if (WIFSIGNALED(status)) return "crashed (" + SignalName(WTERMSIG(status)) + ")";
  return "ended its process (exit " + std::to_string(WEXITSTATUS(status)) + ")";
}

}  // namespace

Descriptor::~Descriptor() {
  if (open()) close(number_);
}

reference::Result<Channel> OpenChannel(ChannelKind kind) {
  const int type = kind == ChannelKind::kPackets ? SOCK_SEQPACKET : SOCK_STREAM;
  int ends[2];
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return Error{std::string("no socket: ") + std::strerror(errno)};
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
  const auto watcher = WorkerProgram();
  if (!watcher.ok()) return Error{watcher.error()};
  auto opened = OpenChannel(ChannelKind::kPackets);
  if (!opened.ok()) return Error{opened.error()};
  Channel supervision = std::move(opened).value();
  Program supervised = program;
  supervised.arguments.insert(supervised.arguments.begin(), {watcher.value(), kSupervise});
  supervised.handed.push_back({supervision.theirs.number(), kSupervisionDescriptor});
  const auto pid = StartProcess(supervised);
  if (!pid.ok()) return Error{pid.error()};
  supervision.theirs = Descriptor();
  ChildProcess child(std::move(supervision.ours), pid.value());
  SupervisorReport started;
  if (child.Hear(started, kTimeToStart) != Heard::kReport) return Error{"the system gives no process to run it in"};
  child.pid_ = started.value;
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : supervision_(std::move(other.supervision_)), supervisor_(std::exchange(other.supervisor_, -1)),
      pid_(std::exchange(other.pid_, -1)), left_behind_(other.left_behind_), end_(std::move(other.end_)) {}

ChildProcess::~ChildProcess() { Kill(); }

// A supervisor that is stopped or dead says nothing: it is looked at many times a second.
ChildProcess::Heard ChildProcess::Hear(SupervisorReport& report, int milliseconds) {
  constexpr int kStep = 20;
  for (int passed = 0; passed <= milliseconds; passed += kStep) {
    pollfd wait = {supervision_.number(), POLLIN, 0};
    if (poll(&wait, 1, kStep) > 0) {
      const ssize_t got = recv(supervision_.number(), &report, sizeof report, 0);
      if (got < 0 && (errno == ECONNRESET || errno == EINTR)) continue;  // it left a question unread: its report comes next
      return got == sizeof report ? Heard::kReport : Heard::kClosed;
    }
    siginfo_t stopped = {};
    if (waitid(P_PID, static_cast<id_t>(supervisor_), &stopped, WSTOPPED | WNOHANG | WNOWAIT) == 0 && stopped.si_pid != 0) return Heard::kStopped;
  }
  return Heard::kNothing;
}

std::optional<ChildEnd> ChildProcess::Tampering() {
  if (end_) return std::nullopt;
  SupervisorReport report;
  const char question = kAreYouThere;
  static_cast<void>(send(supervision_.number(), &question, 1, MSG_NOSIGNAL));  // one that has ended has left its report
  const Heard heard = Hear(report, kTimeToAnswer);
  if (heard == Heard::kNothing) return ChildEnd{"was given up, since the process that watches over it does not answer", true};
  if (heard != Heard::kReport) return EndWithoutReport(heard);
  if (report.kind == SupervisorReport::kSignalled || report.kind == SupervisorReport::kDisturbed) return EndOf(report);
  if (report.kind == SupervisorReport::kEnded) end_ = report;  // after its answer: the next call meets that
  return std::nullopt;
}

ChildEnd ChildProcess::HowItEnded() {
  if (supervisor_ <= 0) return {"closed its channel"};
  SupervisorReport report;
  if (end_) return EndOf(*end_);
  const Heard heard = Hear(report, kTimeToEnd);
  return heard == Heard::kReport ? EndOf(report) : EndWithoutReport(heard);
}

ChildEnd ChildProcess::EndOf(const SupervisorReport& report) {
  left_behind_ = report.left_behind;
  Forget();
  if (report.kind == SupervisorReport::kEnded) return {TextOf(report.value)};
  const std::string name = SignalName(report.value);
  if (report.kind == SupervisorReport::kSignalled) return {"sent " + name + " to its parent process"};
  return {"was ended, since another process sent " + name + " to the process that watches over it", true};
}

// The two signals that nobody can catch, or the child lives on without its channel.
ChildEnd ChildProcess::EndWithoutReport(Heard heard) {
  if (heard == Heard::kClosed) {
    kill(-pid_, SIGKILL);  // nobody else does
    const int status = Forget();
    if (WIFSIGNALED(status)) return {"killed its parent process (" + SignalName(WTERMSIG(status)) + ")"};
    return {"was ended, since the process that watches over it failed", true};
  }
  Kill();
  return {heard == Heard::kStopped ? "stopped its parent process (SIGSTOP)" : "closed its channel"};
}

void ChildProcess::Kill() {
  if (supervisor_ <= 0) return;
  kill(supervisor_, SIGCONT);
  const char word = kEndIt;
  SupervisorReport report;
  static_cast<void>(send(supervision_.number(), &word, 1, MSG_NOSIGNAL));
  if (!end_)
    while (Hear(report, kTimeToEnd) == Heard::kReport) left_behind_ = report.left_behind;
  Forget();
}

// The supervisor's wait status: it has ended, or does so now.
int ChildProcess::Forget() {
  int status = 0;
  supervision_ = Descriptor();
  kill(supervisor_, SIGKILL);
  while (waitpid(supervisor_, &status, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = -1;
  return status;
}

}  // namespace normcheck::properties::plug_in

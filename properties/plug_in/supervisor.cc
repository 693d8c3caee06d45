// Waits for signals and for normcheck at once; everything orphaned below it becomes its child.
#include "properties/plug_in/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "properties/plug_in/supervision.h"

namespace normcheck::properties::plug_in {
namespace {

using Report = SupervisorReport;

constexpr int kCannotExecuteIt = 127;
constexpr int kSignals = kSupervisionDescriptor + 1;

void Tell(Report report) { send(kSupervisionDescriptor, &report, sizeof report, MSG_NOSIGNAL); }

pid_t StartCommand(char** command) {
  const pid_t supervisor = getpid(), child = fork();
  if (child != 0) return child;
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(kCannotExecuteIt);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(command[0], command);
  _exit(kCannotExecuteIt);
}

// The command's descriptors are not the supervisor's: their other ends must see that the command has ended.
void CloseOthers() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  for (int number = STDERR_FILENO + 1; number < kSupervisionDescriptor; ++number) close(number);
  close_range(kSignals + 1, ~0u, 0);
}

std::vector<pid_t> Children() {
  std::ifstream children("/proc/thread-self/children");
  return {std::istream_iterator<pid_t>(children), {}};
}

void Reap(pid_t process) {
  while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// Takes what has ended. False: there are no children at all.
bool ReapTheEnded() {
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return ended == 0 || errno != ECHILD;
}

// Kills the children until there are none: those of a child that ends come up in their turn. The system's list of children may
// lack some where others end meanwhile, so that an empty list is no end.
int KillChildren() {
  int killed = 0;
  while (ReapTheEnded()) {
    const std::vector<pid_t> children = Children();
    for (const pid_t child : children) kill(child, SIGKILL);
    for (const pid_t child : children) Reap(child);
    killed += static_cast<int>(children.size());
  }
  return killed;
}

[[noreturn]] void End(Report report) {
  report.left_behind = KillChildren();
  Tell(report);
  std::exit(0);
}

// It is none of those left behind.
int EndCommand(pid_t command) {
  int status = 0;
  kill(command, SIGKILL);
  while (waitpid(command, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

void EndIfCommandEnded(pid_t command) {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
    if (ended == command) End({Report::kEnded, status, 0});
}

bool IsOfCommand(std::uint32_t sender, pid_t command) {
  const auto process = static_cast<pid_t>(sender);
  return process == command || getsid(process) == command;
}

void TakeSignal(const signalfd_siginfo& info, pid_t command) {
  const auto signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGCHLD) return EndIfCommandEnded(command);
  if (signal == SIGCONT) return;  // sent where normcheck ends, lest the supervisor be stopped then
  const Report::Kind kind = IsOfCommand(info.ssi_pid, command) ? Report::kSignalled : Report::kDisturbed;
  EndCommand(command);
  End({kind, signal, 0});
}

void TakeWord(pid_t command) {
  char word = 0;
  const ssize_t got = recv(kSupervisionDescriptor, &word, 1, MSG_DONTWAIT);
  if (got < 0) return;
  if (got == 1 && word == kAreYouThere) return Tell({Report::kHere, 0, 0});
  End({Report::kEnded, EndCommand(command), 0});
}

// A signal that came before a question is taken before it.
[[noreturn]] void Serve(pid_t command) {
  for (;;) {
    pollfd waits[] = {{kSignals, POLLIN, 0}, {kSupervisionDescriptor, POLLIN, 0}};
    if (poll(waits, 2, -1) <= 0) continue;
    signalfd_siginfo info;
    if (waits[0].revents == 0) TakeWord(command);
    else if (read(kSignals, &info, sizeof info) == sizeof info) TakeSignal(info, command);
  }
}

}  // namespace

int Supervise(char** command) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  fcntl(kSupervisionDescriptor, F_SETFD, FD_CLOEXEC);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  const int signals = signalfd(-1, &all, SFD_CLOEXEC);
  const pid_t child = StartCommand(command);
  if (child < 0 || signals < 0 || dup2(signals, kSignals) < 0) return 1;
  CloseOthers();
  Tell({Report::kStarted, child, 0});
  Serve(child);
}

}  // namespace normcheck::properties::plug_in

// A process that runs someone else's kernel: started, waited for with a limit, and ended, whatever it does.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "properties/plug_in/supervision.h"
#include "reference/result.h"

namespace normcheck::properties::plug_in {

// A file descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();
  int number() const { return number_; }
  bool open() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

// Two ends of a socket: writing to a dead process is an error there, and no signal.
struct Channel {
  Descriptor ours;
  Descriptor theirs;
};
enum class ChannelKind { kStream, kPackets };
reference::Result<Channel> OpenChannel(ChannelKind kind = ChannelKind::kStream);

// Our descriptor, and the number under which the child finds it.
struct Handed {
  int ours;
  int theirs;
};

struct Program {
  std::vector<std::string> arguments;         // [0] is a path, or a name that is sought in PATH
  std::vector<std::string> environment = {};  // "NAME=value", over those of this process
  std::vector<Handed> handed = {};            // and stderr, where nothing else is said; stdin is empty then, stdout goes to stderr
};

// The code with which a process ends when its program cannot be executed.
inline constexpr int kCannotExecute = 127;

// Starts a process in a group of its own, so that a terminal's Ctrl-C does not reach it, with no signal blocked or ignored and no
// core dumps; killed by the system when this process ends.
reference::Result<pid_t> StartProcess(const Program& program);

// How a child ended. A disturbance came from somebody else and says nothing about the child.
struct ChildEnd {
  std::string how;
  bool disturbed = false;
};

// A program in a session of its own below a supervisor (supervision.h): its parent, its group and its children are no processes
// of ours, and it ends with us.
class ChildProcess {
 public:
  static reference::Result<ChildProcess> Start(const Program& program);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // Of a child that left its channel: "crashed (SIGSEGV)", "ended its process (exit 0)"; one that lives on is killed first:
  // "closed its channel".
  ChildEnd HowItEnded();

  // To be asked after each answer of the child: nothing, or what was done to the supervisor meanwhile: "stopped its parent
  // process". The child is of no more use then.
  std::optional<ChildEnd> Tampering();

  // Ends the child and all that it has started; no more after that.
  void Kill();
  // Processes that it had started and that were alive when it had ended or was killed.
  int left_behind() const { return left_behind_; }

  pid_t pid() const { return pid_; }

 private:
  ChildProcess(Descriptor supervision, pid_t supervisor) : supervision_(std::move(supervision)), supervisor_(supervisor) {}

  enum class Heard { kReport, kClosed, kStopped, kNothing };
  Heard Hear(SupervisorReport& report, int milliseconds);
  ChildEnd EndOf(const SupervisorReport& report);
  ChildEnd EndWithoutReport(Heard heard);
  int Forget();

  Descriptor supervision_;
  pid_t supervisor_ = -1;
  pid_t pid_ = -1;
  int left_behind_ = 0;
  std::optional<SupervisorReport> end_;  // heard before it was asked for
};

}  // namespace normcheck::properties::plug_in

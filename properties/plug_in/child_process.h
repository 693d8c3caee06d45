// A process that runs someone else's kernel: started, waited for with a limit, and ended, whatever it does.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

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

// Two ends of a stream socket: writing to a dead process is an error there, and no signal.
struct Channel {
  Descriptor ours;
  Descriptor theirs;
};
reference::Result<Channel> OpenChannel();

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

class ChildProcess {
 public:
  static reference::Result<ChildProcess> Start(const Program& program);

  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  // Of a child that left its channel: "crashed (SIGSEGV)", "ended its process (exit 0)"; one that lives on is killed first:
  // "closed its channel".
  std::string HowItEnded();

  void Kill();  // the whole group
  pid_t pid() const { return pid_; }

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

}  // namespace normcheck::properties::plug_in

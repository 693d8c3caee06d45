// One worker process of a campaign: started, watched and stopped by us.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "reference/result.h"

namespace normcheck::fuzz {

struct WorkerCommand {
  std::vector<std::string> arguments;    // arguments[0] is the path of the program
  std::vector<std::string> environment;  // "NAME=value", over those of this process
  std::string log;                       // gets stdout and stderr, appended
};

// How a process ended: its exit code, or the signal that killed it.
struct WorkerEnd {
  int code = 0;
  int signal = 0;
};

// A process in a process group of its own, so that a terminal's Ctrl-C reaches only the campaign; the system kills it when this
// process ends, so that nothing is orphaned. The destructor kills and reaps it.
class Worker {
 public:
  static reference::Result<Worker> Start(const WorkerCommand& command);

  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  ~Worker();

  std::optional<WorkerEnd> Poll();  // nothing while it runs
  void Signal(int signal);          // to the whole group
  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }

 private:
  explicit Worker(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;
};

}  // namespace normcheck::fuzz

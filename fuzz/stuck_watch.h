// How long one execution of a worker has really taken: an input hangs by the time it spends, not by the clock on the wall.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace normcheck::fuzz {

// What a process and its children do, from /proc.
struct Activity {
  double processor_seconds = 0;  // user and system, so far
  bool asleep = false;           // all of them wait for something to happen: none is ready to run, stopped, or waits for a disk
};
std::optional<Activity> ActivityOf(pid_t process);  // nothing where there is none

// Follows the execution that a flight record says is under way. What counts is processor time, and time asleep between two looks;
// where others take the processor, or the process is stopped, nothing does.
class StuckWatch {
 public:
  // To be called many times a second. Another execution than at the last look starts from 0.
  void Look(const std::string& flight_file, pid_t process);

  double seconds() const { return processor_ + asleep_; }
  double processor_seconds() const { return processor_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<std::int64_t> execution_;  // by the time it began
  double processor_before_ = 0;            // of the process, when this execution was first seen
  std::optional<Clock::time_point> asleep_since_;
  double processor_ = 0;
  double asleep_ = 0;
};

}  // namespace normcheck::fuzz

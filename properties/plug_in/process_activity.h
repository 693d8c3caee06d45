// What another process spends, from /proc: on a busy machine the clock on the wall says nothing about it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace normcheck::properties::plug_in {

// What a process and its children do.
struct Activity {
  double processor_seconds = 0;  // user and system, so far
  bool stopped = false;          // the process itself, by a signal
  bool asleep = false;           // all of them wait for something to happen: none is ready to run, stopped, or waits for a disk
};
std::optional<Activity> ActivityOf(pid_t process);  // nothing where there is none

// Processor time and time asleep of a process since the first look; where others take the processor, or the process is stopped,
// nothing is spent. To be looked at many times a second.
class SpentTime {
 public:
  void Look(const Activity& now);

  double seconds() const { return processor_ + asleep_; }
  double processor_seconds() const { return processor_; }

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<double> processor_before_;  // of the process, at the first look
  std::optional<Clock::time_point> asleep_since_;
  double processor_ = 0;
  double asleep_ = 0;
};

// Whether a call that a process answers takes too long: when it has spent the limit, or after twenty times the limit by the clock
// whatever it does.
class CallTimer {
 public:
  CallTimer(pid_t process, std::chrono::milliseconds limit) : process_(process), limit_(limit) {}

  // To be asked many times a second, while there is no answer.
  bool Over();

  // Once it is over: the process could not spend its limit, since others took the processor or a disk let it wait; or it is
  // stopped, and spends nothing by its own doing.
  bool starved() const { return starved_; }
  bool stopped() const { return stopped_; }

 private:
  using Clock = std::chrono::steady_clock;

  pid_t process_;
  std::chrono::milliseconds limit_;
  Clock::time_point start_ = Clock::now();
  SpentTime spent_;
  bool starved_ = false;
  bool stopped_ = false;
};

// So often at least is a timer asked.
inline constexpr std::chrono::milliseconds kAskTimerEvery{20};

}  // namespace normcheck::properties::plug_in

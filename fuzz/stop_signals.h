// SIGINT, SIGTERM and SIGHUP as a flag, so that a campaign ends with its summary.
#pragma once

#include <signal.h>

#include <array>

namespace normcheck::fuzz {

// While one of these lives, the signals set the flag (SIGHUP stays ignored where it was, nohup), and a file limit (SIGXFSZ) is a
// failed write, not a death; then the earlier handlers are back. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  bool Caught() const;

 private:
  static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> earlier_{};
  struct sigaction earlier_file_limit_ = {};
};

}  // namespace normcheck::fuzz

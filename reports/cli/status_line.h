// Progress on stderr: one line that redraws on a terminal, a line every 10 seconds in a log.
#pragma once

#include <chrono>
#include <string>

namespace normcheck::reports {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine() { Clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // Shows the text if its time has come: five times a second on a terminal, every 10 seconds else.
  void Show(const std::string& text);

  // Takes the line off a terminal, so that other output starts at the margin.
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace normcheck::reports

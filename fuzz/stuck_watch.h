// How long one execution of a worker has really taken: an input hangs by the time it spends, not by the clock on the wall.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "properties/plug_in/process_activity.h"

namespace normcheck::fuzz {

// Follows the execution that a flight record says is under way. What counts is SpentTime.
class StuckWatch {
 public:
  // To be called many times a second. Another execution than at the last look starts from 0.
  void Look(const std::string& flight_file, pid_t process);

  double seconds() const { return spent_.seconds(); }
  double processor_seconds() const { return spent_.processor_seconds(); }

 private:
  std::optional<std::int64_t> execution_;  // by the time it began
  properties::plug_in::SpentTime spent_;
};

}  // namespace normcheck::fuzz

// Follows one execution after another.
#include "fuzz/stuck_watch.h"

#include "fuzz/flight_record.h"

namespace normcheck::fuzz {

void StuckWatch::Look(const std::string& flight_file, pid_t process) {
  const auto execution = ExecutionUnderWay(flight_file);
  const bool same = execution && execution == execution_;
  const auto activity = execution ? properties::plug_in::ActivityOf(process) : std::nullopt;
  if (!same || !activity) *this = StuckWatch();
  if (!activity) return;
  execution_ = execution;
  spent_.Look(*activity);
}

}  // namespace normcheck::fuzz

// Ctrl-C and SIGTERM as a flag, so that a run can finish what it began and report as usual.
#pragma once

#include <atomic>

namespace normcheck::reports {

// Raises the flag on the first SIGINT, SIGTERM or SIGHUP (unless it is ignored) from now on; later ones change nothing, so that the report gets written.
const std::atomic<bool>& CatchInterrupts();

}  // namespace normcheck::reports

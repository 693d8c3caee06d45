// Sees every touch of a guard, whatever handlers a library installs.
#pragma once

#include <csignal>

namespace normcheck::properties::plug_in {

// Told of each bad access before the library's own handler is.
using OnBadAccess = void (*)(const void* address);

// For SIGSEGV and SIGBUS of this process. The handlers that a library sets with sigaction or signal are kept and called, but
// stand behind the watch.
void WatchAccesses(OnBadAccess told);

// Takes back what was set by a system call of the library's own; true where that was so.
bool WatchAgain();

}  // namespace normcheck::properties::plug_in

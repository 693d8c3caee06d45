// What the process between normcheck and a kernel's process (the supervisor) and normcheck say to each other.
#pragma once

#include <cstdint>

namespace normcheck::properties::plug_in {

// The supervisor is the parent of the kernel's process: who signals its parent, or the group that it was started in, reaches no
// process of the user's. It ends whatever the kernel has started, also where normcheck is killed: their socket is then at its end.
inline constexpr const char* kSupervise = "--supervise";  // normcheck_worker --supervise COMMAND...
inline constexpr int kSupervisionDescriptor = 5;          // a socket of packets

// From normcheck, one byte each.
inline constexpr char kAreYouThere = '?';  // answered with kHere
inline constexpr char kEndIt = '.';        // answered with kEnded, and the supervisor's end

// From the supervisor.
struct SupervisorReport {
  enum Kind : std::int32_t {
    kStarted,    // value: the process
    kHere,       // nobody has harmed the supervisor
    kEnded,      // value: the wait status of the process
    kSignalled,  // value: a signal that the process sent to its parent
    kDisturbed,  // value: a signal that somebody else sent there
  };
  std::int32_t kind = kHere;
  std::int32_t value = 0;
  std::int32_t left_behind = 0;  // after the end: processes that it had started and that were alive; they are killed
};

}  // namespace normcheck::properties::plug_in

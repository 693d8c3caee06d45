// What a kernel's process may signal: everything but normcheck, and all processes at once.
#pragma once

#include <sys/types.h>

namespace normcheck::properties::plug_in {

// From here on this process, and all that it starts, ends by SIGSYS where it calls kill() for every process of the user (-1), or for
// `tool` or its group. `may_lose_privileges`: it may give up set-user-id programs for that, which the kernel (Linux) demands of
// users without rights. False where the system has no such filter: then nothing stops such calls.
bool ForbidSignalsTo(pid_t tool, bool may_lose_privileges);

}  // namespace normcheck::properties::plug_in

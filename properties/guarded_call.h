// Calls a kernel so that its crash becomes a result: bad accesses and instructions, and divisions by zero.
#pragma once

#include <string>

#include "norm/kernel.h"
#include "norm/kernel_fault.h"

namespace normcheck::properties {

// SIGSEGV, SIGBUS, SIGILL or SIGFPE inside a kernel.
class KernelCrash : public norm::KernelFault {
 public:
  using KernelFault::KernelFault;
};

// While one lives, the four signals are caught; outside of guarded calls they do what they did before. Any number, any thread.
class CrashHandlers {
 public:
  CrashHandlers();
  ~CrashHandlers();
  CrashHandlers(const CrashHandlers&) = delete;
  CrashHandlers& operator=(const CrashHandlers&) = delete;
};

// The kernel with `run` and `run_on` that throw KernelCrash instead of ending the process, and put MXCSR back then. What the
// crashed call had allocated is lost. Requires living CrashHandlers.
norm::Kernel Guarded(norm::Kernel kernel);

}  // namespace normcheck::properties

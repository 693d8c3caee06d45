// What a kernel's function throws where its user's code did not survive the call, or must not be trusted after it.
#pragma once

#include <stdexcept>

namespace normcheck::norm {

// Thrown by plug-ins, whose code runs in a process of its own: "the kernel crashed (SIGSEGV) behind y". Outputs hold anything.
class KernelFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace normcheck::norm

// What is thrown where a kernel could not be asked: it says nothing about the kernel.
#pragma once

#include <stdexcept>

namespace normcheck::norm {

// No memory, no process, no processor time: "the case needs more memory than the system gives". Accuses no kernel.
class HarnessFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace normcheck::norm

// oneDNN's layer normalisation through its C interface, from whatever libraries are found at run time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/bench/work.h"

namespace normcheck::reports {

// One loaded library. Its threads: OMP_NUM_THREADS, or the process's affinity.
class OneDnn {
 public:
  virtual ~OneDnn() = default;
  virtual std::string version() const = 0;  // "3.13.0, runtime 8"
  // The forward primitive of the work, prepared; nothing where this version has none.
  virtual std::optional<Task> Prepare(const Work& work) = 0;
};

// Every libdnnl.so.* in a folder of $NORMCHECK_ONEDNN (default: build/onednn beside the clone), loaded with what lies beside it;
// the name is the folder's. Where none is there the system's own libdnnl.so.3. A library that cannot be loaded is left out.
std::vector<std::pair<std::string, std::shared_ptr<OneDnn>>> FindOneDnn();

}  // namespace normcheck::reports

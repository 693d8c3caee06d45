// Where the program is that loads libraries and watches over kernels' processes.
#pragma once

#include <string>

#include "reference/result.h"

namespace normcheck::properties::plug_in {

// NORMCHECK_WORKER, or the program beside this one, or where it was built or installed. Error: there is none.
reference::Result<std::string> WorkerProgram();

}  // namespace normcheck::properties::plug_in

// A worker that has a shared library loaded.
#pragma once

#include <string>

#include "properties/plug_in/worker.h"

namespace normcheck::properties::plug_in {

// Starts normcheck_worker on the library of that absolute path and waits for its description. Errors: what the worker says of the
// library (not loadable, other version, missing symbol), its crash or silence, no worker program.
StartedWorker StartLibraryWorker(const std::string& library, TimeLimit limit);

}  // namespace normcheck::properties::plug_in

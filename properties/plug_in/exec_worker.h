// A worker that is any program which speaks PROTOCOL.md on stdin and stdout.
#pragma once

#include <string>

#include "properties/plug_in/worker.h"

namespace normcheck::properties::plug_in {

// Runs `command` by /bin/sh and waits for its description. Errors: it ends, is silent, or writes something else.
StartedWorker StartExecWorker(const std::string& command, TimeLimit limit);

}  // namespace normcheck::properties::plug_in

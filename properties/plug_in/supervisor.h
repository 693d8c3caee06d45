// The process that stands between normcheck and a kernel's process.
#pragma once

namespace normcheck::properties::plug_in {

// Runs the command in a session of its own until it ends or normcheck does, and leaves no process behind. The exit code.
int Supervise(char** command);

}  // namespace normcheck::properties::plug_in

// A finding on disk, stored once: DIR/SIGNATURE with .bytes, .verdict.json, .md and .case.json (or .mixed.json), the last of which makes it one.
#pragma once

#include <string>

#include "norm/kernel.h"
#include "properties/reproduce.h"
#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// .case.json    (or .mixed.json: finding.h) the case, with its origin as source; what the replay line judges
// .before-N.json, .replay.json  what a replay needs beside it (replay_steps.h)
// .bytes        its byte form, as the fuzz targets take it
// .verdict.json the judge's verdict as data (broken promises only)
// .md           verdict, diagnosis, replay line and a GoogleTest to paste; for a death what the worker's log said
//
// All but ReplaceFinding write nothing where a finding of this signature is there already; they answer the path of the case.
// Errors: a file that cannot be written; those written before it stay, and the next attempt replaces them.

// A broken promise. The kernel must be one that was never called: it is called as the replay does, and the note holds what came of that.
// seen: what the verdict alone does not say (a law).
reference::Result<std::string> StoreFinding(const std::string& dir, const std::string& signature, const norm::Kernel& kernel,
                                            const reference::Case& c, const std::string& seen = {}, const properties::Reproduction& how = {});

// The same of the case of a finding that is there, once it is known better: shrunk, or what shows it again.
reference::Result<std::string> ReplaceFinding(const std::string& dir, const std::string& signature, const norm::Kernel& kernel,
                                              const reference::Case& c, const std::string& seen = {}, const properties::Reproduction& how = {});

// A case on which a worker died; `how` says how. The kernel is not run: it would take this process along.
reference::Result<std::string> StoreDeath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel,
                                          const reference::Case& c, const std::string& how);

// A whole GoogleTest source: the kernel, found by its name, must keep its contract on the case.
std::string GoogleTestOf(const std::string& kernel, const std::string& signature, const reference::Case& c);

}  // namespace normcheck::fuzz

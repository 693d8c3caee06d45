// A finding on disk, stored once: DIR/SIGNATURE with .bytes, .verdict.json, .md and .case.json (or .mixed.json), the last of which makes it one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::fuzz {

// .case.json    (or .mixed.json: finding.h) the case, with its origin as source; what the replay line judges
// .bytes        its byte form, as the fuzz targets take it
// .verdict.json the judge's verdict as data (broken promises only)
// .md           verdict, diagnosis, replay line and a GoogleTest to paste; for a death what the worker's log said
//
// All of these write nothing where a finding of this signature is there already, and answer the path of the case.
// Errors: a file that cannot be written; those written before it stay, and the next attempt replaces them.

// A broken promise: at once as it was found, so that no kill loses it; then once more shrunk, where there is a way to. The
// kernel is run to describe it; `seen` says what the verdict alone does not (a law). before: the calls without which it does not
// show, kept as .before-N.json.
using Shrinker = std::function<reference::Case(const reference::Case&)>;
reference::Result<std::string> StoreFinding(const std::string& dir, const std::string& signature, const norm::Kernel& kernel,
                                            const reference::Case& c, const Shrinker& shrink = {}, const std::string& seen = {},
                                            const std::vector<reference::Case>& before = {});

// A case on which a worker died; `how` says how. The kernel is not run: it would take this process along.
reference::Result<std::string> StoreDeath(const std::string& dir, const std::string& signature, const norm::Kernel& kernel,
                                          const reference::Case& c, const std::string& how);

// A whole GoogleTest source: the kernel, found by its name, must keep its contract on the case.
std::string GoogleTestOf(const std::string& kernel, const std::string& signature, const reference::Case& c);

}  // namespace normcheck::fuzz

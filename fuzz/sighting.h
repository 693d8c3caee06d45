// A broken promise as a target saw it, and how it is made a finding: replayed on kernels that were never called, shrunk, and stored.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fuzz/finding.h"
#include "norm/kernel.h"
#include "properties/laws.h"
#include "properties/reproduce.h"
#include "reference/case.h"
#include "reference/result.h"

namespace normcheck::fuzz {

struct Sighting {
  std::string signature;                      // where the case alone shows it; else what stands for it until it is replayed
  reference::Case c;                          // for a law: prepared for it
  const properties::Law* law = nullptr;       // nothing: the contract
  std::string seen = {};                      // what the law saw
  bool alone = true;                          // a kernel that was never called has shown it once
  std::vector<reference::Case> earlier = {};  // the calls before it, the newest last
};

std::string SeenOfLaw(const properties::Law& law, const std::string& seen);

// The signature under which it is stored, given how it shows again.
std::string SignatureOf(const Sighting& sighting, const properties::Reproduction& how);

// How a kernel that was never called shows it; never kAlone where one has kept its promise. pulse: before each question, may be empty.
properties::Reproduction ReproductionOf(const norm::Kernel& kernel, const Sighting& sighting, Pace pace, const std::function<void()>& pulse);

// Stores it at once, so that no kill loses it; then finds how it shows again, shrinks it where its case alone does, and stores that in its
// place. Nothing is done where the finding is there. Answers the signature that it has in the end.
// Error: a file that cannot be written.
reference::Result<std::string> KeepSighting(const std::string& dir, const norm::Kernel& kernel, const Sighting& sighting, Pace pace,
                                            const std::function<void()>& pulse);

}  // namespace normcheck::fuzz

// Runs laws on a kernel with RapidCheck: draws cases, shrinks failures, and answers with data.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "properties/laws.h"
#include "properties/random.h"
#include "properties/reproduce.h"

namespace normcheck::properties {

struct LawRun {
  std::string law;
  enum class State { kKept, kBroken, kGaveUp, kNotApplicable } state = State::kKept;
  std::uint64_t cases = 0;
  double seconds = 0;
  std::optional<Case> shrunk;  // the minimal failing case
  std::string seen;            // what the law saw on it
  std::uint64_t not_asked = 0; // cases of which this program could not ask, and why: no memory, process or time
  std::string why_not_asked = {};
  bool alone = true;           // the law breaks on it as the first thing asked of a fresh kernel; else see `how`
  Reproduction how = {};       // where it was asked for (PropertyOptions::reproduce)
  std::string replay = {};     // the line that shows it, where the caller has made one
};

struct PropertyOptions {
  int cases = 200;   // per law; a law whose cases stand for many gets its share (Law::every)
  Seed seed;
  std::vector<std::string> laws;  // these alone, by name; empty: every law
  bool all = false;     // go on after the first broken law
  bool shrink = true;   // else the failing case is given as it was drawn
  std::optional<reference::Contract> contract;
  std::function<norm::Kernel()> fresh;          // the kernel without the state of earlier calls; empty: it keeps none
  bool reproduce = false;  // find the shortest way in which fresh kernels show a broken law again (LawRun::how)
  std::function<void(const LawRun&)> progress;  // after each law
  const std::atomic<bool>* stop = nullptr;      // set: no new case is begun
};

// Same seed, same cases, on every machine and compiler.
std::vector<LawRun> RunLaws(const norm::Kernel& kernel, const PropertyOptions& options);

// One law alone, on the cases that RunLaws gives it.
LawRun RunLaw(const norm::Kernel& kernel, const Law& law, const PropertyOptions& options);

// One law on one case that is prepared for it; a crash of the kernel breaks the law, and what this program could not do does not.
// contract: instead of the kernel's own.
LawResult CheckLaw(const norm::Kernel& kernel, const Law& law, const reference::Case& c,
                   const std::optional<reference::Contract>& contract = {});

}  // namespace normcheck::properties

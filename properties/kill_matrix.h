// The kill matrix: every mutant against every law, each law run alone, with what killed it after how many cases.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "norm/kernel.h"
#include "properties/run_laws.h"

namespace normcheck::properties {

struct KillOptions {
  int cases = 2000;                      // the most that a law draws for one mutant and seed
  std::vector<std::uint64_t> seeds = {1, 2, 3};
  std::function<void(const std::string& mutant)> progress;  // before each mutant
};

// One law on one mutant, all seeds.
struct Duel {
  std::string mutant;
  std::string law;
  bool applicable = true;
  std::vector<std::uint64_t> cases_to_kill;  // by seed; 0: survived
  std::size_t shrunk_rows = 0;               // of the first seed that killed
  std::size_t shrunk_width = 0;
  std::string shrunk;                        // that case in one line, cut where it is long
};

struct KillMatrix {
  KillOptions options;
  std::vector<std::string> mutants;
  std::vector<std::string> laws;
  std::vector<Duel> duels;  // mutant by mutant, laws in order

  std::vector<std::string> Survivors() const;   // mutants that some seed let live through every law
  std::vector<std::string> IdleLaws() const;    // laws that killed none
};

// Mutants are shared out over the processors. Requires: names that FindKernel knows, since each duel starts its mutant anew.
KillMatrix MakeKillMatrix(std::span<const norm::Kernel> mutants, const KillOptions& options);

// One line a law and a mutant:
//   schema           "normcheck/kill-matrix/1"
//   cases, seeds     the most cases a law, mutant and seed; the seeds, in the order of every cases_to_kill
//   survivors        names of mutants that some seed let live through every law; idle_laws: of laws that killed none
//   laws             in the order of a run: {"name", "about": one sentence}
//   mutants          {"name", "about": one sentence with its citation,
//                     "kills": [{"law", "cases_to_kill": [after the n-th case, by seed; 0: survived],
//                                "rows", "width", "shrunk": the shrunk case of the first seed that killed, as one line of hex
//                                floats, cut with "..." where it is long}],
//                     "survived": [laws that killed it with no seed]}; laws in neither list cannot be asked of the mutant
std::string KillMatrixJson(const KillMatrix& matrix);

// The tables for people: mutant by mutant and law by law.
std::string KillMatrixMarkdown(const KillMatrix& matrix);

}  // namespace normcheck::properties

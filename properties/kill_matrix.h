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
  int cases = 2000;                      // the most that a law draws for one mutant
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

KillMatrix MakeKillMatrix(std::span<const norm::Kernel> mutants, const KillOptions& options);

// {"schema":"normcheck/kill-matrix/1", ...}, and the tables for people: mutant by mutant and law by law.
std::string KillMatrixJson(const KillMatrix& matrix);
std::string KillMatrixMarkdown(const KillMatrix& matrix);

}  // namespace normcheck::properties

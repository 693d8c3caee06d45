// Causes: what explains the broken cases of a kernel, by a vote of all of its judged cases.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "reference/diagnosis/ballot.h"
#include "reference/diagnosis/effective.h"

namespace normcheck::reference {

// One case and what the kernel gave on it.
struct JudgedCase {
  const Case* c = nullptr;
  std::span<const Bits> got;  // y, dense
  Contract contract;
  double epsilon = 0;  // as the kernel takes it, finite
  bool kept = true;
  std::string name;
};

// One mistake with all that it explains, or a description that needs no hypothesis.
struct Cause {
  enum class Kind : std::uint8_t { kMistake, kRange, kDescription };
  Kind kind = Kind::kDescription;
  std::vector<std::string> ids;  // of mistakes that these cases cannot tell apart; empty: a description
  std::string text;              // one sentence
  std::size_t explains = 0;      // broken cases
  std::size_t excluded_by = 0;   // cases that exclude it, all of them on one side of `except`
  std::size_t of = 0;            // broken cases that could tell
  double distance = 0;           // row ulps, the largest in what it explains
  std::string except;            // "width mod 8 = 5": where it is not what one sees; else empty
  std::vector<std::string> cases;  // the first two that it explains
  std::vector<std::string> ops;
  std::vector<std::string> formats;
};

// Takes cases one by one and keeps of each what it says of every mistake; causes are chosen from all of them.
//
// Only cases that can tell vote (ballot.h). A name explains most of the broken cases that can tell it, and is excluded by
// no case, kept ones included; cases on one side of a condition that holds for none of those it explains (an op, formats,
// a residue of the width) are left to another cause. Names that explain the same cases share one line. The choice is
// greedy over what is unexplained; what no name explains gets a description where one is true.
class CausePoll {
 public:
  void Add(const JudgedCase& judged);
  // without: the id of a mistake that is not to be known, as if nobody had thought of it.
  std::vector<Cause> Causes(std::string_view without = {}) const;

  struct Seen;

 private:
  std::vector<std::shared_ptr<const Seen>> seen_;
};

nlohmann::ordered_json CausesJson(const std::vector<Cause>& causes);

// "explains 40 of 47 broken cases: eps-after-root" and its sentence, a cause a paragraph.
std::string CausesText(const std::vector<Cause>& causes);

}  // namespace normcheck::reference

// Placement: which level a kernel reaches, by what it did on all cases that it was asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/case.h"
#include "reference/contract.h"
#include "reference/outputs.h"

namespace normcheck::reference {

enum class Level : std::uint8_t { kWrong, kUnstable, kStable, kAccurate, kCorrectlyRounded };
std::string_view NameOf(Level level);                          // "correctly rounded"
std::optional<Level> LevelNamed(std::string_view name);        // the same, blanks or hyphens

// Decimal digits that hold at the row's scale, 0 to 9.
struct Digits {
  int ordinary = 9;  // on cases whose rows have |mean| at most 8 sigma and a variance of epsilon at least, far from the ends of f32
  int worst = 9;
};

struct Placement {
  Level level = Level::kWrong;
  std::string rung;  // "two-pass, sums in f32, recursive"; empty: wrong
  Digits digits;
  std::uint64_t outputs = 0;     // judged
  std::uint64_t no_promise = 0;  // of which the rung says nothing
};

// Every rung is asked about every case until it breaks; the strictest that holds is the placement. A fault of a whole call
// (it crashed, wrote elsewhere, refused what it takes) leaves none. Rows of which a rung promises nothing accuse nobody.
class Placer {
 public:
  Placer();
  // y: what the kernel gave, dense. own: its contract, of which +ftz, +finite-only and +saturates hold at every rung.
  void Add(const Case& c, const std::vector<Bits>& y, const Contract& own, norm::EpsilonFormat epsilon_format);
  void AddFault() { faulty_ = true; }
  std::optional<Placement> Place() const;  // nothing: no case was asked

 private:
  struct Rung {
    Level level;
    std::string name;
    norm::Profile profile;  // of stable and unstable
    bool stands = true;
    std::uint64_t no_promise = 0;
  };
  bool Holds(Rung& rung, const Case& c, const Outputs& outputs, const Contract& own, norm::EpsilonFormat format);
  void TakeDigits(const Case& c, const Outputs& outputs, norm::EpsilonFormat format);

  std::vector<Rung> rungs_;  // strictest first
  bool faulty_ = false;
  std::uint64_t outputs_ = 0;
  Digits digits_;
};

}  // namespace normcheck::reference

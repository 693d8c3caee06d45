// libFuzzer's custom mutator and crossover: its own byte mutations, moves on the decoded case, fresh cases, crossed cases.
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/crossover.h"
#include "fuzz/origin.h"
#include "fuzz/target_session.h"
#include "properties/row_moves.h"
#include "reference/case_bytes.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using normcheck::fuzz::Mutations;
using normcheck::fuzz::TheSession;
using normcheck::properties::Random;
using normcheck::reference::Case;

// Shares of the three ways, out of 16; libFuzzer's own mutations stay in the mix, they find what no move thinks of.
constexpr std::uint64_t kOwnMutations = 4;
constexpr std::uint64_t kFreshCases = 2;
constexpr std::size_t kFewBytesPerElement = 4;

// libFuzzer draws mutator or crossover evenly; a crossover that gives nothing makes it draw again.
constexpr std::uint64_t kCrossOneIn = 4;

std::span<const normcheck::norm::Formats> Formats() {
  static const std::vector<normcheck::norm::Formats> production = normcheck::norm::ProductionFormats();
  const auto& own = TheSession().kernel().formats;
  return own.empty() ? production : own;
}

// As the target will see it, so that moves act on the kernel's own formats.
Case Decoded(const std::uint8_t* data, std::size_t size) {
  return normcheck::fuzz::TargetCase(TheSession().kernel(), TheSession().op(), {data, size});
}

void Announce(std::string_view origin) { TheSession().Announce(normcheck::fuzz::OriginNamed(origin)); }

std::size_t OwnMutation(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  Announce("bytes");
  return LLVMFuzzerMutate(data, size, max_size);
}

Case Fresh(std::size_t max_size, Random& random) {
  // Short rows are judged faster and mutated deeper: each octave of widths is as likely as the next.
  const std::size_t widest = (max_size / kFewBytesPerElement) >> random.Below(12);
  const auto op = TheSession().op();
  const normcheck::properties::Family* family = nullptr;
  Case c = normcheck::properties::MakeAnyCase(random, std::span(&op, 1), Formats(), 1 + widest, &family);
  TheSession().Announce(normcheck::fuzz::OriginOf(*family));
  return c;
}

Case Mutated(const std::uint8_t* data, std::size_t size, std::size_t max_size, bool fresh, Random& random) {
  Case c = Decoded(data, size);
  if (fresh || !normcheck::fuzz::WithinCaps(c)) return Fresh(max_size, random);
  Announce("moves");
  normcheck::properties::MutateCase(c, {Formats(), normcheck::fuzz::kMaxElements}, random);
  return c;
}

std::size_t Write(const Case& c, std::uint8_t* out, std::size_t max_size) {
  const std::vector<std::uint8_t> bytes = normcheck::reference::EncodeCase(c);
  if (bytes.size() > max_size) return 0;
  std::memcpy(out, bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Random random({seed});
  const std::uint64_t way = random.Below(16);
  const Mutations mutations = TheSession().mutations();
  const bool fresh = mutations == Mutations::kFresh || size == 0 || way < kOwnMutations + kFreshCases;
  if (mutations == Mutations::kBytes || (mutations == Mutations::kRowMoves && way < kOwnMutations))
    return OwnMutation(data, size, max_size);
  const std::size_t written = Write(Mutated(data, size, max_size, fresh, random), data, max_size);
  return written > 0 ? written : OwnMutation(data, size, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1, const std::uint8_t* data2,
                                                 std::size_t size2, std::uint8_t* out, std::size_t max_size, unsigned seed) {
  Random random({seed});
  if (TheSession().mutations() != Mutations::kRowMoves || !random.OneIn(kCrossOneIn)) return 0;
  const Case a = Decoded(data1, size1);
  const Case b = Decoded(data2, size2);
  if (!normcheck::fuzz::WithinCaps(a) || !normcheck::fuzz::WithinCaps(b)) return 0;
  Announce("crossover");
  return Write(normcheck::fuzz::CrossCases(a, b, random), out, max_size);
}

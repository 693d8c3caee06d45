// libFuzzer's custom mutator: its own byte mutations, moves on the decoded case, and now and then a fresh case.
#include <cstdint>
#include <cstring>

#include "fuzz/target_case.h"
#include "properties/row_moves.h"
#include "reference/case_bytes.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using normcheck::properties::Random;
using normcheck::reference::Case;

// Shares of the three ways, out of 16; libFuzzer's own mutations stay in the mix, they find what no move thinks of.
constexpr std::uint64_t kOwnMutations = 4;
constexpr std::uint64_t kFreshCases = 2;
constexpr std::size_t kFewBytesPerElement = 4;

Case Mutated(const std::uint8_t* data, std::size_t size, std::size_t max_size, bool fresh, Random& random) {
  Case c = normcheck::reference::DecodeCase({data, size});
  // Short rows are judged faster and mutated deeper: each octave of widths is as likely as the next.
  const std::size_t widest = (max_size / kFewBytesPerElement) >> random.Below(12);
  const auto formats = normcheck::norm::ProductionFormats();
  if (fresh || !normcheck::fuzz::WithinCaps(c))
    return normcheck::properties::MakeAnyCase(random, std::span(&c.op, 1), formats, 1 + widest);
  normcheck::properties::MutateCase(c, {formats, normcheck::fuzz::kMaxElements}, random);
  return c;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  Random random({seed});
  const std::uint64_t way = random.Below(16);
  if (way < kOwnMutations) return LLVMFuzzerMutate(data, size, max_size);
  const auto bytes = normcheck::reference::EncodeCase(
      Mutated(data, size, max_size, size == 0 || way < kOwnMutations + kFreshCases, random));
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

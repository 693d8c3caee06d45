// The law of large calls: a call keeps its contract in every row, and is the same call split in two, split unevenly, and row by row.
#include "properties/large_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "properties/laws/checks.h"
#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/same_bits.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Outputs;
using reference::RunOptions;

constexpr std::size_t kMostBlocks = 5;
constexpr std::size_t kRowsAlone = 8;
constexpr std::size_t kShownElements = 64;

// Seeded by the size and some of the elements: as good as by all of them, and at once.
Random DrawsOf(const Case& c) {
  std::uint64_t state = c.rows * 31 + c.width;
  const std::size_t step = std::max<std::size_t>(1, c.x.size() / kShownElements);
  for (std::size_t i = 0; i < c.x.size(); i += step) state = state * 0x100000001b3u + c.x[i];
  return Random(Seed{state});
}

Case RowsOf(const Case& c, std::size_t first, std::size_t count) {
  Case part = reference::MakeCase(c.op, c.formats, 0, c.width, c.epsilon);
  part.rows = count;
  part.x_pitch = c.x_pitch;
  part.y_pitch = c.y_pitch;
  part.gamma = c.gamma;
  part.beta = c.beta;
  const auto at = [&](std::size_t row) { return c.x.begin() + static_cast<std::ptrdiff_t>(row * c.width); };
  part.x.assign(at(first), at(first + count));
  return part;
}

// The large call, what the kernel made of it, and how it is asked.
struct WholeCall {
  const LawContext& context;
  const Case& c;
  RunOptions options;
  Outputs outputs;
};

std::string Sized(const Case& c) { return fmt::format("{} x {}", c.rows, c.width); }

LawResult Judged(const WholeCall& whole, const Case& c, const Outputs& outputs, const std::string& how) {
  reference::JudgeOptions options = whole.context.judge;
  options.diagnose = options.describe = false;
  const auto judge = [&] { return reference::JudgeOutputs(c, outputs, whole.context.kernel.contract, whole.context.kernel.epsilon_format, options); };
  const reference::Verdict verdict = judge();
  if (verdict.not_supported) return NotApplicable();
  if (verdict.kept) return {};
  options.describe = true;
  return Broken(how + ": " + Seen(judge(), c));
}

std::string FirstDifference(const WholeCall& whole, std::size_t row, const Outputs& other, std::size_t other_row) {
  const Case& c = whole.c;
  for (std::size_t i = 0; i < c.width; ++i) {
    const auto a = whole.outputs.y[row * c.width + i], b = other.y[other_row * c.width + i];
    if (!SameBits(a, b, c.formats.y))
      return fmt::format("element {} is {} and {}", i, reference::HexText(a, c.formats.y), reference::HexText(b, c.formats.y));
  }
  return "its statistics differ";
}

// Rows [first, first + part.rows) of the whole call, once more in a call of their own: the same bits, or, where a kernel's sums
// depend on the batch, its contract.
LawResult CheckPart(const WholeCall& whole, std::size_t first, const Case& part, const RunOptions& options) {
  const std::string how = fmt::format("{}{}", part.rows == 1 ? "alone" : fmt::format("in a call of {} rows", part.rows),
                                      options.in_place ? ", in place" : "");
  const Outputs outputs = reference::RunKernel(whole.context.kernel, part, options);
  if (outputs.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!outputs.result.ok()) return Broken(fmt::format("rows from {} of {} {}: refused: {}", first, Sized(whole.c), how, outputs.result.reason));
  if (whole.context.kernel.batch_dependent)
    return Judged(whole, part, outputs, fmt::format("rows from {} of {} {}", first, Sized(whole.c), how));
  for (std::size_t row = 0; row < part.rows; ++row)
    if (!SameRow(whole.c, whole.outputs, first + row, outputs, row))
      return Broken(fmt::format("row {} of {} differs from the same row {}: {}", first + row, Sized(whole.c), how,
                                FirstDifference(whole, first + row, outputs, row)));
  return {};
}

LawResult CheckBlocks(const WholeCall& whole, const std::vector<std::size_t>& cuts, const RunOptions& options) {
  for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
    const Case part = RowsOf(whole.c, cuts[block], cuts[block + 1] - cuts[block]);
    if (LawResult result = CheckPart(whole, cuts[block], part, options); result.state != LawResult::State::kKept) return result;
  }
  return {};
}

// Blocks of drawn sizes; the first is one of a few rows.
std::vector<std::size_t> UnequalCuts(std::size_t rows, Random& random) {
  std::vector<std::size_t> cuts = {0, rows, std::min(rows, 1 + random.Below(13))};
  for (std::uint64_t more = 1 + random.Below(kMostBlocks - 2); more > 0; --more) cuts.push_back(random.Below(rows + 1));
  std::ranges::sort(cuts);
  cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
  return cuts;
}

// The first and the last row, those beside a cut, and drawn ones.
LawResult CheckRowsAlone(const WholeCall& whole, const std::vector<std::size_t>& cuts, Random& random) {
  std::vector<std::size_t> rows = {0, whole.c.rows - 1, whole.c.rows / 2};
  for (std::size_t cut : cuts)
    if (cut > 0) rows.push_back(cut - 1);
  while (rows.size() < kRowsAlone) rows.push_back(random.Below(whole.c.rows));
  for (std::size_t row : rows)
    if (LawResult result = CheckPart(whole, row, RowsOf(whole.c, row, 1), whole.options); result.state != LawResult::State::kKept)
      return result;
  return {};
}

bool TakesInPlace(const norm::Kernel& kernel, const Case& c) {
  return kernel.in_place && c.formats.x == c.formats.y && c.x_pitch == c.y_pitch;
}

LawResult CheckLargeCall(const LawContext& context, const Case& drawn) {
  const norm::Kernel& kernel = context.kernel;
  if (!norm::Supports(kernel, drawn.op, drawn.formats) || drawn.x.empty()) return NotApplicable();
  const Case c = FittedTo(kernel, drawn);
  Random random = DrawsOf(c);
  WholeCall whole = {context, c, {}, {}};
  whole.options.statistics = !random.OneIn(4);
  whole.outputs = reference::RunKernel(kernel, c, whole.options);
  if (whole.outputs.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (LawResult judged = Judged(whole, c, whole.outputs, Sized(c)); judged.state != LawResult::State::kKept) return judged;
  const std::vector<std::size_t> cuts = UnequalCuts(c.rows, random);
  if (LawResult rows = CheckRowsAlone(whole, cuts, random); rows.state != LawResult::State::kKept) return rows;
  RunOptions unequal = whole.options;
  unequal.in_place = TakesInPlace(kernel, c) && random.OneIn(2);
  if (LawResult blocks = CheckBlocks(whole, cuts, unequal); blocks.state != LawResult::State::kKept || c.rows < 2) return blocks;
  return CheckBlocks(whole, {0, c.rows / 2, c.rows}, whole.options);
}

}  // namespace

const Law kLargeCalls = {"large-calls",
                         "calls of up to a million elements keep the contract, and have the bits of the same call split in two, split unevenly, "
                         "and of their rows alone",
                         AppliesToAll, CheckLargeCall, nullptr, 1, LargeCallsOf};

}  // namespace normcheck::properties

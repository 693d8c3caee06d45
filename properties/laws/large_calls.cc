// The law of large calls: a call keeps its contract in every row, and is the same call split in two, split unevenly, and row by row.
#include "properties/large_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
constexpr std::size_t kFewRows = 8;
constexpr std::size_t kShownElements = 64;
// Calls up to here are split in both ways, larger ones in one of them, drawn.
constexpr std::size_t kSplitTwice = std::size_t{1} << 17;
// A row costs the judge about 0.4 us beside its elements: of more rows than these it takes some.
constexpr std::size_t kMostRowsJudged = std::size_t{1} << 15;
constexpr std::size_t kRowsJudgedAtEnds = 128;
constexpr std::size_t kRowsJudgedDrawn = 2048;

// The large call, what the kernel made of it, and how it is asked.
struct WholeCall {
  const LawContext& context;
  const Case& c;
  RunOptions options;
  Outputs outputs;
};

bool Kept(const LawResult& result) { return result.state == LawResult::State::kKept; }

// Seeded by the size and some of the elements: as good as by all of them, and at once.
Random DrawsOf(const Case& c) {
  std::uint64_t state = c.rows * 31 + c.width;
  const std::size_t step = std::max<std::size_t>(1, c.x.size() / kShownElements);
  for (std::size_t i = 0; i < c.x.size(); i += step) state = state * 0x100000001b3u + c.x[i];
  return Random(Seed{state});
}

std::string Sized(const Case& c) { return fmt::format("{} x {}", c.rows, c.width); }

Case WithoutRows(const Case& c) {
  Case empty = reference::MakeCase(c.op, c.formats, 0, c.width, c.epsilon);
  empty.gamma = c.gamma;
  empty.beta = c.beta;
  empty.x_pitch = c.x_pitch;
  empty.y_pitch = c.y_pitch;
  return empty;
}

Case RowsOf(const Case& c, std::size_t first, std::size_t count) {
  Case part = WithoutRows(c);
  part.rows = count;
  const auto from = c.x.begin() + static_cast<std::ptrdiff_t>(first * c.width);
  part.x.assign(from, from + static_cast<std::ptrdiff_t>(count * c.width));
  return part;
}

template <typename Item>
void AppendRow(const std::vector<Item>& from, std::size_t row, std::size_t width, std::vector<Item>& to) {
  if (from.empty()) return;
  const auto first = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(width));
}

// Some rows of a call as a call of their own, with the outputs that they have in it.
struct PickedRows {
  Case c;
  Outputs outputs;
};

PickedRows Pick(const Case& c, const Outputs& outputs, const std::vector<std::size_t>& rows) {
  PickedRows picked{WithoutRows(c), outputs};
  picked.c.rows = rows.size();
  picked.outputs.y.clear();
  picked.outputs.mean.clear();
  picked.outputs.inv_std_dev.clear();
  for (std::size_t row : rows) {
    AppendRow(c.x, row, c.width, picked.c.x);
    AppendRow(outputs.y, row, c.width, picked.outputs.y);
    AppendRow(outputs.mean, row, 1, picked.outputs.mean);
    AppendRow(outputs.inv_std_dev, row, 1, picked.outputs.inv_std_dev);
  }
  return picked;
}

// The judge's verdict on outputs of the kernel. `rows`: which rows of the whole call they are; empty: all from `first` on.
LawResult Judged(const LawContext& context, const Case& c, const Outputs& outputs, const std::string& how, std::size_t first,
                 const std::vector<std::size_t>& rows = {}) {
  reference::JudgeOptions options = context.judge;
  options.diagnose = options.describe = false;
  const auto judge = [&] { return reference::JudgeOutputs(c, outputs, context.kernel.contract, context.kernel.epsilon_format, options); };
  reference::Verdict verdict = judge();
  if (verdict.not_supported) return NotApplicable();
  if (verdict.kept) return {};
  options.describe = true;
  verdict = judge();
  if (verdict.worst) verdict.worst->row = rows.empty() ? first + verdict.worst->row : rows[verdict.worst->row];
  return Broken(how + ": " + Seen(verdict, c));
}

void SortUnique(std::vector<std::size_t>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

// The first and the last rows, those beside a cut or a power of two, and drawn ones.
std::vector<std::size_t> SomeRows(std::size_t rows, const std::vector<std::size_t>& cuts, Random& random) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < kRowsJudgedAtEnds; ++i) some.insert(some.end(), {i, rows - 1 - i});
  const auto beside = [&](std::size_t row) {
    for (std::size_t at = row - std::min<std::size_t>(row, 2); at < std::min(rows, row + 2); ++at) some.push_back(at);
  };
  for (std::size_t cut : cuts) beside(cut);
  for (std::size_t power = 1; power < rows; power *= 2) beside(power);
  for (std::size_t i = 0; i < kRowsJudgedDrawn; ++i) some.push_back(random.Below(rows));
  SortUnique(some);
  return some;
}

LawResult CheckJudgedRows(const WholeCall& whole, const std::vector<std::size_t>& cuts, Random& random) {
  const Case& c = whole.c;
  if (c.rows <= kMostRowsJudged) return Judged(whole.context, c, whole.outputs, Sized(c), 0);
  const std::vector<std::size_t> rows = SomeRows(c.rows, cuts, random);
  const PickedRows picked = Pick(c, whole.outputs, rows);
  return Judged(whole.context, picked.c, picked.outputs, Sized(c), 0, rows);
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

template <typename Item>
bool SameFrom(const std::vector<Item>& whole, std::size_t first, const std::vector<Item>& part) {
  return std::equal(part.begin(), part.end(), whole.begin() + (part.empty() ? 0 : static_cast<std::ptrdiff_t>(first)));
}

// Rows [first, first + part.rows) have the bits that they have in the whole call.
LawResult CheckSameRows(const WholeCall& whole, std::size_t first, const Case& part, const Outputs& outputs, const std::string& how) {
  if (SameFrom(whole.outputs.y, first * part.width, outputs.y) && SameFrom(whole.outputs.mean, first, outputs.mean) &&
      SameFrom(whole.outputs.inv_std_dev, first, outputs.inv_std_dev))
    return {};
  for (std::size_t row = 0; row < part.rows; ++row)
    if (!SameRow(whole.c, whole.outputs, first + row, outputs, row))
      return Broken(fmt::format("row {} of {} differs from the same row {}: {}", first + row, Sized(whole.c), how,
                                FirstDifference(whole, first + row, outputs, row)));
  return {};
}

// Rows of the whole call once more in a call of their own: the same bits, or, where a kernel's sums depend on the batch, its contract.
LawResult CheckPart(const WholeCall& whole, std::size_t first, const Case& part, const RunOptions& options) {
  const std::string how = fmt::format("{}{}", part.rows == 1 ? "alone" : fmt::format("in a call of {} rows", part.rows),
                                      options.in_place ? ", in place" : "");
  const Outputs outputs = reference::RunKernel(whole.context.kernel, part, options);
  if (outputs.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!outputs.result.ok()) return Broken(fmt::format("row {} of {} {}: refused: {}", first, Sized(whole.c), how, outputs.result.reason));
  if (!whole.context.kernel.batch_dependent) return CheckSameRows(whole, first, part, outputs, how);
  return Judged(whole.context, part, outputs, fmt::format("rows of {} {}", Sized(whole.c), how), first);
}

LawResult CheckBlocks(const WholeCall& whole, const std::vector<std::size_t>& cuts, const RunOptions& options) {
  for (std::size_t block = 0; block + 1 < cuts.size(); ++block) {
    const Case part = RowsOf(whole.c, cuts[block], cuts[block + 1] - cuts[block]);
    if (LawResult result = CheckPart(whole, cuts[block], part, options); !Kept(result)) return result;
  }
  return {};
}

// Blocks of drawn sizes, the first of a few rows; of few rows each by itself.
std::vector<std::size_t> UnequalCuts(std::size_t rows, Random& random) {
  if (rows <= kFewRows) {
    std::vector<std::size_t> each(rows + 1);
    std::iota(each.begin(), each.end(), std::size_t{0});
    return each;
  }
  std::vector<std::size_t> cuts = {0, rows, std::min(rows, 1 + random.Below(13))};
  for (std::uint64_t more = 1 + random.Below(kMostBlocks - 2); more > 0; --more) cuts.push_back(random.Below(rows + 1));
  SortUnique(cuts);
  return cuts;
}

// The first and the last row, those before a cut, and drawn ones. Few rows are alone in their blocks.
LawResult CheckRowsAlone(const WholeCall& whole, const std::vector<std::size_t>& cuts, Random& random) {
  if (whole.c.rows <= kFewRows) return {};
  std::vector<std::size_t> rows = {random.Below(whole.c.rows), whole.c.rows - 1, 0, whole.c.rows / 2};
  for (std::size_t cut : cuts) rows.push_back(cut == 0 ? random.Below(whole.c.rows) : cut - 1);
  rows.resize(std::clamp<std::size_t>(whole.c.rows / kFewRows, 1, std::min(kRowsAlone, rows.size())));
  for (std::size_t row : rows)
    if (LawResult result = CheckPart(whole, row, RowsOf(whole.c, row, 1), whole.options); !Kept(result)) return result;
  return {};
}

LawResult CheckSplits(const WholeCall& whole, const std::vector<std::size_t>& cuts, Random& random) {
  const Case& c = whole.c;
  const bool takes_in_place = whole.context.kernel.in_place && c.formats.x == c.formats.y && c.x_pitch == c.y_pitch;
  RunOptions unequal = whole.options;
  unequal.in_place = takes_in_place && random.OneIn(2);
  const bool both = c.x.size() <= kSplitTwice, in_two = random.OneIn(2);
  if (both || !in_two || c.rows <= kFewRows)
    if (LawResult result = CheckBlocks(whole, cuts, unequal); !Kept(result)) return result;
  if ((!both && !in_two) || c.rows <= kFewRows) return {};
  return CheckBlocks(whole, {0, c.rows / 2, c.rows}, whole.options);
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
  const std::vector<std::size_t> cuts = UnequalCuts(c.rows, random);
  if (LawResult judged = CheckJudgedRows(whole, cuts, random); !Kept(judged)) return judged;
  if (LawResult rows = CheckRowsAlone(whole, cuts, random); !Kept(rows)) return rows;
  return CheckSplits(whole, cuts, random);
}

}  // namespace

const Law kLargeCalls = {"large-calls",
                         "calls of up to a million elements keep the contract, and have the bits of the same call split in two, split unevenly, "
                         "and of their rows alone",
                         AppliesToAll, CheckLargeCall, nullptr, 1, LargeCallsOf};

}  // namespace normcheck::properties

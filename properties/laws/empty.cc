// The law of nothing: no rows or no width, nothing written.
#include <algorithm>
#include <bit>

#include "properties/laws/checks.h"
#include "properties/laws/groups.h"

namespace normcheck::properties {
namespace {

constexpr reference::Bits kPoison = 0x7fa5a5a5;

bool Untouched(const std::vector<float>& statistics) {
  return std::ranges::all_of(statistics, [](const float& value) { return std::bit_cast<reference::Bits>(value) == kPoison; });
}

LawResult CheckNothingWritten(const LawContext& context, const Case& c, const std::string& what) {
  const reference::Outputs outputs = reference::RunKernel(context.kernel, c, {});
  if (outputs.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!outputs.result.ok()) return Broken(what + " is refused: " + std::string(outputs.result.reason));
  const bool clean = outputs.trespass.empty() && outputs.changed_input.empty() && Untouched(outputs.mean) && Untouched(outputs.inv_std_dev);
  return clean ? LawResult{} : Broken(what + " writes something");
}

LawResult CheckEmpty(const LawContext& context, const Case& c) {
  Case no_rows = reference::MakeCase(c.op, c.formats, 0, c.width, c.epsilon);
  no_rows.gamma = c.gamma;
  no_rows.beta = c.beta;
  const LawResult rows = CheckNothingWritten(context, no_rows, "a call of no rows");
  if (rows.state == LawResult::State::kBroken) return rows;
  Case no_width = reference::MakeCase(c.op, c.formats, c.rows, 0, c.epsilon);
  if (c.gamma) no_width.gamma.emplace();
  if (c.beta) no_width.beta.emplace();
  return CheckNothingWritten(context, no_width, "a call of width 0");
}

}  // namespace

const Law kEmpty = {"empty", "no rows or width 0: accepted, and nothing is written", AppliesToAll, CheckEmpty};

}  // namespace normcheck::properties

// The law of constant rows: LayerNorm with epsilon > 0 gives beta; exactly, or under a looser contract within its bound.
#include <algorithm>
#include <span>

#include "properties/families.h"
#include "properties/laws/checks.h"
#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// Every row becomes its first finite element (0 where it has none); epsilon 0 becomes 1e-12.
void MakeRowsConstant(Case& c) {
  MakeCentred(c);
  c.expected.clear();
  if (c.epsilon == 0) c.epsilon = Epsilons()[1];
  for (std::size_t row = 0; row < c.rows && c.width > 0; ++row) {
    const auto x = std::span(c.x).subspan(row * c.width, c.width);
    const auto found = std::ranges::find_if(x, [&](Bits bits) { return reference::IsFinite(bits, c.formats.x); });
    const Bits value = found == x.end() ? 0 : *found;
    std::ranges::fill(x, value);
  }
}

LawResult CheckConstantRow(const LawContext& context, const Case& c) {
  if (!PromisesExactValues(context.kernel)) return CheckJudged(context, c);
  if (!norm::Supports(context.kernel, c.op, c.formats)) return NotApplicable();
  const reference::Outputs outputs = reference::RunKernel(context.kernel, c, {});
  if (outputs.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!outputs.result.ok()) return Broken("refused: " + std::string(outputs.result.reason));
  return CheckRowsAreBeta(c, outputs);
}

}  // namespace

const Law kConstantRowIsBeta = {"constant-row", "a constant LayerNorm row with epsilon > 0 gives beta, rounded to y's format (under a looser contract: within its bound)",
                                HasCentredOp, CheckConstantRow, MakeRowsConstant};

}  // namespace normcheck::properties

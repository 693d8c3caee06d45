// Shared checks of the laws: verdicts as results, rows that must be beta.
#include "properties/laws/checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using reference::Bits;

std::string Ulps(const std::optional<double>& ulp) { return ulp ? fmt::format("{:.6g}", *ulp) : "-"; }

}  // namespace

std::string Seen(const reference::Verdict& verdict, const Case& c) {
  if (!verdict.fault.empty()) return verdict.fault;
  if (verdict.statistics && verdict.statistics->broken > 0 && verdict.tally.broken == 0)
    return fmt::format("mean off by {:.6g} ulp of max|x|, inv_std_dev by {:.6g} ulp", verdict.statistics->max_mean_ulp,
                       verdict.statistics->max_inv_std_dev_ulp);
  if (!verdict.worst) return "contract broken";
  const auto& worst = *verdict.worst;
  return fmt::format("row {} element {}: x {}, got {}, want {}, {} ulp, {} row ulp{}{}", worst.row, worst.index,
                     reference::HexText(worst.x, c.formats.x), reference::HexText(worst.got, c.formats.y),
                     reference::HexText(worst.want, c.formats.y), Ulps(worst.ulp), Ulps(worst.row_ulp),
                     worst.fault.empty() ? "" : ", ", worst.fault);
}

LawResult Broken(std::string seen) { return {LawResult::State::kBroken, std::move(seen)}; }
LawResult NotAsked(std::string why) { return {LawResult::State::kNotAsked, std::move(why)}; }
LawResult NotApplicable() { return {LawResult::State::kNotApplicable, {}}; }

bool AppliesToAll(const norm::Kernel&) { return true; }

bool IgnoresBatch(const norm::Kernel& kernel) { return !kernel.batch_dependent; }

bool HasCentredOp(const norm::Kernel& kernel) {
  return std::ranges::any_of(kernel.ops, [](norm::Op op) { return reference::OperationOf(op).centred(); });
}

bool PromisesExactValues(const norm::Kernel& kernel) {
  const norm::Contract& contract = kernel.contract;
  if (contract.flush_to_zero) return false;
  if (contract.kind == norm::ContractKind::kCorrectlyRounded) return true;
  return contract.kind != norm::ContractKind::kProfile && contract.k < 1;
}

LawResult CheckRowsAreBeta(const Case& c, const reference::Outputs& outputs) {
  const auto parameter = [&](const std::optional<std::vector<Bits>>& values, std::size_t i, double absent) {
    return values ? reference::ValueOf((*values)[i], c.formats.params) : absent;
  };
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    const std::size_t column = i % c.width;
    const double gamma = parameter(c.gamma, column, 1);
    const double beta = parameter(c.beta, column, 0);
    if (!(gamma - gamma == 0) || !(beta - beta == 0) || !reference::IsFinite(c.x[i], c.formats.x)) continue;
    const Bits want = reference::BitsOf(beta, c.formats.y);
    const bool both_zero = beta == 0 && reference::ValueOf(outputs.y[i], c.formats.y) == 0;
    if (outputs.y[i] == want || both_zero) continue;
    return Broken(fmt::format("row {} element {}: got {}, beta is {}", i / c.width, column,
                              reference::HexText(outputs.y[i], c.formats.y), reference::HexText(want, c.formats.y)));
  }
  return {};
}

LawResult CheckJudged(const LawContext& context, const Case& c) {
  reference::JudgeOptions options = context.judge;
  options.diagnose = false;
  const reference::Verdict verdict = reference::Judge(context.kernel, c, options);
  if (verdict.harness_failed) return NotAsked(verdict.fault);
  if (verdict.not_supported) return NotApplicable();
  return verdict.kept ? LawResult{} : Broken(Seen(verdict, c));
}

}  // namespace normcheck::properties

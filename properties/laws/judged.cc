// Laws that the judge decides: any case, rows with special values, rows of one element.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "properties/families/values.h"
#include "properties/laws/checks.h"
#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

bool PromisesNonFinite(const norm::Kernel& kernel) { return !kernel.contract.finite_only; }

bool AllFinite(std::span<const Bits> values, Format format) {
  return std::ranges::all_of(values, [&](Bits bits) { return reference::IsFinite(bits, format); });
}

// Infinities, and NaNs: the canonical one, the first and the last by their bits.
void PlantNonFinite(std::vector<Bits>& values, Format format, Random& random) {
  const Bits negative = reference::InfinityBits(format, true), positive = reference::InfinityBits(format, false);
  const Bits specials[] = {positive, negative, positive, negative, reference::CanonicalNan(format), positive + 1, 2 * (negative - positive) - 1};
  const Bits special = specials[random.Below(std::size(specials))];
  values[random.Below(values.size())] = special;
}

// Plants one NaN or infinity in x, gamma or beta where there is none yet.
void PrepareSpecialValues(Case& c) {
  if (c.x.empty() || !AllFinite(c.x, c.formats.x)) return;
  if (c.gamma && !AllFinite(*c.gamma, c.formats.params)) return;
  if (c.beta && !AllFinite(*c.beta, c.formats.params)) return;
  Random random = RandomOf(c);
  const std::uint64_t place = random.Below(4);
  if (place == 0 && c.gamma) return PlantNonFinite(*c.gamma, c.formats.params, random);
  if (place == 1 && c.beta) return PlantNonFinite(*c.beta, c.formats.params, random);
  PlantNonFinite(c.x, c.formats.x, random);
}

// IEEE's answer in a row of x that holds a NaN or an infinity: NaN, or in RMSNorm beside an infinity gamma_i*0 + beta_i.
double ExpectedBesideNonFinite(const Case& c, bool row_has_nan, std::size_t i) {
  const double nan = reference::ValueOf(reference::CanonicalNan(c.formats.y), c.formats.y);
  const bool all_nan = reference::OperationOf(c.op).infinite_row == reference::InfiniteRow::kAllNan;
  if (all_nan || row_has_nan || reference::IsInfinite(c.x[i], c.formats.x)) return nan;
  const double gamma = c.gamma ? reference::ValueOf((*c.gamma)[i % c.width], c.formats.params) : 1;
  const double beta = c.beta ? reference::ValueOf((*c.beta)[i % c.width], c.formats.params) : 0;
  return gamma * 0 + beta;
}

LawResult CheckRowBesideNonFinite(const Case& c, std::size_t row, const reference::Outputs& outputs) {
  const auto x = std::span(c.x).subspan(row * c.width, c.width);
  const bool has_nan = std::ranges::any_of(x, [&](Bits bits) { return reference::IsNan(bits, c.formats.x); });
  for (std::size_t i = row * c.width; i < (row + 1) * c.width; ++i) {
    const Bits want = reference::BitsOf(ExpectedBesideNonFinite(c, has_nan, i), c.formats.y);
    const double wanted = reference::ValueOf(want, c.formats.y);
    const double got = reference::ValueOf(outputs.y[i], c.formats.y);
    if (got == wanted || (got != got && wanted != wanted)) continue;
    return Broken(fmt::format("row {} element {}: got {}, IEEE says {}", row, i % c.width,
                              reference::HexText(outputs.y[i], c.formats.y), reference::HexText(want, c.formats.y)));
  }
  return {};
}

LawResult CheckSpecialValues(const LawContext& context, const Case& c) {
  const LawResult judged = CheckJudged(context, c);
  if (judged.state != LawResult::State::kKept || !PromisesExactValues(context.kernel)) return judged;
  const reference::Outputs outputs = reference::RunKernel(context.kernel, c, {});
  for (std::size_t row = 0; row < c.rows; ++row) {
    if (AllFinite(std::span(c.x).subspan(row * c.width, c.width), c.formats.x)) continue;
    const LawResult result = CheckRowBesideNonFinite(c, row, outputs);
    if (result.state != LawResult::State::kKept) return result;
  }
  return {};
}

void PrepareWidthOne(Case& c) { KeepColumns(c, 1); }

LawResult CheckWidthOne(const LawContext& context, const Case& c) {
  const LawResult judged = CheckJudged(context, c);
  const bool is_beta = reference::OperationOf(c.op).centred() && c.epsilon > 0 && PromisesExactValues(context.kernel);
  if (judged.state != LawResult::State::kKept || !is_beta) return judged;
  return CheckRowsAreBeta(c, reference::RunKernel(context.kernel, c, {}));
}

LawResult CheckStatistics(const LawContext& context, const Case& c) {
  reference::JudgeOptions options = context.judge;
  options.diagnose = false;
  const reference::Verdict verdict = reference::Judge(context.kernel, c, options);
  if (verdict.harness_failed) return NotAsked(verdict.fault);
  if (verdict.not_supported || !verdict.statistics || verdict.statistics->judged == 0) return NotApplicable();
  if (verdict.statistics->broken == 0) return {};
  return Broken(fmt::format("mean off by {:.6g} ulp of max|x|, inv_std_dev by {:.6g} ulp", verdict.statistics->max_mean_ulp,
                            verdict.statistics->max_inv_std_dev_ulp));
}

void PrepareStatistics(Case& c) { KeepColumns(c, 257); }

bool GivesStatistics(const norm::Kernel& kernel) { return kernel.statistics; }

}  // namespace

const Law kStatistics = {"statistics", "mean and inv_std_dev keep the contract, special rows included", GivesStatistics, CheckStatistics,
                         PrepareStatistics};

const Law kJudged = {"judged", "y and statistics keep the contract; memory, inputs and MXCSR are left alone", AppliesToAll, CheckJudged};

const Law kSpecialValues = {"special-values", "rows and parameters with NaN or infinity come out as IEEE evaluates the definition",
                            PromisesNonFinite, CheckSpecialValues, PrepareSpecialValues};

const Law kWidthOne = {"width-one", "a row of one element keeps the contract; LayerNorm with epsilon > 0 gives exactly beta",
                       AppliesToAll, CheckWidthOne, PrepareWidthOne};

}  // namespace normcheck::properties

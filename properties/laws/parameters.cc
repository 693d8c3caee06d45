// Laws of gamma and beta: scaled together, absent, additive, linear, and the round trip that gives x back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "norm/kernel.h"
#include "properties/families/values.h"
#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/relation.h"
#include "reference/number.h"
#include "reference/plain_moments.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Dyadic;
using reference::Format;
using reference::Quad;

std::vector<Bits> Ramp(const Case& c, std::size_t period, double first) {
  std::vector<Bits> values(c.width);
  for (std::size_t i = 0; i < c.width; ++i) values[i] = reference::BitsOf(first + static_cast<double>(i % period), c.formats.params);
  return values;
}

void PrepareParameters(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  if (!c.gamma && !c.beta) c.gamma = Ramp(c, 5, 1);
}

bool ScaleExactly(std::optional<std::vector<Bits>>& values, double factor, Format format) {
  if (!values) return true;
  for (Bits& bits : *values) {
    const double scaled = reference::ValueOf(bits, format) * factor;
    bits = reference::BitsOf(scaled, format);
    if (reference::ValueOf(bits, format) != scaled) return false;
  }
  return true;
}

std::optional<Related> ScaledParameters(const Case& c) {
  Random random = RandomOf(c);
  const int k = static_cast<int>(random.Between(-4, 4));
  Related related{c, random.OneIn(2) ? -PowerOfTwo(k) : PowerOfTwo(k)};
  if (!c.gamma) related.other.gamma.emplace(c.width, reference::BitsOf(1, c.formats.params));
  const bool exact = ScaleExactly(related.other.gamma, related.factor, c.formats.params) &&
                     ScaleExactly(related.other.beta, related.factor, c.formats.params);
  return exact ? std::optional(related) : std::nullopt;
}

bool TakesAbsent(const norm::Kernel& kernel) { return kernel.absent_params && kernel.beta; }
bool TakesBeta(const norm::Kernel& kernel) { return kernel.beta; }

void PrepareAbsent(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  if (c.gamma && c.beta) c.rows % 2 == 0 ? c.gamma.reset() : c.beta.reset();
}

std::optional<Related> MadeExplicit(const Case& c) {
  Related related{c};
  if (!c.gamma) related.other.gamma.emplace(c.width, reference::BitsOf(1, c.formats.params));
  if (!c.beta) related.other.beta.emplace(c.width, Bits{0});
  return related;
}

// |got - (factor_i*got_other + term_i)| <= E + |factor_i|*E_other for every element that is finite and promised.
template <typename Factor, typename Term>
LawResult CheckAffine(const Side& side, const Side& other, const Factor& factor, const Term& term) {
  for (const Side* run : {&side, &other})
    if (const auto fault = run->Fault()) return *fault;
  bool compared = false;
  for (std::size_t j = 0; j < side.size(); ++j) {
    const std::size_t row = j / side.c().width;
    if (IsUndefined(side.c(), row) || std::isinf(side.got(j)) || std::isinf(other.got(j))) continue;
    if (std::isnan(side.got(j)) || std::isnan(other.got(j))) {
      if (!side.Error(j) || !other.Error(j)) continue;
      return Broken(fmt::format("row {} element {}: NaN", row, j % side.c().width));
    }
    const Dyadic scale = factor(j % side.c().width);
    const Dyadic distance = (Dyadic(side.got(j)) - scale * Dyadic(other.got(j)) - term(j % side.c().width)).Abs();
    compared = true;
    if (distance.Sign() == 0) continue;
    const auto slack = side.Error(j), slack_other = other.Error(j);
    if (!slack || !slack_other || AtMost(distance, *slack + scale.Abs() * *slack_other)) continue;
    return Broken(fmt::format("row {} element {}: y {}, the other y {}", row, j % side.c().width,
                              reference::HexText(side.bits(j), side.c().formats.y), reference::HexText(other.bits(j), other.c().formats.y)));
  }
  return compared ? LawResult{} : NotApplicable();
}

void PrepareAdditive(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  if (!c.beta) c.beta = Ramp(c, 7, -3);
}

LawResult CheckAdditive(const LawContext& context, const Case& c) {
  Case without = c;
  without.beta.reset();
  const auto beta = [&](std::size_t i) { return Dyadic(reference::ValueOf((*c.beta)[i], c.formats.params)); };
  return CheckAffine(Side(context.kernel, c), Side(context.kernel, without), [](std::size_t) { return Dyadic(1); }, beta);
}

void PrepareLinear(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  c.beta.reset();
  if (!c.gamma) c.gamma = Ramp(c, 5, -2);
}

LawResult CheckLinear(const LawContext& context, const Case& c) {
  Case without = c;
  without.gamma.reset();
  const auto gamma = [&](std::size_t i) { return Dyadic(reference::ValueOf((*c.gamma)[i], c.formats.params)); };
  return CheckAffine(Side(context.kernel, c), Side(context.kernel, without), gamma, [](std::size_t) { return Dyadic(); });
}

// gamma = sqrt(var + epsilon) and beta = mu of the row, rounded to the parameters' format.
void PrepareRoundTrip(Case& c) {
  MakeFinite(c);
  KeepRows(c, 1);
  KeepColumns(c, kWidestRelated);
  if (c.x.empty()) return;
  const reference::PlainMoments row = reference::PlainMomentsOf(c.op, c.x, c.formats.x);
  c.gamma.emplace(c.width, reference::BitsOf(std::sqrt(row.spread + c.epsilon), c.formats.params));
  c.beta.emplace(c.width, reference::BitsOf(row.mean, c.formats.params));
}

// |Y_i - x_i| = |(gamma - sqrt(var + epsilon))*xhat_i + (beta - mu)|, what the rounding of the parameters does.
Quad ParameterRounding(const reference::ExactRow& row, std::size_t i, double gamma, double beta) {
  const Quad distance = abs(Quad(row.Element(i, gamma, beta).Value() - Quad(row.values()[i])));
  const Quad precision = (abs(row.Element(i, gamma, 0).Value()) + abs(Quad(beta)) + abs(Quad(row.values()[i]))) * Quad(0x1p-90);
  return distance + precision;
}

LawResult CheckRoundTrip(const LawContext& context, const Case& c) {
  const double gamma = reference::ValueOf((*c.gamma)[0], c.formats.params), beta = reference::ValueOf((*c.beta)[0], c.formats.params);
  if (IsUndefined(c, 0) || !std::isfinite(gamma) || !std::isfinite(beta)) return NotApplicable();
  const Side side(context.kernel, c);
  if (const auto fault = side.Fault()) return *fault;
  const reference::ExactRow* row = side.Row(0);
  for (std::size_t i = 0; row != nullptr && i < c.width; ++i) {
    const double got = side.got(i), x = row->values()[i];
    const auto slack = side.Error(i);
    if (std::isinf(got) || !slack) continue;
    const Quad reach = ToQuad(*slack) + ParameterRounding(*row, i, gamma, beta);
    if (!(abs(Quad(Quad(got) - Quad(x))) <= reach * (1 + Quad(0x1p-90))))
      return Broken(fmt::format("element {}: got {}, x is {}", i, reference::HexText(side.bits(i), c.formats.y), reference::HexText(c.x[i], c.formats.x)));
  }
  return {};
}

// The last half is the first one negated and reversed, an odd middle 0: the sum is exactly zero.
void PrepareZeroSum(Case& c) {
  MakeCentred(c);
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  const Bits sign = Bits{1} << (8 * norm::TraitsOf(c.formats.x).bytes - 1);
  for (std::size_t row = 0; row < c.rows; ++row) {
    Bits* x = c.x.data() + row * c.width;
    for (std::size_t i = 0; i < c.width / 2; ++i) x[c.width - 1 - i] = x[i] ^ sign;
    if (c.width % 2 == 1) x[c.width / 2] = 0;
  }
}

// A kernel of one op is held against the production kernel of the other, within both contracts.
LawResult CheckZeroSum(const LawContext& context, const Case& c) {
  Related related{c};
  related.other.op = norm::Op::kRmsNorm;
  const auto production = norm::ProductionKernels();
  const auto with = [&](norm::Op op) -> const norm::Kernel& {
    if (norm::Supports(context.kernel, op, c.formats)) return context.kernel;
    return *std::ranges::find_if(production, [&](const norm::Kernel& kernel) { return kernel.ops.front() == op; });
  };
  return CheckRelated(Side(with(norm::Op::kLayerNorm), c), Side(with(norm::Op::kRmsNorm), related.other), related);
}

}  // namespace

const Law kParameterScale = {"parameter-scale", "gamma and beta together times 2^k or -2^k multiply y by it", AppliesToAll,
                             CheckRelation<ScaledParameters>, PrepareParameters};
const Law kAbsentParameters = {"absent-parameters", "absent gamma is ones, absent beta zeros", TakesAbsent, CheckRelation<MadeExplicit>, PrepareAbsent};
const Law kBetaAdditive = {"beta-additive", "y with beta minus y without is beta, within the errors that the contract lets both have",
                           TakesBeta, CheckAdditive, PrepareAdditive};
const Law kGammaLinear = {"gamma-linear", "without beta, y is gamma times the y without gamma, within the contract's errors", AppliesToAll,
                          CheckLinear, PrepareLinear};
const Law kRoundTrip = {"round-trip", "gamma = sqrt(var + epsilon), beta = mu give x back, within the contract's error and the parameters' rounding",
                        TakesBeta, CheckRoundTrip, PrepareRoundTrip};
const Law kRmsIsLayerNorm = {"rms-is-layer-norm", "on rows of exact zero sum RMSNorm is LayerNorm", AppliesToAll, CheckZeroSum, PrepareZeroSum};

}  // namespace normcheck::properties

// Laws of size and order: |y| is bounded by the width, y follows x, and more epsilon makes no element larger.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <span>

#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/side.h"
#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Dyadic;

std::string ShownElement(const Side& side, std::size_t j) {
  return fmt::format("row {} element {}: {}", j / side.c().width, j % side.c().width, reference::HexText(side.bits(j), side.c().formats.y));
}

void PreparePlain(Case& c) {
  KeepColumns(c, kWidestRelated);
  MakePlain(c);
}

// |got| - E <= sqrt(n): no root is taken.
bool WithinRoot(double got, const Dyadic& error, double n) {
  const Dyadic rest = Dyadic(std::abs(got)) - error;
  return rest.Sign() <= 0 || AtMost(rest * rest, Dyadic(n));
}

// The largest xhat^2: H - 1 around a mean, H around zero, 1 under a sum of squares.
double LargestSquare(const reference::Operation& operation, std::size_t width) {
  return reference::CountOf(operation.squares_over, width) - (operation.centred() ? 1 : 0);
}

LawResult CheckBounded(const LawContext& context, const Case& c) {
  const Side side(context.kernel, c);
  if (const auto fault = side.Fault()) return *fault;
  const double n = LargestSquare(reference::OperationOf(c.op), c.width);
  const double rounded = reference::ValueOf(reference::BitsOf(std::sqrt(n), c.formats.y), c.formats.y);
  bool compared = false;
  for (std::size_t j = 0; j < side.size(); ++j) {
    if (IsUndefined(side.c(), j / c.width)) continue;
    compared = true;
    if (std::abs(side.got(j)) <= rounded && side.CorrectlyRounded()) continue;
    if (std::abs(side.got(j)) <= std::trunc(std::sqrt(n))) continue;
    const auto error = side.Error(j);
    const bool kept = !error || (!side.CorrectlyRounded() && std::isfinite(side.got(j)) && WithinRoot(side.got(j), *error, n));
    if (!kept) return Broken(ShownElement(side, j) + fmt::format(", beyond sqrt({})", n));
  }
  return compared ? LawResult{} : NotApplicable();
}

// gamma all its first magnitude (1 for zero), beta all its first.
void PrepareMonotonic(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  if (c.width == 0) return;
  const Bits magnitude = c.gamma ? reference::BitsOf(std::abs(reference::ValueOf(c.gamma->front(), c.formats.params)), c.formats.params) : 0;
  if (c.gamma) std::ranges::fill(*c.gamma, magnitude == 0 ? reference::BitsOf(1, c.formats.params) : magnitude);
  if (c.beta) c.beta->assign(c.width, Bits(c.beta->front()));
}

bool NotAbove(const Side& low, std::size_t i, const Side& high, std::size_t j, double low_got, double high_got) {
  if (low_got <= high_got) return true;
  if (std::isnan(low_got) || std::isnan(high_got)) return !low.Error(i) || !high.Error(j);
  if (low.CorrectlyRounded() && high.CorrectlyRounded()) return false;
  if (std::isinf(low_got) || std::isinf(high_got)) return true;
  const auto error = low.Error(i), other = high.Error(j);
  return !error || !other || AtMost(Dyadic(low_got) - Dyadic(high_got), *error + *other);
}

LawResult CheckMonotonic(const LawContext& context, const Case& c) {
  const Side side(context.kernel, c);
  if (const auto fault = side.Fault()) return *fault;
  bool compared = false;
  for (std::size_t row = 0; row < c.rows; ++row) {
    if (IsUndefined(side.c(), row) || c.width < 2) continue;
    std::vector<std::size_t> order(c.width);
    std::iota(order.begin(), order.end(), row * c.width);
    std::ranges::sort(order, {}, [&](std::size_t j) { return std::pair(reference::ValueOf(c.x[j], c.formats.x), j); });
    for (std::size_t k = 1; k < order.size(); ++k)
      if (!NotAbove(side, order[k - 1], side, order[k], side.got(order[k - 1]), side.got(order[k])))
        return Broken(ShownElement(side, order[k - 1]) + " lies above " + ShownElement(side, order[k]) + ", and its x does not");
    compared = true;
  }
  return compared ? LawResult{} : NotApplicable();
}

LawResult CheckLargerEpsilon(const LawContext& context, const Case& c) {
  Case more = c;
  more.epsilon = 4 * c.epsilon + 1e-6;
  const Side side(context.kernel, c), damped(context.kernel, more);
  for (const Side* run : {&side, &damped})
    if (const auto fault = run->Fault()) return *fault;
  bool compared = false;
  for (std::size_t j = 0; j < side.size(); ++j) {
    if (IsUndefined(side.c(), j / c.width)) continue;
    compared = true;
    if (!NotAbove(damped, j, side, j, std::abs(damped.got(j)), std::abs(side.got(j))))
      return Broken(ShownElement(damped, j) + " at epsilon " + reference::HexText(more.epsilon) + ", " + ShownElement(side, j) + " at the case's own");
  }
  return compared ? LawResult{} : NotApplicable();
}

}  // namespace

const Law kBounded = {"bounded", "without gamma and beta, |y| <= sqrt(H - 1); RMSNorm: sqrt(H)", AppliesToAll, CheckBounded, PreparePlain};
const Law kMonotonic = {"monotonic", "at equal gamma > 0 and equal beta, a larger x has no smaller y", AppliesToAll, CheckMonotonic, PrepareMonotonic};
const Law kLargerEpsilon = {"larger-epsilon", "without gamma and beta, a larger epsilon makes no |y| larger", AppliesToAll, CheckLargerEpsilon, PreparePlain};

}  // namespace normcheck::properties

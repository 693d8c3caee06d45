// Draws gamma and beta; magnitudes stay within 2^-12..2^12, which every format holds.
#include "properties/parameters.h"

#include <cmath>

#include "properties/families/values.h"
#include "reference/number.h"
#include "reference/plain_moments.h"

namespace normcheck::properties {
namespace {

enum class Spread : std::uint64_t { kPlain, kDecades, kNegative, kWithZeros, kPowers };

double Draw(Spread spread, double centre, Random& random) {
  const int exponent = static_cast<int>(random.Between(-12, 12));
  switch (spread) {
    case Spread::kPlain: return centre + 0.25 * random.Gaussian();
    case Spread::kDecades: return random.Gaussian() * PowerOfTwo(exponent);
    case Spread::kNegative: return -1 - random.Unit();
    case Spread::kWithZeros: return random.OneIn(3) ? EitherSign(0.0, random) : random.Gaussian();
    case Spread::kPowers: break;
  }
  return EitherSign(PowerOfTwo(exponent), random);
}

std::vector<Bits> DrawParameters(const Case& c, double centre, Random& random) {
  const auto spread = static_cast<Spread>(random.Below(5));
  std::vector<Bits> values(c.width);
  for (Bits& value : values) value = reference::BitsOf(Draw(spread, centre, random), c.formats.params);
  return values;
}

}  // namespace

void DrawGamma(Case& c, Random& random) {
  c.gamma.reset();
  if (!random.OneIn(4)) c.gamma = DrawParameters(c, 1, random);
}

void DrawBeta(Case& c, Random& random) {
  c.beta.reset();
  if (!random.OneIn(4)) c.beta = DrawParameters(c, 0, random);
}

std::vector<double> XhatOfFirstRow(const Case& c) {
  std::vector<double> xhat(c.width);
  const auto x = [&](std::size_t i) { return reference::ValueOf(c.x[i], c.formats.x); };
  const reference::PlainMoments row = reference::PlainMomentsOf(c.op, std::span(c.x).first(c.width), c.formats.x);
  const double root = std::sqrt(row.spread + c.epsilon);
  for (std::size_t i = 0; i < c.width; ++i) xhat[i] = x(i) == row.mean ? 0 : (x(i) - row.mean) / root;
  return xhat;
}

void CancelBeta(Case& c) {
  if (c.rows == 0 || c.width == 0) return;
  const std::vector<double> xhat = XhatOfFirstRow(c);
  c.beta.emplace(c.width);
  for (std::size_t i = 0; i < c.width; ++i) {
    const double gamma = c.gamma ? reference::ValueOf((*c.gamma)[i], c.formats.params) : 1;
    const Bits beta = reference::BitsOf(-(gamma * xhat[i]), c.formats.params);
    (*c.beta)[i] = reference::IsFinite(beta, c.formats.params) ? beta : 0;
  }
}

}  // namespace normcheck::properties

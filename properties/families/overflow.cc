// Rows whose outputs leave the format of y, by a little and by much, though nothing in between does.
#include <algorithm>
#include <cmath>

#include "properties/families/kinds.h"
#include "properties/families/values.h"
#include "properties/parameters.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

// Signs in turn and magnitudes of one binade: every |xhat_i| is near 1, so that no other element sets a far larger scale.
void FillEven(const RowTask& task, Random& random) {
  const double scale = PowerOfTwo(static_cast<int>(random.Between(-6, 6)));
  for (std::size_t i = 0; i < task.x.size(); ++i) {
    const double magnitude = scale * (1 + random.Unit() / 4);
    task.x[i] = reference::BitsOf(i % 2 == 0 ? magnitude : -magnitude, task.formats.x);
  }
}

// 2^(emax+1), where infinity would stand if it were a number.
double EndOf(Format format) { return PowerOfTwo(norm::TraitsOf(format).emax + 1); }

double OrdinaryGamma(Random& random) { return EitherSign(1 + random.Unit(), random); }

Bits Clipped(double value, Format format) {
  const Bits bits = reference::BitsOf(value, format);
  return reference::IsFinite(bits, format) ? bits : reference::MaxFinite(format, value < 0);
}

// 2^(emax+1) less or more a part of it from a quarter down to below half an ulp.
double NearEnd(Format y, Random& random) {
  const auto finest = static_cast<std::uint64_t>(norm::TraitsOf(y).precision);
  return EndOf(y) * (1 + EitherSign(PowerOfTwo(-2 - static_cast<int>(random.Below(finest + 1))), random));
}

double FarBeyond(Format y, Random& random) {
  return EndOf(y) * PowerOfTwo(static_cast<int>(random.Between(1, 8))) * (1 + random.Unit());
}

// A share of column i is left to beta, of the product's sign, so that nothing cancels; without an xhat beta has it all.
void Aim(Case& c, std::size_t i, double xhat, double target, Random& random) {
  const Format params = c.formats.params;
  const double by_beta = xhat == 0 ? target : random.OneIn(4) ? target / 2 : 0;
  if (xhat != 0) (*c.gamma)[i] = Clipped(EitherSign((target - by_beta) / xhat, random), params);
  if (by_beta == 0) return;
  if (!c.beta) c.beta.emplace(c.width, reference::BitsOf(0.0, params));
  const double product = reference::ValueOf((*c.gamma)[i], params) * xhat;
  (*c.beta)[i] = Clipped(product < 0 ? -by_beta : by_beta, params);
}

// Half of all columns end near 2^(emax+1), a few far beyond it.
void AimColumns(Case& c, Random& random) {
  const std::vector<double> xhat = XhatOfFirstRow(c);
  for (std::size_t i = 0; i < c.width; ++i) {
    const std::uint64_t kind = random.Below(8);
    if (kind < 4) Aim(c, i, xhat[i], NearEnd(c.formats.y, random), random);
    if (kind == 4) Aim(c, i, xhat[i], FarBeyond(c.formats.y, random), random);
  }
}

// One column of large elements, which alone overflows: xhat there is about sqrt(H), more than parameters of y's format reach.
void AimOutlier(Case& c, Random& random) {
  const std::size_t at = random.Below(c.width);
  for (std::size_t row = 0; row < c.rows; ++row) {
    Bits& x = c.x[row * c.width + at];
    x = reference::BitsOf(128 * reference::ValueOf(x, c.formats.x), c.formats.x);
  }
  Aim(c, at, XhatOfFirstRow(c)[at], FarBeyond(c.formats.y, random), random);
}

void OverflowingParameters(Case& c, Random& random) {
  if (c.rows == 0 || c.width == 0) return;
  c.gamma.emplace(c.width);
  for (Bits& gamma : *c.gamma) gamma = reference::BitsOf(OrdinaryGamma(random), c.formats.params);
  if (random.OneIn(3)) AimOutlier(c, random);
  else AimColumns(c, random);
}

}  // namespace

const Family kOverflowing = {"overflowing", "outputs near the end of their format and beyond it, by a little and by much", FillEven,
                             OverflowingParameters};

}  // namespace normcheck::properties

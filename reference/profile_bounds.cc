// Evaluates the a-priori bounds of BOUNDS.md in double, upwards.
#include "reference/profile_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace normcheck::reference {
namespace {

using norm::Algorithm;
using norm::Format;
using norm::Order;
using norm::Precision;
using norm::Profile;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Covers the inputs' 2^-45 and about 30 roundings of 2^-53 in each stage.
constexpr double Up(double value) { return value * (1 + 0x1p-40); }

// g_k = k*u/(1 - k*u): |prod of k factors (1 + delta)^(+-1) - 1| <= g_k.
double Gamma(double k, double u) { return k * u / (1 - k * u); }

double Compound(double a, double b) { return a + b + a * b; }

double CeilLog2(std::size_t n) { return static_cast<double>(std::bit_width(n - 1)); }

std::size_t CeilDivide(std::size_t n, std::size_t d) { return n / d + (n % d != 0 ? 1 : 0); }

// True where value cannot overflow an arithmetic with this largest finite value, whatever the last few roundings do.
bool Fits(double value, double max) { return value <= max * (1 - 0x1p-20); }

// Half an ulp of a format at w >= 0: the largest error of one rounding to nearest of any |v| <= w.
double HalfUlp(double w, int precision, int emin) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(w) >> 52) - 1023;
  return std::ldexp(1.0, std::max(exponent, emin) - precision);
}

double HalfUlp(double w, Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  return HalfUlp(w, traits.precision, traits.emin);
}

// Shape of the partial sums of a profile: elements per recurrence, levels of the tree above, additions per term.
struct Shape {
  double length = 0;
  double levels = 0;
  double depth() const { return length - 1 + levels; }
};

Shape ShapeOf(const Profile& profile, std::size_t width) {
  const std::size_t block = static_cast<std::size_t>(std::max(profile.block, 1));
  switch (profile.order) {
    case Order::kLanes: return {static_cast<double>(CeilDivide(width, block)), CeilLog2(std::min(block, width))};
    case Order::kPairwise: return {static_cast<double>(std::min(block, width)), CeilLog2(CeilDivide(width, block))};
    case Order::kRecursive: break;
  }
  return {static_cast<double>(width), 0};
}

// What the formulas of one row share: depth, roundings of a division by H, u, eta.
struct Setting {
  const RowMoments& row;
  Shape shape;
  double width;
  double h;      // additions
  double divide; // roundings of sum/H, sum*(1/H), H itself rounded where it is too wide
  Arithmetic sums;
  Arithmetic elements;
};

Setting SettingOf(const RowMoments& row, const Profile& profile) {
  const Arithmetic sums = ArithmeticOf(profile.accumulator);
  const Shape shape = ShapeOf(profile, row.width);
  const double width = static_cast<double>(row.width);
  return {row, shape, width, shape.depth(), width * sums.u <= 1 ? 2.0 : 3.0, sums, ArithmeticOf(profile.mean)};
}

// BOUNDS.md 3.1: |mean^ - mean| in the accumulator.
double MeanError(const Setting& s) { return Gamma(s.h + s.divide, s.sums.u) * s.row.mean_abs + s.sums.eta; }

// BOUNDS.md 3.2: the mean once rounded to the precision in which it is subtracted.
double SubtractedMeanError(const Setting& s, double mean_error) {
  if (!(s.elements.u > s.sums.u)) return mean_error;
  return mean_error + s.elements.u * (std::abs(s.row.mean) + mean_error) + s.elements.eta;
}

// BOUNDS.md 4.1.
SumErrors TwoPassErrors(const Setting& s) {
  const double dm = SubtractedMeanError(s, MeanError(s));
  const double narrowed = s.sums.u > s.elements.u ? Gamma(2, s.sums.u) : 0;
  const double differences = Compound(Gamma(2, s.elements.u), narrowed);
  const double g = Compound(Gamma(s.h + 1 + s.divide, s.sums.u), differences);
  const double below = g * s.row.var + 4 * s.sums.eta;
  const double largest = s.row.max_abs + std::abs(s.row.mean) + dm;
  const bool safe = Fits(s.width * s.row.mean_abs * (1 + g), s.sums.max) &&
                    Fits(s.width * ((s.row.var + dm * dm) * (1 + g)), s.sums.max) &&
                    Fits(largest, std::min(s.sums.max, s.elements.max));
  return {dm, below, below + dm * dm * (1 + g), safe};
}

// BOUNDS.md 4.2.
SumErrors OnePassErrors(const Setting& s) {
  const double dm = MeanError(s);
  const double u = s.sums.u;
  const double mu = std::abs(s.row.mean);
  const double g = Gamma(s.h + 1 + s.divide, u);
  const double inner = g * s.row.mean_square + (2 * mu * dm + dm * dm) * (1 + u) + u * mu * mu + 4 * s.sums.eta;
  const double d = inner * (1 + u) + u * s.row.var;
  const bool safe = Fits(s.width * s.row.mean_abs * (1 + g), s.sums.max) &&
                    Fits(s.width * s.row.mean_square * (1 + g), s.sums.max) && Fits((mu + dm) * (mu + dm), s.sums.max) &&
                    Fits(s.row.max_abs + mu + dm, s.elements.max);
  return {SubtractedMeanError(s, dm), d, d, safe};
}

// BOUNDS.md 4.3: E bounds the error of every intermediate mean of the recurrences and of the tree.
double WelfordMeanError(const Setting& s, double growth) {
  const double steps = (s.shape.length + 1) / 2 + 6.1 + 6.1 * s.shape.levels;
  const double underflows = s.shape.length / 2 + 2 + 2 * s.shape.levels;
  return growth * (s.row.max_abs * s.sums.u * steps + underflows * s.sums.eta);
}

// BOUNDS.md 4.3: without a tree the last mean also obeys a bound in mean|x|, far smaller on rows with an outlier.
double WelfordLastMeanError(const Setting& s, double growth, double every) {
  if (s.shape.levels > 0) return every;
  const double steps = s.width + 3.05 * (2 + std::log(s.width));
  return std::min(every, growth * (s.row.mean_abs * s.sums.u * steps + (s.width + 1) * s.sums.eta));
}

// BOUNDS.md 4.3.
SumErrors WelfordErrors(const Setting& s) {
  const double n = s.shape.length, lg = s.shape.levels, u = s.sums.u, eta = s.sums.eta;
  const double growth = std::exp(1.01 * (n + 8 * lg + 8) * u + Gamma(3, u) * (1 + std::log(n)));
  const double e = WelfordMeanError(s, growth);
  const double sum = s.width * s.row.var;
  const double cross = 2 * std::sqrt(1 + lg) * e * std::sqrt(s.width * sum) + s.width * e * e * (1 + lg);
  const double g = Gamma(n + 2 * lg + 8, u);
  const double d = (g * (sum + cross) + cross) / s.width + (1 + g) * (4 + lg) * eta;
  const double largest = 2 * (s.row.max_abs + e);
  const bool safe = s.width * u <= 1 && Fits((sum + cross) * (1 + g) * 2, s.sums.max) && Fits(largest, s.sums.max) &&
                    (lg == 0 || Fits(largest * largest, s.sums.max)) && Fits(largest, s.elements.max);
  return {SubtractedMeanError(s, WelfordLastMeanError(s, growth, e)), d, d, safe};
}

// BOUNDS.md 4.4.
SumErrors RmsErrors(const Setting& s) {
  const double g = Gamma(s.h + 1 + s.divide, s.sums.u);
  const double d = g * s.row.mean_square + (s.width / s.row.count + 2) * s.sums.eta;
  return {0, d, d, Fits(s.row.count * s.row.mean_square * (1 + g), s.sums.max) && Fits(s.row.max_abs, s.elements.max)};
}

SumErrors RawErrors(const Setting& s, const Profile& profile, Centre centre) {
  if (centre == Centre::kZero) return RmsErrors(s);
  switch (profile.algorithm) {
    case Algorithm::kOnePass: return OnePassErrors(s);
    case Algorithm::kWelford: return WelfordErrors(s);
    case Algorithm::kTwoPass: break;
  }
  return TwoPassErrors(s);
}

// |epsilon as it is added - epsilon|: the kernel's rounding, then the accumulator's.
double EpsilonError(const RowMoments& row, const Arithmetic& sums) {
  if (!(row.kernel_epsilon <= sums.max)) return kInfinity;
  const double added = sums.precision == 24 ? static_cast<double>(static_cast<float>(row.kernel_epsilon)) : row.kernel_epsilon;
  return Up(std::abs(row.kernel_epsilon - row.epsilon) + std::abs(added - row.kernel_epsilon));
}

// BOUNDS.md 5: relative errors of 1/sqrt(v), v = spread + epsilon, as differences so that nothing cancels.
void BoundRoot(RowBound& bound, double v, double below, double above) {
  const double u = bound.sums.u;
  const double rl = Up((below + u * v) / v);
  const double rh = Up((above + u * (v + above)) / v);
  const double low = std::sqrt(1 - rl), high = std::sqrt(1 + rh);
  const double roundings = 2 * u / (1 - u);
  bound.inv_std_dev_above = rl < 1 ? Compound(Up(rl / (low * (1 + low))), roundings) : kInfinity;
  bound.inv_std_dev_below = rh < kInfinity ? Up(rh / (high * (1 + high)) + 2 * u) : 1;
  if (!(bound.elements.u > u)) return;
  const double absolute = bound.elements.eta / bound.inv_std_dev;
  bound.inv_std_dev_above = Up(Compound(bound.inv_std_dev_above, bound.elements.u) + absolute);
  bound.inv_std_dev_below = Up(bound.inv_std_dev_below + bound.elements.u + absolute);
}

// |t - xhat| before gamma.
double NormalizedError(const RowBound& row, const ElementFacts& element) {
  const double u = row.elements.u, eta = row.elements.eta, xhat = std::abs(element.xhat);
  const double above = row.inv_std_dev_above, below = row.inv_std_dev_below;
  const double shift = row.inv_std_dev * (1 + above);
  if (row.centre == Centre::kZero) return xhat * std::max(u + (1 + u) * above, u + below) + eta;
  if (row.form == norm::Form::kCentred) {
    const double up = 2 * u + u * u + (1 + u) * (1 + u) * above;
    return xhat * std::max(up, 2 * u + below) + row.mean_error * shift * (1 + u) * (1 + u) + eta;
  }
  const double terms = (std::abs(element.x) + row.mean + row.mean_error) * shift;
  if (!Fits(terms, row.elements.max)) return kInfinity;
  const double e = xhat * std::max(above, below) + row.mean_error * shift + u * terms + 2 * eta;
  return e + u * (xhat + e);
}

// Error of one rounding to nearest of an addition: exact where the result is subnormal.
double AdditionError(double w, const Arithmetic& a) { return std::min(a.u * w, HalfUlp(w, a.precision, a.emin)); }

// Error of the roundings from the element's precision to y's format, |value| <= w before them.
double OutputError(const RowBound& row, double w) {
  double error = row.elements.precision > 24 ? HalfUlp(w, Format::kF32) : 0;
  if (row.y != Format::kF32) error += HalfUlp(Up(w + error), row.y);
  return error;
}

}  // namespace

Arithmetic ArithmeticOf(Precision precision) {
  if (precision == Precision::kF32) return {24, -126, 0x1p-24, 0x1p-150, 0x1.fffffep127};
  // eta is 2^-1075 and no double; the excess covers what this file's own evaluation loses to underflow.
  return {53, -1022, 0x1p-53, 0x1p-1072, std::numeric_limits<double>::max()};
}

double DepthOf(const Profile& profile, std::size_t width) { return width == 0 ? 0 : ShapeOf(profile, width).depth(); }

SumErrors ErrorsOfSums(const RowMoments& row, const Profile& profile, Centre centre) {
  if (row.width == 0) return {};
  const Setting s = SettingOf(row, profile);
  if (!((s.h + 2 * s.shape.levels + 10) * s.sums.u <= 0.25)) return {};
  const SumErrors raw = RawErrors(s, profile, centre);
  const double spread = centre == Centre::kZero ? row.mean_square : row.var;
  return {Up(raw.mean), std::min(Up(raw.var_below), spread), Up(raw.var_above), raw.safe};
}

RowBound BoundRow(const RowMoments& row, const SumErrors& errors, const Profile& profile, Centre centre, Format y) {
  RowBound bound;
  bound.centre = centre;
  bound.form = profile.form;
  bound.sums = ArithmeticOf(profile.accumulator);
  bound.elements = ArithmeticOf(profile.mean);
  bound.y = y;
  bound.mean = centre == Centre::kZero ? 0 : std::abs(row.mean);
  bound.mean_error = errors.mean;
  const double v = (centre == Centre::kZero ? row.mean_square : row.var) + row.epsilon;
  const double de = EpsilonError(row, bound.sums);
  if (!errors.safe || !(v > 0) || !Fits(v + errors.var_above + de, bound.sums.max)) return bound;
  bound.inv_std_dev = 1 / std::sqrt(v);
  BoundRoot(bound, v, errors.var_below + de, errors.var_above + de);
  bound.promised = Fits(bound.inv_std_dev * (1 + bound.inv_std_dev_above), bound.elements.max);
  return bound;
}

RowBound BoundRow(const RowMoments& row, const Profile& profile, Centre centre, Format y) {
  return BoundRow(row, ErrorsOfSums(row, profile, centre), profile, centre, y);
}

bool Promises(const RowMoments& row, const Profile& profile, Centre centre) { return BoundRow(row, profile, centre, Format::kF32).promised; }

double Promised(const RowBound& row, const ElementFacts& element) {
  if (!row.promised || !std::isfinite(element.gamma) || !std::isfinite(element.beta)) return kInfinity;
  const double normalized = Up(NormalizedError(row, element));
  const double t = std::abs(element.xhat) + normalized;
  const double gamma = std::abs(element.gamma);
  double error = normalized;
  if (gamma != 1) error = gamma * (normalized + row.elements.u * t) + row.elements.eta;
  if (!Fits(t, row.elements.max) || !Fits(gamma * t, row.elements.max)) return kInfinity;
  if (element.beta != 0) error += AdditionError(Up(std::abs(element.y) + error), row.elements);
  error += OutputError(row, Up(std::abs(element.y) + error));
  return Up(error);
}

double PromisedMean(const RowBound& row) {
  if (!row.promised) return kInfinity;
  return Up(row.mean_error + (row.elements.precision > 24 ? HalfUlp(Up(row.mean + row.mean_error), Format::kF32) : 0));
}

double PromisedInvStdDev(const RowBound& row) {
  if (!row.promised) return kInfinity;
  const double error = row.inv_std_dev * std::max(row.inv_std_dev_above, row.inv_std_dev_below);
  const double w = Up(row.inv_std_dev + error);
  return Up(error + (row.elements.precision > 24 ? HalfUlp(w, Format::kF32) : 0));
}

}  // namespace normcheck::reference

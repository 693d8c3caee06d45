// The moves, each on the bits of a case.
#include "properties/row_moves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/number.h"
#include "reference/plain_moments.h"

namespace normcheck::properties {
namespace {

constexpr int kMostMoves = 4;
constexpr std::size_t kMostRows = 8;
constexpr std::size_t kBatch = 256;
constexpr int kHalfBits = 16;

std::size_t Pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random.Below(count)); }

template <typename T>
const T& OneOf(std::span<const T> values, Random& random) {
  return values[Pick(random, values.size())];
}

std::span<Bits> RandomRow(Case& c, Random& random) {
  if (c.rows == 0) return {};
  return std::span<Bits>(c.x).subspan(Pick(random, c.rows) * c.width, c.width);
}

// Neighbour in the format's order of bits; the sign bit is never touched, infinity and NaN are allowed neighbours.
Bits UlpStep(Bits bits, Format format, bool up) {
  const Bits sign = format == Format::kF32 ? 0x80000000u : 0x8000u;
  const Bits magnitude = bits & (sign - 1);
  const Bits stepped = up ? std::min(magnitude + 1, sign - 1) : magnitude - (magnitude > 0 ? 1 : 0);
  return (bits & sign) | stepped;
}

// x*2^k through binary64: exact within the format's normal range, rounded in its subnormals, infinite beyond it.
Bits ScaledBits(Bits bits, Format format, double factor) {
  return reference::IsFinite(bits, format) ? reference::BitsOf(reference::ValueOf(bits, format) * factor, format) : bits;
}

double RandomPowerOfTwo(Random& random) {
  const auto k = random.Between(-20, 20);
  return k < 0 ? 1.0 / static_cast<double>(std::uint64_t{1} << -k) : static_cast<double>(std::uint64_t{1} << k);
}

void StepOneElement(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  Bits& bits = row[Pick(random, row.size())];
  const bool up = random.OneIn(2);
  for (std::uint64_t steps = 1 + random.Below(3); steps > 0; --steps) bits = UlpStep(bits, c.formats.x, up);
}

void ScaleRow(Case& c, const MoveLimits&, Random& random) {
  const double factor = RandomPowerOfTwo(random);
  for (Bits& bits : RandomRow(c, random)) bits = ScaledBits(bits, c.formats.x, factor);
}

void MakeOutlier(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  Bits& bits = row[Pick(random, row.size())];
  bits = ScaledBits(bits, c.formats.x, RandomPowerOfTwo(random));
}

void MakeNearConstant(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  std::ranges::fill(row, row[Pick(random, row.size())]);
  row[Pick(random, row.size())] = UlpStep(row.front(), c.formats.x, random.OneIn(2));
}

void OffsetRow(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  const double offset = RandomPowerOfTwo(random) * reference::ValueOf(row[Pick(random, row.size())], c.formats.x);
  for (Bits& bits : row)
    if (reference::IsFinite(bits, c.formats.x))
      bits = reference::BitsOf(reference::ValueOf(bits, c.formats.x) + offset, c.formats.x);
}

void MakeCancellingPair(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.size() < 2) return;
  const Bits sign = c.formats.x == Format::kF32 ? 0x80000000u : 0x8000u;
  const std::size_t first = Pick(random, row.size());
  row[(first + 1 + Pick(random, row.size() - 1)) % row.size()] = row[first] ^ sign;
}

void CopyOrSwap(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  Bits& from = row[Pick(random, row.size())];
  Bits& to = row[Pick(random, row.size())];
  if (random.OneIn(2)) std::swap(from, to);
  else to = from;
}

// A stretch of the row takes the value of its first element.
void EqualiseStretch(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  const auto stretch = row.subspan(Pick(random, row.size()));
  std::ranges::fill(stretch.first(1 + Pick(random, stretch.size())), stretch.front());
}

// x_i = +-2^(k + step*i) from some place on, as far as the format goes.
void MakeExponentLadder(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  double value = RandomPowerOfTwo(random);
  const double factor = random.OneIn(2) ? 2 : 0.5;
  for (Bits& bits : row.subspan(Pick(random, row.size()))) {
    bits = reference::BitsOf(random.OneIn(2) ? value : -value, c.formats.x);
    value *= factor;
  }
}

// Exponents go: what is left are subnormals and zeros of the same signs.
void MakeSubnormal(Case& c, const MoveLimits&, Random& random) {
  const Bits kept = c.formats.x == Format::kF32 ? 0x807fffffu : c.formats.x == Format::kF16 ? 0x83ffu : 0x807fu;
  const bool whole = random.OneIn(2);
  for (Bits& bits : RandomRow(c, random))
    if (whole || random.OneIn(4)) bits &= kept;
}

void RefillRow(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  OneOf(Families(), random).fill({.op = c.op, .formats = c.formats, .epsilon = c.epsilon, .x = row}, random);
}

void ChangeEpsilon(Case& c, const MoveLimits&, Random& random) {
  if (random.OneIn(2)) c.epsilon = OneOf(Epsilons(), random);
  else c.epsilon = std::min(c.epsilon * RandomPowerOfTwo(random), 0x1p+100);
}

// Where var is near epsilon, its place and its last bits matter most.
void EpsilonTowardsVariance(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  const double var = reference::PlainMomentsOf(c.op, row, c.formats.x).spread * std::ldexp(1, static_cast<int>(random.Between(-3, 3)));
  if (var < 0x1p+100) c.epsilon = var;
}

// beta_i = -gamma_i*xhat_i, so that nothing but rounding is left of some elements.
void BetaAgainstElement(Case& c, const MoveLimits&, Random& random) {
  const auto row = RandomRow(c, random);
  if (row.empty()) return;
  const reference::PlainMoments aim = reference::PlainMomentsOf(c.op, row, c.formats.x);
  if (!c.beta) c.beta.emplace(c.width);
  const bool whole = random.OneIn(2);
  const std::size_t one = Pick(random, c.width);
  for (std::size_t i = 0; i < c.width; ++i) {
    const double gamma = c.gamma ? reference::ValueOf((*c.gamma)[i], c.formats.params) : 1;
    const double y = gamma * (reference::ValueOf(row[i], c.formats.x) - aim.mean) / std::sqrt(aim.spread + c.epsilon);
    if (std::isfinite(y) && (whole || i == one)) (*c.beta)[i] = reference::BitsOf(-y, c.formats.params);
  }
}

std::vector<Bits> Resized(const std::vector<Bits>& values, std::size_t width, std::size_t rows, std::size_t new_width) {
  std::vector<Bits> resized(rows * new_width);
  for (std::size_t r = 0; r < rows && width > 0; ++r)
    for (std::size_t i = 0; i < new_width; ++i) resized[r * new_width + i] = values[r * width + i % width];
  return resized;
}

constexpr std::size_t kAnyWidth = 48;  // three vectors of sixteen: every remainder is as likely as the next

std::size_t NextWidth(std::size_t width, Random& random) {
  switch (random.Below(3)) {
    case 0: return OneOf(Widths(), random);
    case 1: return 1 + Pick(random, kAnyWidth);
    default: return width + Pick(random, 3) - (width > 0);
  }
}

// Longer rows repeat their elements; pitch padding keeps its size.
void ChangeWidth(Case& c, const MoveLimits& limits, Random& random) {
  const std::size_t width = std::clamp(NextWidth(c.width, random), limits.least, limits.max_elements / std::max<std::size_t>(c.rows, 1));
  c.x = Resized(c.x, c.width, c.rows, width);
  if (c.gamma) c.gamma = Resized(*c.gamma, c.width, 1, width);
  if (c.beta) c.beta = Resized(*c.beta, c.width, 1, width);
  c.x_pitch = width + (c.x_pitch - c.width);
  c.y_pitch = width + (c.y_pitch - c.width);
  c.width = width;
}

void ReplaceColumn(std::vector<Bits>& values, std::size_t width, std::size_t at, bool insert) {
  std::vector<Bits> changed;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const bool here = j % width == at;
    if (!here || insert) changed.push_back(values[j]);
    if (here && insert) changed.push_back(values[j]);
  }
  values = std::move(changed);
}

// One column twice, or gone.
void InsertOrDelete(Case& c, const MoveLimits& limits, Random& random) {
  if (c.x.empty()) return;
  const bool insert = random.OneIn(2);
  const std::size_t at = Pick(random, c.width);
  if (insert ? (c.width + 1) * c.rows > limits.max_elements : c.width <= std::max<std::size_t>(limits.least, 1)) return;
  for (auto* values : {&c.gamma, &c.beta})
    if (*values) ReplaceColumn(**values, c.width, at, insert);
  ReplaceColumn(c.x, c.width, at, insert);
  const std::size_t width = insert ? c.width + 1 : c.width - 1;
  c.x_pitch = width + (c.x_pitch - c.width);
  c.y_pitch = width + (c.y_pitch - c.width);
  c.width = width;
}

// Few rows as a rule; now and then a batch beyond 256, where kernels may take another path.
void ChangeRows(Case& c, const MoveLimits& limits, Random& random) {
  const std::size_t wanted = random.OneIn(16) ? kBatch + Pick(random, kBatch / 8) : kMostRows;
  const std::size_t most = std::max(limits.least, std::min(limits.max_elements / std::max<std::size_t>(c.width, 1), wanted));
  const std::size_t rows = most >= kBatch ? most : limits.least + Pick(random, most - limits.least + 1);
  std::vector<Bits> x(rows * c.width);
  for (std::size_t i = 0; i < x.size() && !c.x.empty(); ++i) x[i] = c.x[i % c.x.size()];
  c.x = std::move(x);
  c.rows = rows;
}

void ChangePitch(Case& c, const MoveLimits&, Random& random) {
  c.x_pitch = c.width + Pick(random, 4);
  c.y_pitch = c.width + Pick(random, 4);
}

void ChangeFormats(Case& c, const MoveLimits& limits, Random& random) {
  c = WithFormats(std::move(c), OneOf(limits.formats, random));
}

void ChangeParameters(Case& c, const MoveLimits&, Random& random) {
  auto& values = random.OneIn(2) ? c.gamma : c.beta;
  if (random.OneIn(4)) return values.reset();
  if (!values || random.OneIn(4)) values = std::vector<Bits>(c.width, reference::BitsOf(RandomPowerOfTwo(random), c.formats.params));
  if (values->empty()) return;
  Bits& bits = (*values)[Pick(random, values->size())];
  bits = random.OneIn(2) ? UlpStep(bits, c.formats.params, random.OneIn(2)) : ScaledBits(bits, c.formats.params, -RandomPowerOfTwo(random));
}

void MoveBits(std::vector<Bits>& values, Format from, Format to) {
  const bool was_wide = from == Format::kF32;
  const bool is_wide = to == Format::kF32;
  if (was_wide == is_wide) return;
  for (Bits& bits : values) bits = is_wide ? bits << kHalfBits : bits >> kHalfBits;
}

constexpr std::array kMoves = {
    Move{"ulp-step", StepOneElement},     Move{"scale-row", ScaleRow},         Move{"outlier", MakeOutlier},
    Move{"near-constant", MakeNearConstant}, Move{"offset", OffsetRow},        Move{"cancelling-pair", MakeCancellingPair},
    Move{"copy-or-swap", CopyOrSwap},     Move{"family-row", RefillRow},       Move{"epsilon", ChangeEpsilon},
    Move{"width", ChangeWidth},           Move{"rows", ChangeRows},            Move{"pitch", ChangePitch},
    Move{"formats", ChangeFormats},       Move{"parameters", ChangeParameters}, Move{"equalise", EqualiseStretch},
    Move{"exponent-ladder", MakeExponentLadder}, Move{"subnormal", MakeSubnormal}, Move{"insert-or-delete", InsertOrDelete},
    Move{"epsilon-towards-var", EpsilonTowardsVariance}, Move{"beta-against-element", BetaAgainstElement},
};

}  // namespace

std::span<const Move> Moves() { return kMoves; }

void MutateCase(Case& c, const MoveLimits& limits, Random& random) {
  for (std::uint64_t left = 1 + random.Below(kMostMoves); left > 0; --left) OneOf(Moves(), random).apply(c, limits, random);
}

Case WithFormats(Case c, const Formats& formats) {
  MoveBits(c.x, c.formats.x, formats.x);
  if (c.gamma) MoveBits(*c.gamma, c.formats.params, formats.params);
  if (c.beta) MoveBits(*c.beta, c.formats.params, formats.params);
  c.formats = formats;
  return c;
}

}  // namespace normcheck::properties

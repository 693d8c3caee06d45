// The moves, each on the bits of a case.
#include "fuzz/row_moves.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "fuzz/target_case.h"
#include "properties/families.h"
#include "reference/number.h"

namespace normcheck::fuzz {
namespace {

using properties::Random;
using reference::Bits;
using reference::Case;

constexpr int kMostMoves = 4;
constexpr std::size_t kMostRows = 8;

std::size_t Pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random.Below(count)); }

template <typename T>
const T& OneOf(std::span<const T> values, Random& random) {
  return values[Pick(random, values.size())];
}

std::span<Bits> RowOf(Case& c, Random& random) {
  if (c.rows == 0) return {};
  return std::span<Bits>(c.x).subspan(Pick(random, c.rows) * c.width, c.width);
}

// Neighbour in the format's order of bits; the sign bit is never touched, infinity and NaN are allowed neighbours.
Bits UlpStep(Bits bits, norm::Format format, bool up) {
  const Bits sign = format == norm::Format::kF32 ? 0x80000000u : 0x8000u;
  const Bits magnitude = bits & (sign - 1);
  const Bits stepped = up ? std::min(magnitude + 1, sign - 1) : magnitude - (magnitude > 0 ? 1 : 0);
  return (bits & sign) | stepped;
}

// x*2^k through binary64: exact within the format's normal range, rounded in its subnormals, infinite beyond it.
Bits Scaled(Bits bits, norm::Format format, double factor) {
  return reference::IsFinite(bits, format) ? reference::BitsOf(reference::ValueOf(bits, format) * factor, format) : bits;
}

double PowerOfTwo(Random& random) {
  const auto k = random.Between(-20, 20);
  return k < 0 ? 1.0 / static_cast<double>(std::uint64_t{1} << -k) : static_cast<double>(std::uint64_t{1} << k);
}

void StepOneElement(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  Bits& bits = row[Pick(random, row.size())];
  const bool up = random.OneIn(2);
  for (std::uint64_t steps = 1 + random.Below(3); steps > 0; --steps) bits = UlpStep(bits, c.formats.x, up);
}

void ScaleRow(Case& c, Random& random) {
  const double factor = PowerOfTwo(random);
  for (Bits& bits : RowOf(c, random)) bits = Scaled(bits, c.formats.x, factor);
}

void MakeOutlier(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  Bits& bits = row[Pick(random, row.size())];
  bits = Scaled(bits, c.formats.x, PowerOfTwo(random));
}

void MakeNearConstant(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  std::ranges::fill(row, row[Pick(random, row.size())]);
  row[Pick(random, row.size())] = UlpStep(row.front(), c.formats.x, random.OneIn(2));
}

void OffsetRow(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  const double offset = PowerOfTwo(random) * reference::ValueOf(row[Pick(random, row.size())], c.formats.x);
  for (Bits& bits : row)
    if (reference::IsFinite(bits, c.formats.x))
      bits = reference::BitsOf(reference::ValueOf(bits, c.formats.x) + offset, c.formats.x);
}

void MakeCancellingPair(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.size() < 2) return;
  const Bits sign = c.formats.x == norm::Format::kF32 ? 0x80000000u : 0x8000u;
  const std::size_t first = Pick(random, row.size());
  row[(first + 1 + Pick(random, row.size() - 1)) % row.size()] = row[first] ^ sign;
}

void CopyOrSwap(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  Bits& from = row[Pick(random, row.size())];
  Bits& to = row[Pick(random, row.size())];
  if (random.OneIn(2)) std::swap(from, to);
  else to = from;
}

void RefillRow(Case& c, Random& random) {
  const auto row = RowOf(c, random);
  if (row.empty()) return;
  OneOf(properties::Families(), random).fill({.op = c.op, .formats = c.formats, .epsilon = c.epsilon, .x = row}, random);
}

void ChangeEpsilon(Case& c, Random& random) {
  if (random.OneIn(2)) c.epsilon = OneOf(properties::Epsilons(), random);
  else c.epsilon = std::min(c.epsilon * PowerOfTwo(random), 0x1p+100);
}

std::vector<Bits> Resized(const std::vector<Bits>& values, std::size_t width, std::size_t rows, std::size_t new_width) {
  std::vector<Bits> resized(rows * new_width);
  for (std::size_t r = 0; r < rows && width > 0; ++r)
    for (std::size_t i = 0; i < new_width; ++i) resized[r * new_width + i] = values[r * width + i % width];
  return resized;
}

// Longer rows repeat their elements; pitch padding keeps its size.
void ChangeWidth(Case& c, Random& random) {
  const std::size_t wanted = random.OneIn(2) ? OneOf(properties::Widths(), random) : c.width + Pick(random, 3) - (c.width > 0);
  const std::size_t width = std::min(wanted, c.rows > 0 ? kMaxElements / c.rows : kMaxElements);
  c.x = Resized(c.x, c.width, c.rows, width);
  if (c.gamma) c.gamma = Resized(*c.gamma, c.width, 1, width);
  if (c.beta) c.beta = Resized(*c.beta, c.width, 1, width);
  c.x_pitch = width + (c.x_pitch - c.width);
  c.y_pitch = width + (c.y_pitch - c.width);
  c.width = width;
}

void ChangeRows(Case& c, Random& random) {
  const std::size_t most = std::min(kMostRows, c.width > 0 ? kMaxElements / c.width : kMostRows);
  const std::size_t rows = Pick(random, most + 1);
  std::vector<Bits> x(rows * c.width);
  for (std::size_t i = 0; i < x.size() && !c.x.empty(); ++i) x[i] = c.x[i % c.x.size()];
  c.x = std::move(x);
  c.rows = rows;
}

void ChangePitch(Case& c, Random& random) {
  c.x_pitch = c.width + Pick(random, 4);
  c.y_pitch = c.width + Pick(random, 4);
}

void ChangeFormats(Case& c, Random& random) {
  const auto formats = norm::ProductionFormats();
  c = WithFormats(std::move(c), OneOf(std::span<const norm::Formats>(formats), random));
}

void ChangeParameters(Case& c, Random& random) {
  auto& values = random.OneIn(2) ? c.gamma : c.beta;
  if (random.OneIn(4)) return values.reset();
  if (!values || random.OneIn(4)) values = std::vector<Bits>(c.width, reference::BitsOf(PowerOfTwo(random), c.formats.params));
  if (values->empty()) return;
  Bits& bits = (*values)[Pick(random, values->size())];
  bits = random.OneIn(2) ? UlpStep(bits, c.formats.params, random.OneIn(2)) : Scaled(bits, c.formats.params, -PowerOfTwo(random));
}

constexpr std::array kMoves = {
    Move{"ulp-step", StepOneElement},     Move{"scale-row", ScaleRow},         Move{"outlier", MakeOutlier},
    Move{"near-constant", MakeNearConstant}, Move{"offset", OffsetRow},        Move{"cancelling-pair", MakeCancellingPair},
    Move{"copy-or-swap", CopyOrSwap},     Move{"family-row", RefillRow},       Move{"epsilon", ChangeEpsilon},
    Move{"width", ChangeWidth},           Move{"rows", ChangeRows},            Move{"pitch", ChangePitch},
    Move{"formats", ChangeFormats},       Move{"parameters", ChangeParameters},
};

}  // namespace

std::span<const Move> Moves() { return kMoves; }

void MutateCase(Case& c, Random& random) {
  for (std::uint64_t left = 1 + random.Below(kMostMoves); left > 0; --left) OneOf(Moves(), random).apply(c, random);
}

Case FreshCase(norm::Op op, std::size_t max_width, Random& random) {
  const auto formats = norm::ProductionFormats();
  return properties::MakeAnyCase(random, std::span(&op, 1), formats, max_width);
}

}  // namespace normcheck::fuzz

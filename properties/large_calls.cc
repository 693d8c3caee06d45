// Plans rounds of large calls, and draws their rows with integer hashes: a few nanoseconds an element.
#include "properties/large_calls.h"

#include <algorithm>
#include <bit>

#include "properties/families/values.h"
#include "properties/plug_in/plug_in.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Case;
using reference::Format;

// The corner that every format is asked up to in turn, beside the preferred one.
constexpr std::size_t kCornerOfOthers = kLargestCorner / 4;

norm::Formats Preferred(const norm::Kernel& kernel) {
  const norm::Formats f32;
  return std::ranges::find(kernel.formats, f32) == kernel.formats.end() ? kernel.formats.front() : f32;
}

// Hands out a kernel's formats in turn, from a drawn one on.
class FormatsInTurn {
 public:
  FormatsInTurn(const std::vector<norm::Formats>& formats, Random& random) : formats_(formats), next_(random.Below(formats.size())) {}
  const norm::Formats& Next() { return formats_[next_++ % formats_.size()]; }

 private:
  const std::vector<norm::Formats>& formats_;
  std::size_t next_;
};

void AppendCallsOf(norm::Op op, const norm::Kernel& kernel, Random& random, std::vector<LargeCall>& calls) {
  FormatsInTurn formats(kernel.formats, random);
  const auto append = [&](CallSize size, const norm::Formats& its) { calls.push_back({op, its, size, Seed{random.Next()}}); };
  for (CallSize size : FrontierSizes(kLargestCorner, random)) append(size, Preferred(kernel));
  for (CallSize size : TableSizes(random)) append(size, formats.Next());
  if (kernel.formats.size() == 1) return;
  for (CallSize size : FrontierSizes(kCornerOfOthers, random)) append(size, formats.Next());
}

template <typename Item>
void Shuffle(std::vector<Item>& items, Random& random) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.Below(left)]);
}

// lowbias32 (Ellis 2018): every bit of the argument reaches every bit of the hash.
constexpr std::uint32_t Hash(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Elements centre + scale*u, u uniform in [-1, 1), rounded to the format.
struct Spread {
  float centre = 0;
  float scale = 1;
};

void Fill(std::span<Bits> values, const Spread& spread, Format format, Random& random) {
  const auto start = static_cast<std::uint32_t>(random.Next());
  const auto element = [&](std::size_t i) {
    const auto hash = static_cast<std::int32_t>(Hash(start + static_cast<std::uint32_t>(i)));
    return spread.centre + spread.scale * (static_cast<float>(hash) * 0x1p-31f);
  };
  if (format == Format::kF32)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::bit_cast<Bits>(element(i));
  else
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = reference::BitsOf(static_cast<double>(element(i)), format);
}

float Power(std::int64_t exponent) { return static_cast<float>(PowerOfTwo(static_cast<int>(exponent))); }

// Half of the rows are ordinary; centres, scales and outliers stay far inside the range of f16.
void FillRow(const Case& c, std::span<Bits> row, Random& random) {
  const float scale = Power(random.Between(-2, 2));
  const std::uint64_t kind = random.Below(20);
  if (kind < 12) return Fill(row, {0, scale}, c.formats.x, random);
  if (kind < 15) return Fill(row, {Power(random.Between(1, 6)) * scale, scale}, c.formats.x, random);
  if (kind < 16) return Fill(row, {0, Power(random.Between(-8, 8))}, c.formats.x, random);
  if (kind < 17 && c.epsilon > 0) return Fill(row, {Power(random.Between(-8, 8)), 0}, c.formats.x, random);
  Fill(row, {0, scale}, c.formats.x, random);
  const float outlier = Power(random.Between(3, 8)) * (random.OneIn(2) ? scale : -scale);
  row[random.Below(row.size())] = reference::BitsOf(static_cast<double>(outlier), c.formats.x);
}

void FillParameters(const Spread& spread, Case& c, std::optional<std::vector<Bits>>& values, Random& random) {
  if (random.OneIn(4)) return;
  values.emplace(c.width);
  Fill(*values, spread, c.formats.params, random);
}

}  // namespace

std::vector<LargeCall> LargeCallsOf(const norm::Kernel& kernel, Random& random) {
  std::vector<LargeCall> calls;
  if (kernel.formats.empty()) return calls;
  for (norm::Op op : kernel.ops) AppendCallsOf(op, kernel, random, calls);
  Shuffle(calls, random);
  if (!plug_in::SeesTheCallersArrays(kernel)) calls.resize(std::min<std::size_t>(calls.size(), 1));
  return calls;
}

Case DrawLargeCall(const norm::Kernel& kernel, const LargeCall& call) {
  Random random(call.seed);
  const double epsilon = Epsilons()[random.Below(Epsilons().size())];
  Case c = reference::MakeCase(call.op, call.formats, call.size.rows, call.size.width, epsilon);
  for (std::size_t row = 0; row < c.rows; ++row) FillRow(c, std::span(c.x).subspan(row * c.width, c.width), random);
  FillParameters({1, 0.5}, c, c.gamma, random);
  if (kernel.beta) FillParameters({0, 0.5}, c, c.beta, random);
  return c;
}

}  // namespace normcheck::properties

// Moves from a case to its simpler neighbours, and the greedy descent along them.
#include "properties/shrink.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "properties/families.h"
#include "properties/families/values.h"
#include "properties/measure.h"
#include "properties/random.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using Cases = std::vector<Case>;

// Bounds the number of neighbours: positions tried for one size of chunk, and chunks that elements are changed by.
constexpr std::size_t kPositions = 24;
constexpr std::size_t kChunks = 64;
constexpr std::size_t kWideElements = 512;
constexpr std::size_t kWideChunks = 8;
constexpr int kRestarts = 32;

std::vector<Bits> Columns(const std::vector<Bits>& values, std::size_t width, std::size_t first, std::size_t count) {
  std::vector<Bits> kept;
  kept.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % width < first || i % width >= first + count) kept.push_back(values[i]);
  return kept;
}

Case WithoutColumns(const Case& c, std::size_t first, std::size_t count) {
  Case simpler = c;
  simpler.x = Columns(c.x, c.width, first, count);
  if (c.gamma) simpler.gamma = Columns(*c.gamma, c.width, first, count);
  if (c.beta) simpler.beta = Columns(*c.beta, c.width, first, count);
  simpler.width -= count;
  simpler.x_pitch -= count;
  simpler.y_pitch -= count;
  return simpler;
}

Case WithoutRows(const Case& c, std::size_t first, std::size_t count) {
  Case simpler = c;
  const auto begin = simpler.x.begin() + static_cast<std::ptrdiff_t>(first * c.width);
  simpler.x.erase(begin, begin + static_cast<std::ptrdiff_t>(count * c.width));
  simpler.rows -= count;
  return simpler;
}

// Chunks of `chunk` out of `size`, at up to kPositions places spread evenly.
template <typename Without>
void DropChunks(const Case& c, std::size_t size, std::size_t chunk, const Without& without, Cases& out) {
  if (chunk == 0 || chunk >= size) return;
  const std::size_t places = (size + chunk - 1) / chunk;
  const std::size_t stride = std::max<std::size_t>(1, places / kPositions);
  for (std::size_t place = 0; place < places; place += stride)
    out.push_back(without(c, std::min(place * chunk, size - chunk), chunk));
}

void DropRows(const Case& c, Cases& out) {
  for (std::size_t chunk : {c.rows - 1, c.rows / 2, std::size_t{1}})
    if (c.rows > 1) DropChunks(c, c.rows, chunk, WithoutRows, out);
}

void DropColumns(const Case& c, Cases& out) {
  for (std::size_t chunk : {c.width * 3 / 4, c.width / 2, c.width / 4}) DropChunks(c, c.width, chunk, WithoutColumns, out);
  for (std::size_t chunk : {64u, 32u, 16u, 8u, 4u, 2u, 1u}) DropChunks(c, c.width, chunk, WithoutColumns, out);
}

void SimplifyShape(const Case& c, Cases& out) {
  for (const auto parameter : {&Case::gamma, &Case::beta}) {
    if (!(c.*parameter)) continue;
    out.push_back(c);
    (out.back().*parameter).reset();
  }
  out.push_back(c);
  out.back().x_pitch = out.back().y_pitch = c.width;
  for (double epsilon : {0.0, 1.0, 1e-3, 1e-5, 1e-8, 1e-12}) {
    out.push_back(c);
    out.back().epsilon = epsilon;
  }
}

using Plainer = Bits (*)(Bits bits, Format format);

// Significand cut to the leading bit, and to the leading four.
Bits CutTo(int kept_bits, Bits bits, Format format) {
  const double value = reference::ValueOf(bits, format);
  if (value == 0) return bits;
  const double unit = PowerOfTwo(ExponentOf(value) - kept_bits + 1);
  return reference::BitsOf(std::trunc(value / unit) * unit, format);
}

constexpr Plainer kPlainer[] = {
    [](Bits, Format) { return Bits{0}; },
    [](Bits, Format format) { return reference::BitsOf(1, format); },
    [](Bits bits, Format format) { return reference::BitsOf(std::abs(reference::ValueOf(bits, format)), format); },
    [](Bits bits, Format format) { return reference::BitsOf(std::trunc(reference::ValueOf(bits, format)), format); },
    [](Bits bits, Format format) { return reference::BitsOf(std::trunc(reference::ValueOf(bits, format) / 2), format); },
    [](Bits bits, Format format) { return CutTo(1, bits, format); },
    [](Bits bits, Format format) { return CutTo(4, bits, format); },
};

void Simplify(std::span<Bits> chunk, Plainer move, Format format) {
  for (Bits& bits : chunk)
    if (reference::IsFinite(bits, format)) bits = move(bits, format);
    else bits = move(reference::BitsOf(1, format), format);
}

// Changes elements chunk by chunk: whole array first, then halves, quarters, ... down to single elements.
template <typename Values>
void SimplifyElements(const Case& c, const Values& values_of, Format format, Cases& out) {
  Case copy = c;
  const std::size_t size = values_of(copy).size();
  const std::size_t most = size > kWideElements ? kWideChunks : kChunks;
  for (std::size_t chunks = 1; chunks <= std::min(most, 2 * size - 1); chunks *= 2) {
    const std::size_t chunk = std::max<std::size_t>(1, (size + chunks - 1) / chunks);
    for (std::size_t first = 0; first < size; first += chunk) {
      const std::size_t count = std::min(chunk, size - first);
      for (Plainer move : kPlainer) {
        out.push_back(c);
        Simplify(std::span(values_of(out.back())).subspan(first, count), move, format);
      }
      if (first == 0) continue;
      out.push_back(c);
      auto& values = values_of(out.back());
      std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(first), count, values[first - 1]);
    }
  }
}

std::vector<Bits> Kept(const std::vector<Bits>& values, const std::vector<bool>& kept) {
  std::vector<Bits> thinned;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (kept[i % kept.size()]) thinned.push_back(values[i]);
  return thinned;
}

// Columns kept at random, and of these now and then only some that are not 0.
Case RandomlyThinned(const Case& c, Random& random) {
  const std::size_t count = 1 + static_cast<std::size_t>(random.Below(c.width - 1));
  std::vector<bool> kept(c.width);
  for (std::size_t i = 0, left = count; i < c.width; ++i)
    if ((kept[i] = random.Below(c.width - i) < left)) --left;
  Case jump = c;
  jump.x = Kept(c.x, kept);
  if (c.gamma) jump.gamma = Kept(*c.gamma, kept);
  if (c.beta) jump.beta = Kept(*c.beta, kept);
  jump.x_pitch -= c.width - count;
  jump.y_pitch -= c.width - count;
  jump.width = count;
  if (random.OneIn(2))
    for (Bits& bits : jump.x) bits = random.OneIn(2) ? bits : Bits{0};
  return jump;
}

// Where no step helps, the descent starts again from a few cases further away: the same ones for the same case.
void Restarts(const Case& c, Cases& out) {
  if (c.width < 2 || c.width > kWideElements) return;
  Random random = Random(Seed{c.x.empty() ? 0 : c.x.front()}).Fork(c.rows * c.width);
  for (int i = 0; i < kRestarts; ++i) out.push_back(RandomlyThinned(c, random));
}

}  // namespace

bool IsSimpler(const Case& a, const Case& b) { return MeasureOf(a) < MeasureOf(b); }

std::vector<Case> Simpler(const Case& c) {
  Case plain = c;
  plain.expected.clear();
  Cases all;
  DropRows(plain, all);
  DropColumns(plain, all);
  SimplifyShape(plain, all);
  if (c.gamma && c.width > 0) SimplifyElements(plain, [](Case& v) -> auto& { return *v.gamma; }, c.formats.params, all);
  if (c.beta && c.width > 0) SimplifyElements(plain, [](Case& v) -> auto& { return *v.beta; }, c.formats.params, all);
  if (!c.x.empty()) SimplifyElements(plain, [](Case& v) -> auto& { return v.x; }, c.formats.x, all);
  Restarts(plain, all);
  const Measure limit = MeasureOf(c);
  std::erase_if(all, [&](const Case& candidate) { return !(MeasureOf(candidate) < limit); });
  return all;
}

Case Shrink(Case c, const std::function<bool(const Case&)>& fails, int max_steps) {
  int steps = 0;
  for (bool moved = true; moved;) {
    moved = false;
    for (Case& candidate : Simpler(c)) {
      if (steps++ >= max_steps) return c;
      if (!fails(candidate)) continue;
      c = std::move(candidate);
      moved = true;
      break;
    }
  }
  return c;
}

}  // namespace normcheck::properties

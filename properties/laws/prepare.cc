// Prepares cases: finite, small, dense, plain.
#include "properties/laws/prepare.h"

#include <algorithm>
#include <span>

#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Format;

void MakeFinite(std::vector<Bits>& values, Format format) {
  for (Bits& bits : values)
    if (!reference::IsFinite(bits, format)) bits = reference::BitsOf(1, format);
}

std::vector<Bits> FirstColumns(const std::vector<Bits>& values, std::size_t width, std::size_t kept) {
  std::vector<Bits> columns;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % width < kept) columns.push_back(values[i]);
  return columns;
}

}  // namespace

Random RandomOf(const Case& c) {
  std::uint64_t state = c.rows * 31 + c.width;
  for (Bits bits : c.x) state = state * 0x100000001b3u + bits;
  return Random(Seed{state});
}

void MakeFinite(Case& c) {
  MakeFinite(c.x, c.formats.x);
  if (c.gamma) MakeFinite(*c.gamma, c.formats.params);
  if (c.beta) MakeFinite(*c.beta, c.formats.params);
  c.expected.clear();
}

void MakeCentred(Case& c) {
  if (!reference::OperationOf(c.op).centred()) c.op = norm::Op::kLayerNorm;
}

void KeepRows(Case& c, std::size_t rows) {
  if (c.rows <= rows) return;
  c.rows = rows;
  c.x.resize(rows * c.width);
  c.expected.clear();
}

void KeepColumns(Case& c, std::size_t width) {
  if (c.width <= width) return;
  c.x = FirstColumns(c.x, c.width, width);
  if (c.gamma) c.gamma->resize(width);
  if (c.beta) c.beta->resize(width);
  c.x_pitch -= c.width - width;
  c.y_pitch -= c.width - width;
  c.width = width;
  c.expected.clear();
}

void KeepCopied(Case& c) { KeepColumns(c, kWidestCopied); }

void MakeDense(Case& c) { c.x_pitch = c.y_pitch = c.width; }

void MakePlain(Case& c) {
  c.gamma.reset();
  c.beta.reset();
  MakeFinite(c);
}

Case RowOf(const Case& c, std::size_t row) {
  Case one = c;
  one.expected.clear();
  one.rows = 1;
  const auto x = std::span(c.x).subspan(row * c.width, c.width);
  one.x.assign(x.begin(), x.end());
  MakeDense(one);
  return one;
}

bool IsUndefined(const Case& c, std::size_t row) {
  if (c.epsilon > 0) return false;
  const auto x = std::span(c.x).subspan(row * c.width, c.width);
  const double first = !reference::OperationOf(c.op).centred() || x.empty() ? 0 : reference::ValueOf(x[0], c.formats.x);
  return std::ranges::all_of(x, [&](Bits bits) { return reference::ValueOf(bits, c.formats.x) == first; });
}

Case FittedTo(const norm::Kernel& kernel, Case c) {
  if (!kernel.pitch) MakeDense(c);
  if (!kernel.beta) c.beta.reset();
  reference::StandIns absent = reference::StandInsFor(kernel, c);
  if (absent.gamma) c.gamma = std::move(absent.gamma);
  if (absent.beta) c.beta = std::move(absent.beta);
  return reference::WithEpsilonOf(kernel, std::move(c));
}

}  // namespace normcheck::properties

// Decoding for the fuzz targets.
#include "fuzz/target_case.h"

#include "reference/case_bytes.h"
#include "reference/outputs.h"

namespace normcheck::fuzz {
namespace {

using reference::Bits;
using reference::Case;

constexpr int kHalfBits = 16;

void MoveBits(std::vector<Bits>& values, norm::Format from, norm::Format to) {
  const bool was_wide = from == norm::Format::kF32;
  const bool is_wide = to == norm::Format::kF32;
  if (was_wide == is_wide) return;
  for (Bits& bits : values) bits = is_wide ? bits << kHalfBits : bits >> kHalfBits;
}

std::size_t IndexOf(const norm::Formats& formats) {
  return (static_cast<std::size_t>(formats.x) * 3 + static_cast<std::size_t>(formats.params)) * 3 +
         static_cast<std::size_t>(formats.y);
}

}  // namespace

bool WithinCaps(const Case& c) {
  if (c.width > kMaxElements || c.rows > kMaxElements) return false;
  return c.rows * c.width <= kMaxElements && reference::BufferElements(c) <= kMaxBufferElements;
}

Case WithFormats(Case c, const norm::Formats& formats) {
  MoveBits(c.x, c.formats.x, formats.x);
  if (c.gamma) MoveBits(*c.gamma, c.formats.params, formats.params);
  if (c.beta) MoveBits(*c.beta, c.formats.params, formats.params);
  c.formats = formats;
  return c;
}

Case TargetCase(const norm::Kernel& kernel, norm::Op op, std::span<const std::uint8_t> bytes) {
  Case c = reference::DecodeCase(bytes);
  c.op = op;
  if (kernel.formats.empty() || norm::Supports(kernel, op, c.formats)) return c;
  const norm::Formats chosen = kernel.formats[IndexOf(c.formats) % kernel.formats.size()];
  return WithFormats(std::move(c), chosen);
}

}  // namespace normcheck::fuzz

// Decoding for the fuzz targets.
#include "fuzz/target_case.h"

#include "properties/row_moves.h"
#include "reference/case_bytes.h"
#include "reference/judge.h"
#include "reference/outputs.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;

std::size_t IndexOf(const norm::Formats& formats) {
  return (static_cast<std::size_t>(formats.x) * 3 + static_cast<std::size_t>(formats.params)) * 3 +
         static_cast<std::size_t>(formats.y);
}

}  // namespace

bool WithinCaps(const Case& c) {
  if (c.width > kMaxElements || c.rows > kMaxElements) return false;
  return c.rows * c.width <= kMaxElements && reference::BufferElements(c) <= kMaxBufferElements;
}

Case TargetCase(const norm::Kernel& kernel, norm::Op op, std::span<const std::uint8_t> bytes) {
  Case c = reference::DecodeCase(bytes);
  c.op = op;
  c = reference::DrawnFor(kernel, std::move(c));
  if (kernel.formats.empty() || norm::Supports(kernel, op, c.formats)) return c;
  const norm::Formats chosen = kernel.formats[IndexOf(c.formats) % kernel.formats.size()];
  return properties::WithFormats(std::move(c), chosen);
}

}  // namespace normcheck::fuzz

// The law of batches: a row's outputs do not depend on where it stands or on what stands beside it, bit for bit.
#include <fmt/format.h>

#include <span>

#include "properties/laws/checks.h"
#include "properties/laws/groups.h"
#include "properties/laws/same_bits.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Outputs;

// The row at `position` of `rows`; the others hold NaN (even ones) and infinities (odd ones).
Case AmongNonFinite(const Case& c, std::size_t row, std::size_t rows, std::size_t position) {
  Case batch = c;
  batch.expected.clear();
  batch.rows = rows;
  batch.x.clear();
  const auto x = std::span(c.x).subspan(row * c.width, c.width);
  for (std::size_t r = 0; r < rows; ++r) {
    const Bits special = r % 2 == 0 ? reference::CanonicalNan(c.formats.x) : reference::InfinityBits(c.formats.x, false);
    for (std::size_t i = 0; i < c.width; ++i) batch.x.push_back(r == position ? x[i] : special);
  }
  return batch;
}

struct Place {
  std::size_t rows;
  std::size_t position;
  const char* name;
};

constexpr Place kPlaces[] = {{1, 0, "alone"}, {3, 0, "first"}, {3, 2, "last"}, {3, 1, "between NaN rows"}, {6, 4, "between infinite rows"}};

LawResult CheckBatchIndependence(const LawContext& context, const Case& c) {
  const Outputs batch = reference::RunKernel(context.kernel, c, {});
  if (batch.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!batch.result.ok()) return Broken("refused: " + std::string(batch.result.reason));
  for (std::size_t row = 0; row < c.rows; ++row) {
    for (const Place& place : kPlaces) {
      const Outputs moved = reference::RunKernel(context.kernel, AmongNonFinite(c, row, place.rows, place.position), {});
      if (!moved.result.ok() || !SameRow(c, batch, row, moved, place.position))
        return Broken(fmt::format("row {} of {} differs from the same row {}", row, c.rows, place.name));
    }
  }
  return {};
}

}  // namespace

const Law kBatchIndependence = {"batch-independence", "each row alone, first, last, or among NaN and infinite rows has the same bits",
                                IgnoresBatch, CheckBatchIndependence};

}  // namespace normcheck::properties

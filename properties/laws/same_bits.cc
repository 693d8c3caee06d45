// Compares runs bit by bit.
#include "properties/laws/same_bits.h"

#include <fmt/format.h>

#include <bit>

#include "properties/laws/prepare.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Outputs;

bool SameStatistic(const std::vector<float>& a, std::size_t row_a, const std::vector<float>& b, std::size_t row_b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return SameBits(std::bit_cast<Bits>(a[row_a]), std::bit_cast<Bits>(b[row_b]), norm::Format::kF32);
}

std::string Difference(const Case& c, const Outputs& a, const Outputs& b, std::size_t row) {
  for (std::size_t i = row * c.width; i < (row + 1) * c.width; ++i)
    if (!SameBits(a.y[i], b.y[i], c.formats.y))
      return fmt::format("row {} element {}: {} and {}", row, i % c.width, reference::HexText(a.y[i], c.formats.y),
                         reference::HexText(b.y[i], c.formats.y));
  return fmt::format("row {}: statistics differ", row);
}

}  // namespace

bool SameBits(Bits a, Bits b, norm::Format format) {
  return a == b || (reference::IsNan(a, format) && reference::IsNan(b, format) && a != reference::PoisonBits(format) &&
                    b != reference::PoisonBits(format));
}

bool SameRow(const Case& c, const Outputs& a, std::size_t row_a, const Outputs& b, std::size_t row_b) {
  for (std::size_t i = 0; i < c.width; ++i)
    if (!SameBits(a.y[row_a * c.width + i], b.y[row_b * c.width + i], c.formats.y)) return false;
  return SameStatistic(a.mean, row_a, b.mean, row_b) && SameStatistic(a.inv_std_dev, row_a, b.inv_std_dev, row_b);
}

PlainRun RunPlainly(const norm::Kernel& kernel, const Case& c) {
  PlainRun run{FittedTo(kernel, c), {}, {}};
  if (!norm::Supports(kernel, c.op, c.formats)) {
    run.fault = NotApplicable();
    return run;
  }
  run.outputs = reference::RunKernel(kernel, run.c, {});
  if (run.outputs.result.status == norm::CallStatus::kUnsupported) run.fault = NotApplicable();
  else if (!run.outputs.result.ok()) run.fault = Broken("refused: " + std::string(run.outputs.result.reason));
  return run;
}

LawResult CheckSame(const Case& c, const Outputs& plain, const Outputs& other, const std::string& how) {
  if (!other.result.ok()) return Broken(how + ": refused: " + std::string(other.result.reason));
  for (std::size_t row = 0; row < c.rows; ++row)
    if (!SameRow(c, plain, row, other, row)) return Broken(how + ": " + Difference(c, plain, other, row));
  return {};
}

}  // namespace normcheck::properties

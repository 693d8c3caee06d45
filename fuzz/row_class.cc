// Classifies one row of a case.
#include "fuzz/row_class.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/plain_moments.h"

namespace normcheck::fuzz {
namespace {

using reference::Bits;
using reference::Case;
using reference::PlainMoments;

bool AllEqual(std::span<const Bits> row) {
  return std::ranges::all_of(row, [&](Bits bits) { return bits == row[0]; });
}

RowClass ClassOf(const PlainMoments& m, double epsilon, norm::Format format, std::size_t width) {
  const int smallest_normal = norm::TraitsOf(format).emin;
  if (m.largest < std::ldexp(1.0, smallest_normal)) return RowClass::kSubnormal;
  if (m.largest >= reference::ValueOf(reference::MaxFinite(format, false), format) / 16) return RowClass::kNearOverflow;
  if (std::abs(m.mean) >= 1e6 * std::sqrt(m.spread)) return RowClass::kOffset1e6;
  if (std::abs(m.mean) >= 1e3 * std::sqrt(m.spread)) return RowClass::kOffset1e3;
  if (m.spread < epsilon / 16) return RowClass::kVarBelowEps;
  if (m.spread <= epsilon * 16) return RowClass::kVarNearEps;
  return width >= 8 && m.farthest >= 0.9 * m.spread ? RowClass::kOutlier : RowClass::kPlain;
}

}  // namespace

std::optional<RowClass> RowClassNamed(std::string_view name) {
  const auto* found = std::ranges::find(kRowClasses, name, [](RowClass row_class) { return NameOf(row_class); });
  return found == std::end(kRowClasses) ? std::nullopt : std::optional(*found);
}

RowClass ClassOfRow(const Case& c, std::size_t row) {
  if (c.x.empty()) return RowClass::kConstant;
  const auto elements = std::span(c.x).subspan(row * c.width, c.width);
  const PlainMoments m = reference::PlainMomentsOf(c.op, elements, c.formats.x);
  if (!m.finite) return RowClass::kNotFinite;
  const bool constant = reference::OperationOf(c.op).centred() ? AllEqual(elements) : m.largest == 0;
  return constant ? RowClass::kConstant : ClassOf(m, c.epsilon, c.formats.x, c.width);
}

}  // namespace normcheck::fuzz

// Classifies one row of a case.
#include "fuzz/row_class.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::fuzz {
namespace {

using reference::Bits;
using reference::Case;

struct Moments {
  double mean = 0;
  double var = 0;
  double largest = 0;    // max|x|
  double farthest = 0;   // max (x - mean)^2 / H
  bool finite = true;
};

Moments MomentsOf(const Case& c, std::span<const Bits> row) {
  Moments m;
  const double width = static_cast<double>(row.size());
  thread_local std::vector<double> values;
  values.clear();
  for (const Bits bits : row) {
    const double x = reference::ValueOf(bits, c.formats.x);
    m.finite = m.finite && std::isfinite(x);
    m.largest = std::abs(x) > m.largest ? std::abs(x) : m.largest;
    m.mean += reference::OperationOf(c.op).centred() ? x / width : 0;
    values.push_back(x);
  }
  for (const double x : values) {
    const double share = (x - m.mean) * (x - m.mean) / width;
    m.var += share;
    m.farthest = share > m.farthest ? share : m.farthest;
  }
  return m;
}

bool AllEqual(std::span<const Bits> row) {
  return std::ranges::all_of(row, [&](Bits bits) { return bits == row[0]; });
}

RowClass ClassOf(const Moments& m, double epsilon, norm::Format format, std::size_t width) {
  const int smallest_normal = norm::TraitsOf(format).emin;
  if (m.largest < std::ldexp(1.0, smallest_normal)) return RowClass::kSubnormal;
  if (m.largest >= reference::ValueOf(reference::MaxFinite(format, false), format) / 16) return RowClass::kNearOverflow;
  if (std::abs(m.mean) >= 1e6 * std::sqrt(m.var)) return RowClass::kOffset1e6;
  if (std::abs(m.mean) >= 1e3 * std::sqrt(m.var)) return RowClass::kOffset1e3;
  if (m.var < epsilon / 16) return RowClass::kVarBelowEps;
  if (m.var <= epsilon * 16) return RowClass::kVarNearEps;
  return width >= 8 && m.farthest >= 0.9 * m.var ? RowClass::kOutlier : RowClass::kPlain;
}

}  // namespace

std::optional<RowClass> RowClassNamed(std::string_view name) {
  const auto* found = std::ranges::find(kRowClasses, name, [](RowClass row_class) { return NameOf(row_class); });
  return found == std::end(kRowClasses) ? std::nullopt : std::optional(*found);
}

RowClass ClassOfRow(const Case& c, std::size_t row) {
  if (c.x.empty()) return RowClass::kConstant;
  const auto elements = std::span(c.x).subspan(row * c.width, c.width);
  const Moments m = MomentsOf(c, elements);
  if (!m.finite) return RowClass::kNotFinite;
  const bool constant = reference::OperationOf(c.op).centred() ? AllEqual(elements) : m.largest == 0;
  return constant ? RowClass::kConstant : ClassOf(m, c.epsilon, c.formats.x, c.width);
}

}  // namespace normcheck::fuzz

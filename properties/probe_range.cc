// Judges a grid of calls and says in words where the contract broke.
#include "properties/probe_range.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "properties/families.h"
#include "properties/standard_sweep.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

constexpr std::size_t kProbeWidths[] = {2, 17, 65, 257, 1024, 4097};
constexpr std::size_t kProbeRows[] = {1, 3, 257};
constexpr std::size_t kMostElements = std::size_t{1} << 19;

// A point of the grid. The magnitude of x is about 2^exponent.
struct GridPoint {
  std::size_t width;
  std::size_t rows;
  int exponent;
};

int LargestExponent(Format format) { return format == Format::kF16 ? 6 : 60; }

Case CaseAt(const GridPoint& point, Op op, const Formats& formats) {
  Case c = reference::MakeCase(op, formats, point.rows, point.width, 1e-5);
  Random random(Seed{point.width * 1000 + point.rows});
  for (Bits& x : c.x) x = reference::BitsOf(std::ldexp(random.Gaussian(), point.exponent), formats.x);
  c.gamma.emplace(c.width, reference::BitsOf(1.5, formats.params));
  c.beta.emplace(c.width, reference::BitsOf(0.5, formats.params));
  return c;
}

// What the broken points have in common on one axis, "" where every value of the axis is among them.
template <typename T>
std::string NamedOnAxis(const char* axis, const std::set<T>& broken, std::size_t all, const char* form) {
  if (broken.size() == all) return "";
  std::string text;
  for (const T& value : broken) text += (text.empty() ? "" : ", ") + fmt::format(fmt::runtime(form), value);
  return fmt::format("{} {}", axis, text);
}

std::string BrokenWhere(const std::vector<GridPoint>& broken) {
  std::set<std::size_t> widths, rows;
  std::set<int> exponents;
  for (const GridPoint& point : broken) {
    widths.insert(point.width);
    rows.insert(point.rows);
    exponents.insert(point.exponent);
  }
  std::string text;
  for (const std::string& part : {NamedOnAxis("width", widths, std::size(kProbeWidths), "{}"), NamedOnAxis("rows", rows, std::size(kProbeRows), "{}"),
                                  NamedOnAxis("|x| near", exponents, 3, "2^{}")})
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "at all widths, magnitudes and numbers of rows" : text;
}

std::string RangeText(const ProbeRange& range, const std::vector<GridPoint>& broken) {
  if (range.asked == 0) return "not supported";
  if (broken.empty()) return fmt::format("contract kept on all {} calls", range.asked);
  return fmt::format("contract broken on {} of {} calls: {}", broken.size(), range.asked, BrokenWhere(broken));
}

}  // namespace

ProbeRange RangeOf(const norm::Kernel& kernel, Op op) {
  const Formats formats = PreferredFormats(kernel);
  const int most = LargestExponent(formats.x);
  ProbeRange range;
  std::vector<GridPoint> broken;
  reference::JudgeOptions options;
  options.diagnose = false;
  for (const std::size_t width : kProbeWidths)
    for (const std::size_t rows : kProbeRows)
      for (const int exponent : {-most, 0, most}) {
        if (width * rows > kMostElements) continue;
        const auto verdict = reference::Judge(kernel, reference::DrawnFor(kernel, CaseAt({width, rows, exponent}, op, formats)), options);
        if (verdict.not_supported) continue;
        ++range.asked;
        if (!verdict.kept) broken.push_back({width, rows, exponent});
      }
  range.broken = broken.size();
  range.answer = {op, "range", RangeText(range, broken),
                  fmt::format("gaussian rows, widths 2 to 4097, |x| near 2^-{0} to 2^{0}, 1 to 257 rows, epsilon 1e-5", most)};
  return range;
}

}  // namespace normcheck::properties

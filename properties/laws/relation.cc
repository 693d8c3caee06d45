// Compares related outputs exactly.
#include "properties/laws/relation.h"

#include <fmt/format.h>

#include <cmath>

#include "properties/laws/prepare.h"
#include "reference/dyadic.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Dyadic;

// A product with a power of two rounds as its factor does, unless one of them lies near an end of the format's range.
bool RoundsAlike(double a, double b, norm::Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const auto inside = [&](double value) {
    return std::abs(value) >= std::ldexp(1.0, traits.emin + 1) && std::abs(value) <= std::ldexp(1.0, traits.emax - 1);
  };
  return inside(a) && inside(b);
}

enum class Agreement { kSkipped, kYes, kNo };

Agreement Compared(const Side& a, std::size_t i, const Side& b, std::size_t j, double factor) {
  const double first = a.got(i), second = b.got(j);
  if (std::isnan(first) && std::isnan(second)) return Agreement::kYes;
  if (std::isnan(first) || std::isnan(second)) return a.Error(i) && b.Error(j) ? Agreement::kNo : Agreement::kSkipped;
  if (std::isinf(first) || std::isinf(second)) return Agreement::kSkipped;
  if (factor * first == second) return Agreement::kYes;
  if (a.CorrectlyRounded() && b.CorrectlyRounded())
    return std::abs(factor) == 1 || RoundsAlike(first, second, b.c().formats.y) ? Agreement::kNo : Agreement::kSkipped;
  const auto slack_a = a.Error(i), slack_b = b.Error(j);
  if (!slack_a || !slack_b) return Agreement::kSkipped;
  const Dyadic distance = (Dyadic(factor) * Dyadic(first) - Dyadic(second)).Abs();
  return AtMost(distance, Dyadic(std::abs(factor)) * *slack_a + *slack_b) ? Agreement::kYes : Agreement::kNo;
}

std::string Seen(const Side& a, std::size_t i, const Side& b, std::size_t j, double factor) {
  return fmt::format("row {} element {}: y {}, and times {} it should be the {} at row {} element {}", i / a.c().width,
                     i % a.c().width, reference::HexText(a.bits(i), a.c().formats.y), factor,
                     reference::HexText(b.bits(j), b.c().formats.y), j / b.c().width, j % b.c().width);
}

}  // namespace

LawResult CheckRelated(const Side& side, const Side& other, const Related& related) {
  for (const Side* run : {&side, &other})
    if (const auto fault = run->Fault()) return *fault;
  bool compared = false;
  for (std::size_t j = 0; j < other.size(); ++j) {
    const std::size_t i = related.from.empty() ? j : related.from[j];
    if (IsUndefined(other.c(), j / other.c().width) || IsUndefined(side.c(), i / side.c().width)) continue;
    const Agreement agreement = Compared(side, i, other, j, related.factor);
    if (agreement == Agreement::kNo) return Broken(Seen(side, i, other, j, related.factor));
    compared |= agreement == Agreement::kYes;
  }
  return compared ? LawResult{} : NotApplicable();
}

}  // namespace normcheck::properties

// Statistics of formulas, and the a-priori bounds around them.
#include "reference/diagnosis/statistics_taken.h"

#include <algorithm>
#include <cmath>

namespace normcheck::reference::diagnosis {
namespace {

// Errors of the sums of the group become errors of the radicand; one more rounding of epsilon to the accumulator.
SumErrors Carried(const Group& group, const Quad& spread, Centre around, const Radicand& radicand, const norm::Profile& profile) {
  const SumErrors sums = ErrorsOfSums(group.moments(), profile, around);
  const Quad middle = radicand(spread);
  const Quad low = radicand(std::max(Quad(spread - sums.var_below), Quad(0)));
  const Quad high = radicand(Quad(spread + sums.var_above));
  const double rounding = static_cast<double>(middle) * ArithmeticOf(profile.accumulator).u;
  return {sums.mean, static_cast<double>(Quad(middle - low)) + rounding, static_cast<double>(Quad(high - middle)) + rounding,
          sums.safe};
}

}  // namespace

TakenStatistics OfFormula(const Group& group, Centre centre, Centre spread, const Radicand& radicand) {
  const Quad value = spread == Centre::kMean ? group.var() : group.mean_square();
  TakenStatistics taken;
  if (centre == Centre::kMean) taken.centre = group.mean();
  taken.inv_root = 1 / sqrt(radicand(value));
  taken.width = group.values().size();
  taken.errors = [&group, value, centre, spread, radicand](const norm::Profile& profile) {
    SumErrors errors = Carried(group, value, spread, radicand, profile);
    if (centre == Centre::kZero) errors.mean = 0;
    if (centre == Centre::kMean && spread == Centre::kZero) errors.mean = ErrorsOfSums(group.moments(), profile, Centre::kMean).mean;
    return errors;
  };
  return taken;
}

TakenStatistics OfDefinition(const Group& group, Centre centre, double epsilon) {
  return OfFormula(group, centre, centre, [epsilon](const Quad& spread) { return Quad(spread + epsilon); });
}

TakenStatistics Emulated(const Quad& centre, const Quad& inv_root, std::size_t width) {
  return {centre, inv_root, width, [](const norm::Profile&) { return SumErrors{0, 0, 0, true}; }};
}

norm::Profile ProfileOf(Grade grade) {
  norm::Profile profile;
  if (grade == Grade::kF64 || grade == Grade::kMixed) profile.accumulator = norm::Precision::kF64;
  if (grade == Grade::kF64) profile.mean = norm::Precision::kF64;
  return profile;
}

RowBound BoundAround(const TakenStatistics& statistics, const norm::Profile& profile, Format y) {
  const double radicand = static_cast<double>(Quad(1 / (statistics.inv_root * statistics.inv_root)));
  RowMoments moments;
  moments.width = statistics.width;
  moments.mean = static_cast<double>(statistics.centre);
  moments.var = moments.mean_square = radicand;
  SumErrors errors = statistics.errors(profile);
  errors.var_below = std::min(errors.var_below, radicand);
  const Centre centre = statistics.centre == 0 && errors.mean == 0 ? Centre::kZero : Centre::kMean;
  if (!std::isfinite(radicand)) errors.safe = false;
  return BoundRow(moments, errors, profile, centre, y);
}

}  // namespace normcheck::reference::diagnosis

// Classes and levels of errors, and the counters that carry them.
#include "fuzz/guidance.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/plain_moments.h"

namespace normcheck::fuzz {
namespace {

using reference::Case;
using reference::PlainMoments;
using reference::Tally;
using reference::Verdict;

constexpr int kLowOctaves = 8;     // 2^-14 to 2^-6
constexpr int kClimbOctaves = 6;   // 2^-6 to 1
constexpr int kLevelsAnOctave = 4;
constexpr int kLevelOfPromise = kLowOctaves + kClimbOctaves * kLevelsAnOctave;
constexpr int kOctavesBeyond = 4;  // a level, beyond the promise

// ratio > 1.
int LevelBeyond(double ratio) {
  return std::min(kErrorLevels, kLevelOfPromise + 1 + static_cast<int>(std::log2(ratio)) / kOctavesBeyond);
}

int LevelOfRatio(double ratio) {
  if (ratio > 1) return LevelBeyond(ratio);
  const double octave = std::log2(ratio);
  if (octave < -kClimbOctaves) return std::max(1, 1 + kLowOctaves + kClimbOctaves + static_cast<int>(std::floor(octave)));
  return kLowOctaves + 1 + std::min(static_cast<int>((octave + kClimbOctaves) * kLevelsAnOctave), kClimbOctaves * kLevelsAnOctave - 1);
}

int LevelOfRounding(double ratio) {
  if (ratio > 1) return LevelBeyond(ratio);
  const double nearness = ratio < 1 ? -std::log2(1 - ratio) : std::numeric_limits<double>::infinity();
  return 1 + static_cast<int>(std::min(nearness * 2 / 3, kLevelOfPromise - 1.0));
}

int LevelOfRowUlps(double row_ulp) { return std::clamp(static_cast<int>(std::log2(row_ulp)) + 1, 1, kErrorLevels); }

// The first band whose edge is above; NaN lies above all.
template <std::size_t N>
int BandOf(double value, const double (&edges)[N]) {
  int band = 0;
  for (const double edge : edges) band += value < edge ? 0 : 1;
  return band;
}

int ConditionOf(const Case& c, const PlainMoments& m) {
  const double spread = std::sqrt(m.spread + c.epsilon);
  if (!reference::OperationOf(c.op).centred()) return BandOf(m.largest / spread, {1.5, 3.0, 8.0, 24.0});
  return BandOf(std::abs(m.mean) / spread, {1.0, 0x1p4, 0x1p8, 0x1p14});
}

int FormatOf(const norm::Formats& formats) {
  return static_cast<int>(formats.x) * 2 + (formats.y == norm::Format::kF32 ? 1 : 0);
}

}  // namespace

int ErrorLevelOf(const Verdict& verdict) {
  const Tally& tally = verdict.tally;
  if (tally.max_bound_ratio == 0)
    return tally.no_promise > 0 && tally.max_row_ulp > 0 ? LevelOfRowUlps(reference::FromQ20(tally.max_row_ulp)) : 0;
  const double ratio = reference::FromQ20(tally.max_bound_ratio);
  return verdict.contract.kind == norm::ContractKind::kCorrectlyRounded ? LevelOfRounding(ratio) : LevelOfRatio(ratio);
}

int ErrorClassOf(const Case& c, std::size_t row) {
  const auto x = std::span(c.x).subspan(row * c.width, c.width);
  const PlainMoments m = reference::PlainMomentsOf(c.op, x, c.formats.x);
  const int size = BandOf(static_cast<double>(c.width), {17.0, 65.0, 513.0});
  const int variance = m.spread < 16 * c.epsilon ? 0 : 1;
  return ((FormatOf(c.formats) * kSizeClasses + size) * kConditionClasses + ConditionOf(c, m)) * kVarianceClasses + variance;
}

int RowUlpLevelOf(const Verdict& verdict) {
  const Tally& tally = verdict.tally;
  return tally.no_promise > 0 || tally.max_row_ulp == 0 ? 0 : LevelOfRowUlps(reference::FromQ20(tally.max_row_ulp));
}

void NoteError(const Case& c, const Verdict& verdict, std::span<std::uint8_t> counters) {
  const int level = ErrorLevelOf(verdict);
  if (level == 0 || c.rows == 0 || c.width == 0) return;
  const std::size_t row = verdict.worst ? verdict.worst->row : 0;
  const auto raise = [&](int at, int to) {
    std::ranges::fill(counters.subspan(static_cast<std::size_t>(at) * kErrorLevels, static_cast<std::size_t>(to)), std::uint8_t{1});
  };
  raise(ErrorClassOf(c, row), level);
  if (verdict.contract.kind != norm::ContractKind::kCorrectlyRounded) raise(kErrorClasses + FormatOf(c.formats), RowUlpLevelOf(verdict));
}

std::span<std::uint8_t> ExtraCounters() {
  [[gnu::section("__libfuzzer_extra_counters")]] static std::uint8_t counters[kGuidanceBytes];
  return counters;
}

}  // namespace normcheck::fuzz

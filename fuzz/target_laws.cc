// Which laws, how often, and what breaking one means.
#include "fuzz/target_laws.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "properties/kernels.h"
#include "properties/laws/groups.h"
#include "properties/large_calls.h"
#include "properties/laws/prepare.h"
#include "properties/plug_in/plug_in.h"
#include "properties/run_laws.h"
#include "properties/shrink.h"
#include "properties/shrink_size.h"

namespace normcheck::fuzz {
namespace {

using properties::Law;
using reference::Case;

// Laws make many rows of one, for which any pitch is valid.
constexpr std::size_t kMostLawPadding = 64;
constexpr int kLawShrinkSteps = 400;
constexpr std::chrono::seconds kLawShrinkTime{3};
constexpr int kLawShrinkStepsByCounts = 100;

// A turn in so many cases; the price of a law on a row of 64 is in README.md.
struct Turn {
  const Law* law;
  std::uint64_t every;
};

std::span<const Turn> Turns() {
  static constexpr std::array kTurns = {
      Turn{&properties::kEveryTarget, 64},       Turn{&properties::kWritten, 64},
      Turn{&properties::kRepeatable, 64},        Turn{&properties::kInPlace, 64},
      Turn{&properties::kFloatEnvironment, 128}, Turn{&properties::kBatchIndependence, 128},
      Turn{&properties::kPadding, 512},          Turn{&properties::kGuardPages, 512},
      Turn{&properties::kAlignment, 2048},       Turn{&properties::kBatchSize, 4096},
      Turn{&properties::kWidePitch, 2048},       Turn{&properties::kManyRows, 32768},
      Turn{&properties::kLargeCalls, 8192}};
  return kTurns;
}

}  // namespace

const Law* LawFor(const norm::Kernel& kernel, const Case& c) {
  if (c.x.empty() || c.x.size() > kMostLawElements) return nullptr;
  properties::Random random = properties::RandomOf(c);
  for (const Turn& turn : Turns())
    if (random.OneIn(turn.every)) return turn.law->applies_to(kernel) ? turn.law : nullptr;
  return nullptr;
}

Case AskedBy(const Law& law, const norm::Kernel& kernel, const Case& c) {
  if (law.round == nullptr) return c;
  properties::Random random = properties::RandomOf(c);
  const std::uint64_t elements = std::uint64_t{1} << (16 + random.Below(5));
  const std::uint64_t rows = (std::uint64_t{1} << random.Below(17)) + random.Below(16);
  const properties::CallSize size = {rows, std::max<std::uint64_t>(1, elements / rows + random.Below(16))};
  return properties::DrawLargeCall(kernel, {c.op, c.formats, size, properties::Seed{random.Next()}});
}

Case PreparedFor(const Law& law, Case c) {
  c.x_pitch = std::min(c.x_pitch, c.width + kMostLawPadding);
  c.y_pitch = std::min(c.y_pitch, c.width + kMostLawPadding);
  if (law.prepare != nullptr) law.prepare(c);
  return c;
}

norm::Kernel Fresh(const norm::Kernel& kernel) {
  auto found = properties::FindKernel(kernel.name);
  return found.ok() ? std::move(found).value() : kernel;
}

const Law& RepeatableLaw() { return properties::kRepeatable; }

std::string BrokenLaw(const norm::Kernel& kernel, const Law& law, const Case& c) {
  if (c.x.empty()) return {};
  const properties::LawResult result = properties::CheckLaw(kernel, law, PreparedFor(law, c));
  return result.state == properties::LawResult::State::kBroken ? result.seen : std::string();
}

Case ShrinkForLaw(const norm::Kernel& kernel, const Law& law, const Case& c, Pace pace) {
  const auto deadline = std::chrono::steady_clock::now() + kLawShrinkTime;
  const bool slow = !properties::plug_in::SeesTheCallersArrays(kernel);
  const norm::Kernel one = Fresh(kernel);
  const auto fails = [&](const Case& simpler) {
    return (pace == Pace::kCounts || std::chrono::steady_clock::now() <= deadline) && !BrokenLaw(slow ? one : Fresh(kernel), law, simpler).empty();
  };
  const auto shrink = law.round != nullptr ? properties::ShrinkSize : properties::Shrink;
  return PreparedFor(law, shrink(PreparedFor(law, c), fails, pace == Pace::kCounts ? kLawShrinkStepsByCounts : kLawShrinkSteps));
}

}  // namespace normcheck::fuzz

// Mistakes of indices: pitches, row counts, gamma and beta.
#include <cstdint>
#include <utility>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::KernelCall;

CallParts With(Offset CallParts::*part, std::size_t (*offset)(const KernelCall&, Place)) {
  CallParts parts;
  parts.*part = offset;
  return parts;
}

CallParts WritingRows(bool (*writes)(const KernelCall&, Place)) {
  CallParts parts;
  parts.writes = writes;
  return parts;
}

// Elements by x_pitch in one pass, by the width in the other.
CallParts VarianceByWidth() {
  CallParts parts;
  parts.statistics = [](const KernelCall& call, std::size_t row, std::span<const double> x) {
    std::vector<double> second(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) second[i] = ReadElement(call.x, call.formats.x, row * call.width + i, 0);
    const double inv_root = HonestStatistics(call.op, call.epsilon, second).inv_root;
    return RowStatistics{HonestStatistics(call.op, call.epsilon, x).mean, inv_root};
  };
  return parts;
}

std::size_t In32Bits(const KernelCall& call, Place p) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(p.row * call.x_pitch + p.column))));
}

Run Changed(KernelCall (*change)(KernelCall)) {
  return [change](const KernelCall& call) { return RunParts(change(call), {}); };
}

KernelCall BetaNeedsGamma(KernelCall call) {
  if (call.gamma == nullptr) call.beta = nullptr;
  return call;
}

KernelCall GammaNeedsBeta(KernelCall call) {
  if (call.beta == nullptr) call.gamma = nullptr;
  return call;
}

// An only parameter is taken for the other one.
KernelCall LoneParameterIsGamma(KernelCall call) {
  if (call.gamma == nullptr) std::swap(call.gamma, call.beta);
  return call;
}

// Elements a thread gets, by an integer division that nobody thought of for a width of 0.
norm::CallResult DividesByWidth(const KernelCall& call) {
  const volatile std::size_t width = call.width;
  const volatile std::size_t rows_of_a_block = 4096 / width;
  static_cast<void>(rows_of_a_block);
  return RunParts(call, {});
}

}  // namespace

std::vector<norm::Kernel> IndexMutants() {
  return {
      CallMutant("divides-by-width", "an integer division by the width, 0 included (CASES.md 61)", DividesByWidth),
      CallMutant("x-pitch-ignored", "x's rows are taken to lie a width apart (CASES.md 59, 63)",
                 With(&CallParts::x, [](const KernelCall& c, Place p) { return p.row * c.width + p.column; })),
      CallMutant("y-pitch-ignored", "y's rows are written a width apart (CASES.md 59, 63)",
                 With(&CallParts::y, [](const KernelCall& c, Place p) { return p.row * c.width + p.column; })),
      CallMutant("second-pass-pitch", "the variance reads rows a width apart, the mean by the pitch (CASES.md 63)", VarianceByWidth()),
      CallMutant("pitch-in-32-bits", "row offsets are formed in 32 bits (CASES.md 64, 65)", With(&CallParts::x, In32Bits)),
      CallMutant("row-in-16-bits", "the row number wraps at 65,536 (CASES.md 67)",
                 With(&CallParts::y, [](const KernelCall& c, Place p) { return (p.row & 0xffff) * c.y_pitch + p.column; })),
      CallMutant("grid-of-65535", "rows from the 65,536th on are not processed (CASES.md 67)",
                 WritingRows([](const KernelCall&, Place p) { return p.row < 65535; })),
      CallMutant("last-row-skipped", "the last row of an odd count is never written (CASES.md 72, 74)",
                 WritingRows([](const KernelCall& c, Place p) { return c.rows % 2 == 0 || c.rows == 1 || p.row + 1 < c.rows; })),
      CallMutant("gamma-off-by-one", "gamma of the next column (CASES.md 98)",
                 With(&CallParts::gamma, [](const KernelCall& c, Place p) { return (p.column + 1) % c.width; })),
      CallMutant("beta-off-by-one", "beta of the next column (CASES.md 98)",
                 With(&CallParts::beta, [](const KernelCall& c, Place p) { return (p.column + 1) % c.width; })),
      CallMutant("gamma-by-row", "gamma moves on from row to row (CASES.md 62)",
                 With(&CallParts::gamma, [](const KernelCall& c, Place p) { return (p.column + p.row) % c.width; })),
      CallMutant("gamma-of-first-column", "one gamma for the whole row (CASES.md 98)",
                 With(&CallParts::gamma, [](const KernelCall&, Place) { return std::size_t{0}; })),
      CallMutant("beta-needs-gamma", "beta is ignored where gamma is absent (CASES.md 70)", Changed(BetaNeedsGamma)),
      CallMutant("gamma-needs-beta", "gamma is ignored where beta is absent (CASES.md 70)", Changed(GammaNeedsBeta)),
      CallMutant("lone-parameter-is-gamma", "beta alone is taken for gamma (CASES.md 70, 71)", Changed(LoneParameterIsGamma)),
  };
}

}  // namespace normcheck::properties

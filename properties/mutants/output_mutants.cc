// Mistakes in what is written: nothing, part of a row, zeros, x, an earlier row, rounded the wrong way.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using norm::Format;
using norm::KernelCall;

// Replaces each output of an honest run, computed into f32 or the format itself, by another number.
template <typename Output>
norm::CallResult RunOutputs(const KernelCall& call, Output output) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok()) return checked;
  for (std::size_t row = 0; row < call.rows; ++row)
    for (std::size_t i = 0; i < call.width; ++i)
      WriteElement(output(ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0)), call.y, call.formats.y, row * call.y_pitch + i);
  return checked;
}

norm::CallResult WriteZeros(const KernelCall& call) {
  return RunOutputs(call, [](double) { return 0.0; });
}

norm::CallResult WriteX(const KernelCall& call) {
  return RunOutputs(call, [](double x) { return x; });
}

norm::CallResult WriteNothing(const KernelCall& call) { return norm::CheckCall(call); }

// Row r reads the row before it.
CallParts RowBefore() {
  CallParts parts;
  parts.x = [](const KernelCall& call, Place p) { return (p.row == 0 ? 0 : p.row - 1) * call.x_pitch + p.column; };
  return parts;
}

CallParts WithoutTail() {
  CallParts parts;
  parts.writes = [](const KernelCall& call, Place p) { return call.width < 8 || p.column < call.width / 8 * 8; };
  return parts;
}

double LowestNormal(Format format) { return std::ldexp(1.0, norm::TraitsOf(format).emin); }

// The nearest value of the format, or the one below it in magnitude where that is larger than |value|.
double TowardsZero(double value, Format format) {
  if (!std::isfinite(value) || value == 0) return value;
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const double quantum = std::ldexp(1.0, std::max(std::ilogb(value), traits.emin) - traits.precision + 1);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - traits.precision), traits.emax);
  const double truncated = std::trunc(value / quantum) * quantum;
  return std::abs(truncated) > largest ? std::copysign(largest, value) : truncated;
}

// What a conversion that saturates gives where infinity was right.
double Clamped(double value, Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - traits.precision), traits.emax);
  return std::isnan(value) ? value : std::clamp(value, -largest, largest);
}

double Flushed(double value, Format format) { return std::abs(value) < LowestNormal(format) ? std::copysign(0.0, value) : value; }

// An honest row whose results pass through `last` before the final rounding, which then finds nothing to do.
Run Last(double (*last)(double value, Format format)) {
  return [last](const KernelCall& call) {
    return RunElements(call, [last](const KernelCall& c, const RowStatistics& s, const Element& e) {
      return last(e.gamma * ((e.x - s.mean) * s.inv_root) + e.beta, c.formats.y);
    });
  };
}

// xhat is rounded to x's format, then gamma and beta are applied.
norm::CallResult RoundBeforeGamma(const KernelCall& call) {
  return RunElements(call, [](const KernelCall& c, const RowStatistics& s, const Element& e) {
    const double xhat = (e.x - s.mean) * s.inv_root;
    return e.gamma * reference::ValueOf(reference::BitsOf(xhat, c.formats.x), c.formats.x) + e.beta;
  });
}

norm::Kernel WithoutStatistics(norm::Kernel kernel) {
  kernel.statistics = false;
  return kernel;
}

}  // namespace

std::vector<norm::Kernel> OutputMutants() {
  return {
      CallMutant("rounding-before-gamma", "xhat is rounded to x's format before gamma (CASES.md 75, 77)", Run(RoundBeforeGamma)),
      WithoutStatistics(CallMutant("writes-zeros", "every output is zero (CASES.md 68, 104)", Run(WriteZeros))),
      WithoutStatistics(CallMutant("writes-x", "x is copied (CASES.md 104)", Run(WriteX))),
      WithoutStatistics(CallMutant("not-written", "nothing is written (CASES.md 68)", Run(WriteNothing))),
      CallMutant("tail-unwritten", "the last H mod 8 elements are not written (CASES.md 60, 74)", WithoutTail()),
      CallMutant("previous-output", "a row gets the outputs of the row before it (CASES.md 72)", RowBefore()),
      WithoutStatistics(CallMutant("truncation", "outputs are truncated (CASES.md 79)", Last(TowardsZero))),
      WithoutStatistics(CallMutant("flush-to-zero", "subnormal outputs become zero (CASES.md 88)", Last(Flushed))),
      WithoutStatistics(CallMutant("clamps", "outputs beyond the format become its largest finite number (CASES.md 85)", Last(Clamped))),
  };
}

}  // namespace normcheck::properties

// IEEE evaluation of gamma*xhat + beta, one element at a time, where values are not finite.
#include "norm/special_elements.h"

#include <cmath>
#include <limits>

namespace normcheck::norm {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// x86 makes its own NaNs negative; the canonical one is positive. Adding +0 turns -0 into +0.
double Canonical(double value) { return std::isnan(value) ? kNan : value + 0.0; }

double SpecialXhat(RowKind kind, double x) { return kind == RowKind::kNan || std::isinf(x) ? kNan : 0.0; }

}  // namespace

void NoteNonFinite(const double* x, std::size_t count, NonFinite& found) {
  for (std::size_t i = 0; i < count; ++i) {
    found.nan |= std::isnan(x[i]);
    found.positive |= std::isinf(x[i]) && x[i] > 0;
    found.negative |= std::isinf(x[i]) && x[i] < 0;
  }
}

void FillSpecial(RowKind kind, const Chunk& chunk) {
  for (std::size_t i = 0; i < chunk.count; ++i)
    chunk.y[i] = Canonical(chunk.gamma[i] * SpecialXhat(kind, chunk.x[i]) + chunk.beta[i]);
}

}  // namespace normcheck::norm

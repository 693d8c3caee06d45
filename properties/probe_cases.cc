// Builds the probing cases from small numbers.
#include "properties/probe_cases.h"

#include "reference/number.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

Case CaseOf(Op op, const Formats& formats, std::size_t rows, const std::vector<double>& x, double epsilon) {
  Case c = reference::MakeCase(op, formats, rows, x.size() / rows, epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) c.x[i] = reference::BitsOf(x[i], formats.x);
  return c;
}

// gamma 1.5, -0.75, 1.5, ...; beta 0.5, 1, 1.5, ...
Case WithParameters(Case c) {
  c.gamma.emplace(c.width);
  c.beta.emplace(c.width);
  for (std::size_t i = 0; i < c.width; ++i) {
    (*c.gamma)[i] = reference::BitsOf(i % 2 == 0 ? 1.5 : -0.75, c.formats.params);
    (*c.beta)[i] = reference::BitsOf(0.5 * static_cast<double>(i + 1), c.formats.params);
  }
  return c;
}

// base, base + step, base + 4 step, base + 9 step, ...
std::vector<double> Squares(std::size_t width, double base, double step) {
  std::vector<double> x(width);
  for (std::size_t i = 0; i < width; ++i) x[i] = base + step * static_cast<double>(i * i);
  return x;
}

}  // namespace

std::vector<ProbeCase> ProbeCases(Op op, const Formats& formats) {
  const bool layer = reference::OperationOf(op).centred();
  std::vector<double> rows = Squares(5, 1, 0.25);
  for (const double scale : {3.0, -0.5})
    for (std::size_t i = 0; i < 5; ++i) rows.push_back(scale * rows[i] + 0.125 * static_cast<double>(i));
  return {
      {"definition", "x = 1, 1.25, 2, 3.25, 5, epsilon 2^-10", layer ? "LayerNorm: mean subtracted, root of variance" : "RMSNorm: no mean subtracted",
       layer ? "no-centring" : "centring-in-rms", CaseOf(op, formats, 1, Squares(5, 1, 0.25), 0x1p-10)},
      {"epsilon", "x = 2^-10 (-1, 1, 2, -2), epsilon 2^-19: near the variance", "under the root, as given", "eps-after-root",
       CaseOf(op, formats, 1, {-0x1p-10, 0x1p-10, 0x1p-9, -0x1p-9}, 0x1p-19)},
      {"epsilon", "x = 2^-12 (-1, 1, 3, -2), epsilon 3e-7: an f16 subnormal", "not replaced, clamped or narrowed", "eps-in-f16",
       CaseOf(op, formats, 1, {-0x1p-12, 0x1p-12, 0x3p-12, -0x1p-11}, 3e-7)},
      {"divisor", "x = 1, 4, epsilon 2^-10: H = 2", "H", "divisor-h-minus-1", CaseOf(op, formats, 1, {1, 4}, 0x1p-10)},
      {"elements", "17 squares from 10: mean not 0, H off every lane count", "all H elements, no padding", "padded-lanes-counted-32",
       CaseOf(op, formats, 1, Squares(17, 10, 0.0625), 0x1p-10)},
      {"elements", "65 squares from 3: one element past a block", "all H elements, no tail lost", "tail-missing",
       CaseOf(op, formats, 1, Squares(65, 3, 0x1p-8), 0x1p-10)},
      {"rows", "three rows of 5 with other means and deviations", "each row by itself", "another-rows-statistics",
       CaseOf(op, formats, 3, rows, 0x1p-10)},
      {"parameters", "uneven gamma and beta on the first case", "gamma*xhat + beta", "gamma-beta-swapped",
       WithParameters(CaseOf(op, formats, 1, Squares(5, 1, 0.25), 0x1p-10))},
  };
}

}  // namespace normcheck::properties

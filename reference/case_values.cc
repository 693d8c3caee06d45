// Bits of a case to doubles.
#include "reference/case_values.h"

#include <cmath>

#include "reference/levels/storage.h"

namespace normcheck::reference {

std::vector<double> ValuesOf(std::span<const Bits> bits, Format format, Subnormals reading) {
  std::vector<double> values(bits.size());
  levels::AllFilterLoops().loops[0]->values(bits.data(), levels::StorageOf(format), bits.size(), values.data());
  if (reading == Subnormals::kKept) return values;
  const double min_normal = std::ldexp(1.0, norm::TraitsOf(format).emin);
  for (double& value : values)
    if (std::abs(value) < min_normal) value = std::copysign(0.0, value);
  return values;
}

CaseValues::CaseValues(const Case& c, double kernel_epsilon, Subnormals reading)
    : source(&c), epsilon(kernel_epsilon), subnormals(reading) {
  if (c.gamma) gammas = ValuesOf(*c.gamma, c.formats.params, reading);
  if (c.beta) betas = ValuesOf(*c.beta, c.formats.params, reading);
}

std::vector<double> CaseValues::Row(std::size_t row) const {
  return ValuesOf(std::span(source->x).subspan(row * source->width, source->width), source->formats.x, subnormals);
}

}  // namespace normcheck::reference

// Bits of a case to doubles.
#include "reference/case_values.h"

#include <cmath>

#include "reference/number.h"

namespace normcheck::reference {

std::vector<double> ValuesOf(std::span<const Bits> bits, Format format, Subnormals reading) {
  const double min_normal = std::ldexp(1.0, norm::TraitsOf(format).emin);
  std::vector<double> values;
  values.reserve(bits.size());
  for (Bits b : bits) {
    const double value = ValueOf(b, format);
    const bool flushed = reading == Subnormals::kFlushed && std::abs(value) < min_normal;
    values.push_back(flushed ? std::copysign(0.0, value) : value);
  }
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

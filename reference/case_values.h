// The exact values of a case's inputs, taken from their bits once.
#pragma once

#include <span>
#include <vector>

#include "reference/case.h"

namespace normcheck::reference {

// How subnormal inputs are read: as they are, or as zeros of their sign, which a kernel of a +ftz contract may do.
enum class Subnormals : std::uint8_t { kKept, kFlushed };

struct CaseValues {
  // epsilon: as the kernel gets it, instead of the case's own.
  CaseValues(const Case& c, double kernel_epsilon, Subnormals reading);
  std::vector<double> Row(std::size_t row) const;
  double gamma(std::size_t i) const { return gammas.empty() ? 1 : gammas[i]; }
  double beta(std::size_t i) const { return betas.empty() ? 0 : betas[i]; }
  bool plain() const { return gammas.empty() && betas.empty(); }

  const Case* source;  // must outlive this
  double epsilon;
  Subnormals subnormals;
  std::vector<double> gammas;  // empty where absent
  std::vector<double> betas;
};

std::vector<double> ValuesOf(std::span<const Bits> bits, Format format, Subnormals reading);

}  // namespace normcheck::reference

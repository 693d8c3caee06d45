// Mistakes in applying gamma and beta.
#include "norm/rounding.h"
#include "properties/mutants/call_engine.h"
#include "properties/mutants/families_of_mistakes.h"

namespace normcheck::properties {
namespace {

using norm::Format;
using norm::KernelCall;

// y of xhat, gamma and beta.
using Affine = double (*)(const KernelCall& call, double xhat, double gamma, double beta);

norm::Kernel WithAffine(std::string id, std::string about, Affine affine) {
  return CallMutant(std::move(id), std::move(about), Run([affine](const KernelCall& call) {
                      return RunElements(call, [affine](const KernelCall& c, const RowStatistics& s, const Element& e) {
                        return affine(c, (e.x - s.mean) * s.inv_root, e.gamma, e.beta);
                      });
                    }));
}

double InFormatOfX(const KernelCall& call, double value) {
  switch (call.formats.x) {
    case Format::kF16: return static_cast<double>(norm::ToFloat(norm::ToFloat16(value)));
    case Format::kBf16: return static_cast<double>(norm::ToFloat(norm::ToBFloat16(value)));
    case Format::kF32: break;
  }
  return static_cast<double>(norm::ToFloat32(value));
}

double WithoutGamma(const KernelCall&, double xhat, double, double beta) { return xhat + beta; }
double WithoutBeta(const KernelCall&, double xhat, double gamma, double) { return gamma * xhat; }

double OnePlusGamma(const KernelCall& call, double xhat, double gamma, double beta) {
  return (call.gamma == nullptr ? 1 : 1 + gamma) * xhat + beta;
}

double RoundedFirst(const KernelCall& call, double xhat, double gamma, double beta) { return gamma * InFormatOfX(call, xhat) + beta; }

}  // namespace

std::vector<norm::Kernel> ParameterMutants() {
  return {
      WithAffine("gamma-ignored", "gamma is not applied (CASES.md 70)", WithoutGamma),
      WithAffine("beta-ignored", "beta is not added (CASES.md 70)", WithoutBeta),
      WithAffine("one-plus-gamma", "gamma is taken as an offset from one (CASES.md 76, 100)", OnePlusGamma),
      WithAffine("rounding-before-gamma", "xhat is rounded to x's format before gamma (CASES.md 75, 77)", RoundedFirst),
  };
}

}  // namespace normcheck::properties

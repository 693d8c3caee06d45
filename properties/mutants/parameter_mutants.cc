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

norm::CallResult RunAffine(const KernelCall& call, Affine affine) {
  const norm::CallResult checked = norm::CheckCall(call);
  if (!checked.ok() || call.width == 0) return checked;
  std::vector<double> x(call.width);
  for (std::size_t row = 0; row < call.rows; ++row) {
    for (std::size_t i = 0; i < call.width; ++i) x[i] = ReadElement(call.x, call.formats.x, row * call.x_pitch + i, 0);
    const RowStatistics s = HonestStatistics(call.op, call.epsilon, x);
    for (std::size_t i = 0; i < call.width; ++i) {
      const double gamma = ReadElement(call.gamma, call.formats.params, i, 1);
      const double beta = ReadElement(call.beta, call.formats.params, i, 0);
      WriteElement(affine(call, (x[i] - s.mean) * s.inv_root, gamma, beta), call.y, call.formats.y, row * call.y_pitch + i);
    }
    if (call.mean != nullptr) call.mean[row] = norm::ToFloat32(s.mean);
    if (call.inv_std_dev != nullptr) call.inv_std_dev[row] = norm::ToFloat32(s.inv_root);
  }
  return checked;
}

norm::Kernel WithAffine(std::string id, std::string about, Affine affine) {
  return CallMutant(std::move(id), std::move(about), Run([affine](const KernelCall& call) { return RunAffine(call, affine); }));
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

// Mistakes in gamma and beta.
#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

template <ParametersTaken taken>
Forms WithParameters(const Subject& subject) {
  AffineFormula formula;
  formula.parameters = taken;
  return OneForm(subject, std::move(formula));
}

Parameters WithoutGamma(double, double beta) { return {1, beta}; }
Parameters WithoutBeta(double gamma, double) { return {gamma, 0}; }
Parameters Swapped(double gamma, double beta) { return {beta, gamma}; }
Parameters OnePlusGamma(double gamma, double beta) { return {Quad(1) + gamma, beta}; }

// Only where the parameters are there: absent ones cannot be mistaken.
template <ParametersTaken taken>
Forms NeedsGamma(const Subject& subject) {
  return subject.has_gamma() ? WithParameters<taken>(subject) : Forms{};
}

template <ParametersTaken taken>
Forms NeedsBeta(const Subject& subject) {
  return subject.has_beta() ? WithParameters<taken>(subject) : Forms{};
}

template <ParametersTaken taken>
Forms NeedsBoth(const Subject& subject) {
  return subject.has_gamma() && subject.has_beta() ? WithParameters<taken>(subject) : Forms{};
}

}  // namespace

std::vector<Hypothesis> ParameterHypotheses() {
  return {
      {"gamma-ignored", "Gamma is not applied.", NeedsGamma<WithoutGamma>},
      {"beta-ignored", "Beta is not added.", NeedsBeta<WithoutBeta>},
      {"gamma-beta-swapped", "Gamma and beta are taken for each other.", NeedsBoth<Swapped>},
      {"one-plus-gamma", "Gamma is taken as an offset from one: (1 + gamma)*xhat + beta.", NeedsGamma<OnePlusGamma>},
  };
}

}  // namespace normcheck::reference::diagnosis

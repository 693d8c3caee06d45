// Mistakes in the formula of the statistics: divisor, centring, exponent.
#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;
using RadicandOf = Quad (*)(const Subject& subject, const Quad& spread);

Quad PlusEpsilon(const Subject& subject, const Quad& spread) { return spread + subject.epsilon(); }

std::unique_ptr<Model> Form(const Subject& subject, Centre centre, Centre spread, RadicandOf radicand) {
  AffineFormula formula;
  formula.statistics = [=](const Subject& s, std::size_t row, std::size_t) {
    return std::optional(OfFormula(s.Row(row), centre, spread, [&s, radicand](const Quad& v) { return radicand(s, v); }));
  };
  return std::make_unique<AffineModel>(subject, std::move(formula));
}

template <typename... Models>
Forms ListOf(Models... models) {
  Forms forms;
  (forms.push_back(std::move(models)), ...);
  return forms;
}

Quad WithoutOneDegree(const Subject& subject, const Quad& spread) {
  const double width = static_cast<double>(subject.width());
  return spread * width / (width - 1) + subject.epsilon();
}

// A row of one is 0/0.
Forms DivisorHMinus1(const Subject& subject) {
  const Centre centre = subject.centre();
  if (subject.width() < 2) return {};
  return ListOf(Form(subject, centre, centre, WithoutOneDegree));
}

// RMSNorm for LayerNorm, or the mean forgotten in one of its two places.
Forms NoCentring(const Subject& subject) {
  if (!subject.centred()) return {};
  return ListOf(Form(subject, Centre::kZero, Centre::kZero, PlusEpsilon), Form(subject, Centre::kZero, Centre::kMean, PlusEpsilon),
                Form(subject, Centre::kMean, Centre::kZero, PlusEpsilon));
}

Forms CentringInRms(const Subject& subject) {
  if (subject.centred()) return {};
  return ListOf(Form(subject, Centre::kMean, Centre::kMean, PlusEpsilon), Form(subject, Centre::kMean, Centre::kZero, PlusEpsilon),
                Form(subject, Centre::kZero, Centre::kMean, PlusEpsilon));
}

// Divided by (var + epsilon)^2.
Quad Fourth(const Subject& subject, const Quad& spread) {
  const Quad v = spread + subject.epsilon();
  const Quad square = v * v;
  return square * square;
}

// Divided by var + epsilon.
Quad Square(const Subject& subject, const Quad& spread) {
  const Quad v = spread + subject.epsilon();
  return v * v;
}

template <RadicandOf radicand>
Forms WithExponent(const Subject& subject) {
  const Centre centre = subject.centre();
  return ListOf(Form(subject, centre, centre, radicand));
}

}  // namespace

std::vector<Hypothesis> DefinitionHypotheses() {
  return {
      {"divisor-h-minus-1", "The sum of squares is divided by H - 1 instead of H.", DivisorHMinus1},
      {"no-centring", "The mean is not subtracted.", NoCentring},
      {"centring-in-rms", "The mean is subtracted where RMSNorm has none.", CentringInRms},
      {"exponent-two", "The exponent 2 stands in the place of 1/2: divided by (var + epsilon)^2.", WithExponent<Fourth>},
      {"missing-root", "The root is left out: divided by var + epsilon.", WithExponent<Square>},
  };
}

}  // namespace normcheck::reference::diagnosis

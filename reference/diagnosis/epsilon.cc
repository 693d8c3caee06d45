// Mistakes in epsilon: where it stands, and which number it is.
#include <string_view>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"
#include "reference/number.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

Centre CentreOf(const Subject& subject) { return subject.centre(); }

// The definition's row statistics with another radicand.
AffineFormula WithRadicand(std::function<Radicand(const Subject&, std::size_t row)> radicand) {
  AffineFormula formula;
  formula.statistics = [radicand = std::move(radicand)](const Subject& s, std::size_t row, std::size_t) {
    return std::optional(OfFormula(s.Row(row), CentreOf(s), CentreOf(s), radicand(s, row)));
  };
  return formula;
}

// Another number in epsilon's place, by row; none where it is the right one on every row.
using Replacement = double (*)(const Subject&, std::size_t row);

template <Replacement replacement>
Forms Replaced(const Subject& subject) {
  bool differs = false;
  for (std::size_t row = 0; row < subject.rows(); ++row)
    differs = differs || (subject.Finite(row) && replacement(subject, row) != subject.epsilon());
  if (!differs) return {};
  return OneForm(subject, WithRadicand([](const Subject& s, std::size_t row) -> Radicand {
                   return [epsilon = replacement(s, row)](const Quad& spread) { return Quad(spread + epsilon); };
                 }));
}

// 1/(sqrt(spread) + epsilon).
Forms AfterRoot(const Subject& subject) {
  if (subject.epsilon() == 0) return {};
  return OneForm(subject, WithRadicand([](const Subject& s, std::size_t) -> Radicand {
                   return [epsilon = s.epsilon()](const Quad& spread) {
                     const Quad root = sqrt(spread) + epsilon;
                     return Quad(root * root);
                   };
                 }));
}

double Missing(const Subject&, std::size_t) { return 0; }

template <Format format>
double Rounded(const Subject& subject, std::size_t) {
  return ValueOf(BitsOf(subject.epsilon(), format), format);
}

double Clamped(const Subject& subject, std::size_t) { return subject.epsilon() < 1e-5 ? 1e-5 : subject.epsilon(); }

template <int exponent>
double Fixed(const Subject&, std::size_t) {
  return exponent == 3 ? 1e-3 : exponent == 5 ? 1e-5 : exponent == 6 ? 1e-6 : 1e-12;
}

double TimesMaxSquare(const Subject& subject, std::size_t row) {
  return subject.epsilon() * subject.Row(row).max_abs() * subject.Row(row).max_abs();
}

double PerElement(const Subject& subject, std::size_t) { return subject.epsilon() * static_cast<double>(subject.width()); }

double DividedByWidth(const Subject& subject, std::size_t) { return subject.epsilon() / static_cast<double>(subject.width()); }

}  // namespace

std::vector<Hypothesis> EpsilonHypotheses() {
  return {
      {"eps-after-root", "Epsilon is added to the standard deviation instead of the variance.", AfterRoot},
      {"eps-missing", "Epsilon is left out.", Replaced<Missing>},
      {"eps-in-f16", "Epsilon is rounded to f16.", Replaced<Rounded<Format::kF16>>},
      {"eps-in-bf16", "Epsilon is rounded to bf16.", Replaced<Rounded<Format::kBf16>>},
      {"eps-clamped-to-1e-5", "An epsilon below 1e-5 is raised to 1e-5.", Replaced<Clamped>},
      {"eps-fixed-1e-3", "Epsilon is always 1e-3.", Replaced<Fixed<3>>},
      {"eps-fixed-1e-5", "Epsilon is always 1e-5.", Replaced<Fixed<5>>},
      {"eps-fixed-1e-6", "Epsilon is always 1e-6.", Replaced<Fixed<6>>},
      {"eps-fixed-1e-12", "Epsilon is always 1e-12.", Replaced<Fixed<12>>},
      {"eps-times-max-square", "Epsilon is multiplied by max|x|^2.", Replaced<TimesMaxSquare>},
      {"eps-per-element", "Epsilon is counted once for every element: H*epsilon.", Replaced<PerElement>},
      {"eps-divided-by-h", "Epsilon is added before the division by H: epsilon/H.", Replaced<DividedByWidth>},
  };
}

}  // namespace normcheck::reference::diagnosis

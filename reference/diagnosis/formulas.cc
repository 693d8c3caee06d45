// Hypotheses of the mistakes that a formula can say: their texts in 113 bits.
#include <utility>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"
#include "reference/operations/affine_norm/mistakes.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

template <typename T>
RowFigures<T> FiguresOf(const Subject& subject, std::size_t row, const Quad& spread) {
  const Group& group = subject.Row(row);
  return {static_cast<T>(spread), static_cast<T>(subject.epsilon()), static_cast<T>(group.width()),
          static_cast<T>(group.max_abs())};
}

// What stands in epsilon's place never looks at the spread.
double EpsilonIn(const Mistake& mistake, const Subject& subject, std::size_t row) {
  if (mistake.epsilon == nullptr) return subject.epsilon();
  return mistake.epsilon(FiguresOf<double>(subject, row, 0));
}

// 1/inv_root^2 of a row.
Radicand RadicandOf(const Mistake& mistake, const Subject& subject, std::size_t row) {
  if (!mistake.divisor.in_quad) {
    return [epsilon = EpsilonIn(mistake, subject, row)](const Quad& spread) { return Quad(spread + epsilon); };
  }
  return [&mistake, &subject, row](const Quad& spread) {
    const Quad divisor = mistake.divisor.in_quad(FiguresOf<Quad>(subject, row, spread));
    return Quad(divisor * divisor);
  };
}

AffineFormula FormulaOf(const Mistake& mistake, const Centres& centres) {
  AffineFormula formula;
  formula.statistics = [&mistake, centres](const Subject& subject, std::size_t row, std::size_t) {
    return std::optional(
        OfFormula(subject.Row(row), centres.subtracted, centres.spread, RadicandOf(mistake, subject, row)));
  };
  if (!mistake.affine.in_quad) return formula;
  formula.parameters = [&mistake](double gamma, double beta) {
    const AffinePair<Quad> taken = mistake.affine.in_quad({gamma, beta});
    return Parameters{taken.gamma, taken.beta};
  };
  return formula;
}

bool HasParameters(const Subject& subject, Needs needs) {
  const bool gamma = needs == Needs::kGamma || needs == Needs::kBoth;
  const bool beta = needs == Needs::kBeta || needs == Needs::kBoth;
  return (!gamma || subject.has_gamma()) && (!beta || subject.has_beta());
}

// False where the number in epsilon's place is the right one on every row.
bool EpsilonDiffers(const Mistake& mistake, const Subject& subject) {
  if (mistake.epsilon == nullptr) return true;
  for (std::size_t row = 0; row < subject.rows(); ++row)
    if (subject.Finite(row) && EpsilonIn(mistake, subject, row) != subject.epsilon()) return true;
  return false;
}

bool CanShow(const Mistake& mistake, const Subject& subject) {
  return AppliesTo(mistake, OperationOf(subject.op())) && HasParameters(subject, mistake.needs) &&
         subject.width() >= mistake.min_width && (!mistake.needs_epsilon || subject.epsilon() != 0) &&
         EpsilonDiffers(mistake, subject);
}

Forms FormsOf(const Mistake& mistake, const Subject& subject) {
  Forms forms;
  if (!CanShow(mistake, subject)) return forms;
  const Centres own[] = {{subject.centre(), subject.centre()}};
  for (const Centres& centres : mistake.centres.empty() ? std::span<const Centres>(own) : mistake.centres)
    forms.push_back(std::make_unique<AffineModel>(subject, FormulaOf(mistake, centres)));
  return forms;
}

std::vector<Hypothesis> HypothesesOf(const std::vector<Mistake>& mistakes) {
  std::vector<Hypothesis> hypotheses;
  for (const Mistake& mistake : mistakes)
    hypotheses.push_back({mistake.id, mistake.text, [&mistake](const Subject& s) { return FormsOf(mistake, s); }});
  return hypotheses;
}

}  // namespace

std::vector<Hypothesis> EpsilonHypotheses() { return HypothesesOf(affine_norm::EpsilonMistakes()); }
std::vector<Hypothesis> DefinitionHypotheses() { return HypothesesOf(affine_norm::DefinitionMistakes()); }
std::vector<Hypothesis> ParameterHypotheses() { return HypothesesOf(affine_norm::ParameterMistakes()); }

}  // namespace normcheck::reference::diagnosis

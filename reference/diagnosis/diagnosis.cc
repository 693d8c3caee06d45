// Tries every hypothesis on a case.
#include "reference/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/comparison.h"
#include "reference/diagnosis/families.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::reference {
namespace {

using diagnosis::Comparison;
using diagnosis::GradeSet;
using diagnosis::Hypotheses;
using diagnosis::Hypothesis;
using diagnosis::Model;
using diagnosis::Subject;
using diagnosis::Unbounded;
using diagnosis::WrongOutput;

// What the outputs leave open: the grades at which the definition does not explain them, 
struct Question {
  Question(const Subject& asked, std::span<const Bits> outputs) : subject(asked), got(outputs) {
    const auto definition = diagnosis::Definition(subject);
    grades = diagnosis::kAllGrades & ~Compare(*definition, subject, got, diagnosis::kAllGrades, Unbounded::kWithin).within;
  }

  const Subject& subject;
  std::span<const Bits> got;
  GradeSet grades = 0;
};

// A form counts where it explains: at a grade at which the case can tell it from the definition the outputs lie within its
// bound. One whose value is the definition's own removes nothing of the error.
bool Counts(Model& form, const Comparison& found, const Question& question) {
  if (found.within == 0) return false;
  const auto definition = diagnosis::Definition(question.subject);
  return (found.within & Telling(form, *definition, question.subject)) != 0;
}

// The distance of the nearest form within its bound.
std::optional<double> NearestForm(const Hypothesis& hypothesis, const Question& question) {
  std::optional<double> nearest;
  for (const auto& form : hypothesis.forms(question.subject)) {
    const Comparison found = Compare(*form, question.subject, question.got, question.grades, Unbounded::kBeyond);
    if (Counts(*form, found, question) && (!nearest || found.distance < *nearest)) nearest = found.distance;
  }
  return nearest;
}

Bits RoundedOnce(const WrongOutput& wrong, Format format) {
  switch (wrong.kind) {
    case WrongOutput::Kind::kUnwritten: return PoisonBits(format);
    case WrongOutput::Kind::kNotFinite: return CanonicalNan(format);
    case WrongOutput::Kind::kNumber: break;
  }
  return BitsOf(static_cast<double>(wrong.value), format);
}

std::vector<Bits> OutputsOf(Model& model, const Subject& subject) {
  std::vector<Bits> y(subject.rows() * subject.width(), CanonicalNan(subject.format()));
  for (std::size_t row = 0; row < subject.rows(); ++row) {
    if (!Scored(subject, row) || !model.Enter(row)) continue;
    for (std::size_t i = 0; i < subject.width(); ++i)
      if (Scored(subject, row, i)) y[row * subject.width() + i] = RoundedOnce(model.Of(i), subject.format());
  }
  return y;
}

}  // namespace

std::vector<HypothesisName> HypothesisNames() {
  std::vector<HypothesisName> names;
  for (const Hypothesis& hypothesis : Hypotheses()) names.push_back({hypothesis.id, hypothesis.text});
  return names;
}

std::vector<Diagnosis> Diagnose(const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon) {
  const Subject subject(c, epsilon, contract, Subnormals::kKept);
  const Question question(subject, got);
  std::vector<Diagnosis> found;
  if (question.grades == 0) return found;
  for (const Hypothesis& hypothesis : Hypotheses())
    if (const auto distance = NearestForm(hypothesis, question))
      found.push_back({std::string(hypothesis.id), std::string(hypothesis.text), *distance});
  std::ranges::stable_sort(found, {}, &Diagnosis::distance_ulp);
  return found;
}

bool Explains(std::string_view id, const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon) {
  const Subject subject(c, epsilon, contract, Subnormals::kKept);
  const auto found = std::ranges::find(Hypotheses(), id, &Hypothesis::id);
  return found != Hypotheses().end() && NearestForm(*found, Question(subject, got)).has_value();
}

std::vector<Bits> WrongOutputs(std::string_view id, const Case& c) {
  const Subject subject(c, c.epsilon, {norm::ContractKind::kCorrectlyRounded, 0}, Subnormals::kKept);
  const auto found = std::ranges::find(Hypotheses(), id, &Hypothesis::id);
  if (found == Hypotheses().end()) return {};
  const auto forms = found->forms(subject);
  return forms.empty() ? std::vector<Bits>{} : OutputsOf(*forms.front(), subject);
}

}  // namespace normcheck::reference

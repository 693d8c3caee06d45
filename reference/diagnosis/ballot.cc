// Votes of a case, form by form.
#include "reference/diagnosis/ballot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/comparison.h"
#include "reference/diagnosis/families.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::reference::diagnosis {
namespace {

struct Polled {
  Polled(const Subject& asked, std::span<const Bits> outputs)
      : subject(asked), got(outputs), definition(Definition(asked)) {
    sound = Compare(*definition, subject, got, kAllGrades, Unbounded::kWithin).within;
  }
  const Subject& subject;
  std::span<const Bits> got;
  std::unique_ptr<Model> definition;
  GradeSet sound = 0;
};

Ballot BallotOf(Model& form, Polled& polled) {
  const GradeSet telling = Telling(form, *polled.definition, polled.subject);
  if (telling == 0) return {};
  const Comparison found = Compare(form, polled.subject, polled.got, kAllGrades, Unbounded::kBeyond);
  if ((found.within & telling & ~polled.sound) != 0) return {Vote::kExplains, found.distance};
  return {telling == kAllGrades && found.within == 0 ? Vote::kExcludes : Vote::kCannotTell, 0};
}

// A mistake is excluded by a case that excludes all of its forms, and explained by its nearest form.
Ballot BallotOf(const Hypothesis& hypothesis, Polled& polled) {
  Ballot ballot;
  std::size_t forms = 0;
  std::size_t excluded = 0;
  for (const auto& form : hypothesis.forms(polled.subject)) {
    const Ballot own = BallotOf(*form, polled);
    ++forms;
    if (own.vote == Vote::kExcludes) ++excluded;
    const bool nearer = ballot.vote != Vote::kExplains || own.distance < ballot.distance;
    if (own.vote == Vote::kExplains && nearer) ballot = own;
  }
  if (ballot.vote == Vote::kCannotTell && forms > 0 && excluded == forms) ballot.vote = Vote::kExcludes;
  return ballot;
}

bool PromisesNothing(Model& definition, std::size_t row) {
  if (!definition.Enter(row)) return true;
  definition.Of(0);
  return !std::isfinite(definition.SlackOf(0, Grade::kContract).above);
}

bool HasClassFault(const Subject& subject, std::size_t row, std::span<const Bits> got) {
  for (std::size_t i = 0; i < subject.width(); ++i) {
    const Bits bits = got[row * subject.width() + i];
    if (!IsFinite(bits, subject.format()) && bits != PoisonBits(subject.format()) && Scored(subject, row, i)) return true;
  }
  return false;
}

}  // namespace

std::vector<Ballot> Ballots(const Subject& subject, std::span<const Bits> got) {
  Polled polled(subject, got);
  std::vector<Ballot> ballots;
  for (const Hypothesis& hypothesis : Hypotheses()) ballots.push_back(BallotOf(hypothesis, polled));
  return ballots;
}

std::vector<bool> Fits(const Subject& subject, std::span<const Bits> got) {
  const Polled polled(subject, got);
  std::vector<bool> fits;
  for (const Hypothesis& hypothesis : Hypotheses()) {
    const auto forms = hypothesis.forms(subject);
    fits.push_back(std::ranges::any_of(forms, [&](const auto& form) {
      return !form->BoundAlone() &&
             Compare(*form, subject, got, kAllGrades & ~polled.sound, Unbounded::kBeyond).within != 0;
    }));
  }
  return fits;
}

Subject AskedOf(const Case& c, std::span<const Bits> got, const Contract& contract, double epsilon, ClassFaults faults) {
  Subject subject(c, epsilon, contract, Subnormals::kKept);
  const auto definition = Definition(subject);
  for (std::size_t row = 0; row < subject.rows(); ++row)
    if (Scored(subject, row) && (PromisesNothing(*definition, row) ||
                                 (faults == ClassFaults::kSkipped && HasClassFault(subject, row, got))))
      subject.Skip(row);
  return subject;
}

}  // namespace normcheck::reference::diagnosis

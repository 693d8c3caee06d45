// Element by element, grade by grade.
#include "reference/diagnosis/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/diagnosis/statistics_taken.h"
#include "reference/exact_rounding.h"
#include "reference/number.h"
#include "reference/outputs.h"

namespace normcheck::reference::diagnosis {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

// The roots that explain every output of a row seen so far, less the model's own.
struct Fit {
  double low = 0;
  double high = 0;
  bool nan_possible = false;
  bool nan_seen = false;
  bool number_seen = false;

  // |error - slope*delta| within the slack.
  bool Take(double error, double slope, const Slack& slack) {
    number_seen = true;
    if (nan_seen) return false;
    if (slope == 0) return error <= slack.above && error >= -slack.below;
    const double a = (error - slack.above) / slope;
    const double b = (error + slack.below) / slope;
    low = std::max(low, std::min(a, b));
    high = std::min(high, std::max(a, b));
    return low <= high;
  }

  bool TakeNan() {
    nan_seen = true;
    return nan_possible && !number_seen;
  }
};

class Comparer {
 public:
  Comparer(Model& model, const Subject& subject, Unbounded unbounded) : model_(model), subject_(subject), unbounded_(unbounded) {}

  bool EnterRow(std::size_t row, GradeSet alive) {
    if (!model_.Enter(row)) return false;
    const TakenStatistics definition = OfDefinition(subject_.Row(row), subject_.centre(), subject_.epsilon());
    inv_root_ = static_cast<double>(definition.inv_root);
    centre_ = static_cast<double>(definition.centre);
    max_t_ = 0;
    for (const double x : subject_.Row(row).values()) max_t_ = std::max(max_t_, std::abs(x - centre_) * inv_root_);
    const std::optional<RootRange> open = alive == 0 ? std::nullopt : model_.Open();
    open_ = open.has_value();
    if (open_) fits_.fill({-open->below, open->above, open->nan});
    return true;
  }

  GradeSet Element(std::size_t i, Bits got, GradeSet alive, double& distance) {
    const WrongOutput wrong = model_.Of(i);
    const Format format = subject_.format();
    if (got == PoisonBits(format) || wrong.kind == WrongOutput::Kind::kUnwritten)
      return got == PoisonBits(format) && wrong.kind == WrongOutput::Kind::kUnwritten ? alive : 0;
    if (wrong.kind == WrongOutput::Kind::kNotFinite) return IsFinite(got, format) ? 0 : alive;
    if (IsNan(got, format)) return Nan(alive);
    const double cap = std::ldexp(1.0, norm::TraitsOf(format).emax + 1);
    const Quad value = std::clamp(wrong.value, Quad(-cap), Quad(cap));
    const double error = static_cast<double>(Quad(ExtendedSignedValue(got, format) - value));
    distance = std::max(distance, std::abs(error) / RowUlp(i));
    return Within(i, error, static_cast<double>(wrong.slope), alive);
  }

 private:
  GradeSet Nan(GradeSet alive) {
    GradeSet within = 0;
    for (const Grade grade : kGrades)
      if (open_ && (alive & Only(grade)) && fits_[static_cast<std::size_t>(grade)].TakeNan()) within |= Only(grade);
    return within;
  }

  GradeSet Within(std::size_t i, double error, double slope, GradeSet alive) {
    GradeSet within = 0;
    for (const Grade grade : kGrades)
      if ((alive & Only(grade)) && IsWithin(error, slope, model_.SlackOf(i, grade), fits_[static_cast<std::size_t>(grade)]))
        within |= Only(grade);
    return within;
  }

  bool IsWithin(double error, double slope, const Slack& slack, Fit& fit) const {
    if (!(slack.below < kUnreached && slack.above < kUnreached)) return unbounded_ == Unbounded::kWithin;
    if (open_) return fit.Take(error, slope, slack);
    return error <= slack.above && error >= -slack.below;
  }

  double RowUlp(std::size_t i) const {
    const double scale = std::abs(subject_.gamma(i)) * max_t_ + std::abs(subject_.beta(i));
    const double limit = ValueOf(MaxFinite(subject_.format(), false), subject_.format());
    return std::ldexp(1.0, UlpExponent(std::min(scale, limit), subject_.format()));
  }

  Model& model_;
  const Subject& subject_;
  Unbounded unbounded_;
  double inv_root_ = 1;
  double centre_ = 0;
  double max_t_ = 0;
  bool open_ = false;
  std::array<Fit, kGradeCount> fits_{};
};

}  // namespace

bool Scored(const Subject& subject, std::size_t row) {
  if (!subject.Finite(row) || subject.Skipped(row)) return false;
  const Group& group = subject.Row(row);
  return (subject.centred() ? group.var() : group.mean_square()) + subject.epsilon() > 0;
}

bool Scored(const Subject& subject, std::size_t row, std::size_t i) {
  return Scored(subject, row) && std::isfinite(subject.gamma(i)) && std::isfinite(subject.beta(i));
}

Comparison Compare(Model& model, const Subject& subject, std::span<const Bits> got, GradeSet grades, Unbounded unbounded) {
  Comparer comparer(model, subject, unbounded);
  GradeSet alive = grades;
  double distance = 0;
  bool compared = false;
  for (std::size_t row = 0; row < subject.rows(); ++row) {
    if (!Scored(subject, row)) continue;
    if (!comparer.EnterRow(row, alive)) return {};
    for (std::size_t i = 0; i < subject.width() && alive != 0; ++i) {
      if (!std::isfinite(subject.gamma(i)) || !std::isfinite(subject.beta(i))) continue;
      compared = true;
      alive = comparer.Element(i, got[row * subject.width() + i], alive, distance);
    }
    if (alive == 0) return {};
  }
  if (!compared) return {};
  return {alive, distance};
}

namespace {

// What a grade cannot hide: four times half an ulp of the value and the slack of the wrong formula.
bool Beyond(double apart, double half_ulp, const Slack& slack, bool rounded) {
  const double bound = std::max(slack.below, slack.above);
  if (rounded) return apart > half_ulp && apart >= 4 * bound;
  return bound < kUnreached && apart >= 4 * (half_ulp + bound);
}

GradeSet TellingAt(Model& model, Model& definition, const Subject& subject, std::size_t i) {
  const WrongOutput wrong = model.Of(i);
  if (wrong.kind == WrongOutput::Kind::kUnwritten) return kAllGrades;
  if (wrong.kind == WrongOutput::Kind::kNotFinite) return 0;
  const Quad right = definition.Of(i).value;
  const double apart = static_cast<double>(abs(Quad(wrong.value - right)));
  if (apart == 0) return 0;
  const double half_ulp = std::ldexp(0.5, UlpExponent(static_cast<double>(abs(right)), subject.format()));
  GradeSet telling = 0;
  for (const Grade grade : kGrades)
    if (Beyond(apart, half_ulp, model.SlackOf(i, grade), model.IsRounded())) telling |= Only(grade);
  return telling;
}

}  // namespace

GradeSet Telling(Model& model, Model& definition, const Subject& subject) {
  GradeSet telling = 0;
  if (model.BoundAlone()) return telling;
  for (std::size_t row = 0; row < subject.rows() && telling != kAllGrades; ++row) {
    if (!Scored(subject, row) || !model.Enter(row) || !definition.Enter(row)) continue;
    for (std::size_t i = 0; i < subject.width() && telling != kAllGrades; ++i)
      if (Scored(subject, row, i)) telling |= TellingAt(model, definition, subject, i);
  }
  return telling;
}

}  // namespace normcheck::reference::diagnosis

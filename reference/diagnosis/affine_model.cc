// Values of affine formulas and their slack.
#include "reference/diagnosis/affine_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "reference/exact_rounding.h"

namespace normcheck::reference::diagnosis {
namespace {

double UlpAt(double magnitude, Format format) {
  return std::ldexp(1.0, std::isfinite(magnitude) ? UlpExponent(magnitude, format) : norm::TraitsOf(format).emax);
}

bool HasValue(const Quad& value) { return value - value == 0; }

}  // namespace

Parameters AsGiven(double gamma, double beta) { return {gamma, beta}; }

std::optional<TakenStatistics> DefinitionOf(const Subject& subject, std::size_t row, std::size_t) {
  return OfDefinition(subject.Row(row), subject.centre(), subject.epsilon());
}

void AffineModel::SetStatistics(std::optional<TakenStatistics> taken) {
  taken_ = std::move(taken);
  bounds_ = {};
}

bool AffineModel::Enter(std::size_t row) {
  row_ = row;
  max_t_.reset();
  const std::size_t from = formula_.source == nullptr ? row : formula_.source(row);
  if (!subject_->Finite(from)) return false;
  x_ = &subject_->Row(from);
  SetStatistics(formula_.statistics(*subject_, row, 0));
  return taken_.has_value();
}

WrongOutput AffineModel::Of(std::size_t i) {
  if (formula_.by_element) SetStatistics(formula_.statistics(*subject_, row_, i));
  if (!HasValue(taken_->inv_root) || !HasValue(taken_->centre)) return {WrongOutput::Kind::kNotFinite};
  parameters_ = formula_.parameters(subject_->gamma(i), subject_->beta(i));
  const Quad deviation = x_->values()[i] - taken_->centre;
  t_ = deviation * taken_->inv_root;
  y_ = parameters_.gamma * t_ + parameters_.beta;
  return {WrongOutput::Kind::kNumber, y_, Quad(parameters_.gamma * deviation)};
}

norm::Profile AffineModel::ProfileFor(Grade grade) const {
  return grade == Grade::kContract ? subject_->contract().profile : ProfileOf(grade);
}

const RowBound& AffineModel::BoundOf(Grade grade) {
  std::optional<RowBound>& bound = bounds_[static_cast<std::size_t>(grade)];
  if (!bound) bound = BoundAround(*taken_, ProfileFor(grade), subject_->format());
  return *bound;
}

double AffineModel::ProfileSlack(std::size_t i, Grade grade) {
  const auto in_double = [](const Quad& value) { return static_cast<double>(value); };
  return Promised(BoundOf(grade), {x_->values()[i], in_double(t_), in_double(parameters_.gamma), in_double(parameters_.beta), in_double(y_)});
}

double AffineModel::ErrorBeforeRounding(std::size_t i, Grade grade, const Quad& gamma, const Quad& beta) {
  RowBound bound = BoundOf(grade);
  bound.y = Format::kF32;
  const double y = static_cast<double>(Quad(gamma * t_ + beta));
  const double slack = Promised(bound, {x_->values()[i], static_cast<double>(t_), static_cast<double>(gamma), static_cast<double>(beta), y});
  // Promised counts the rounding of an f64 result to f32: half an ulp, known exactly; 2^-38 covers its own excess.
  const double last = bound.elements.precision > 24 ? UlpAt(std::abs(y), Format::kF32) / 2 : 0;
  return std::max(0.0, slack - last) + 0x1p-38 * last;
}

double AffineModel::MaxT() {
  if (max_t_) return *max_t_;
  double largest = 0;
  for (std::size_t i = 0; i < subject_->width(); ++i) {
    const std::optional<TakenStatistics> own = formula_.by_element ? formula_.statistics(*subject_, row_, i) : std::nullopt;
    const TakenStatistics& taken = own ? *own : *taken_;
    largest = std::max(largest, std::abs(x_->values()[i] - static_cast<double>(taken.centre)) * static_cast<double>(taken.inv_root));
  }
  max_t_ = largest;
  return largest;
}

double AffineModel::RowUlp(std::size_t) {
  const double gamma = std::abs(static_cast<double>(parameters_.gamma));
  return UlpAt(gamma * MaxT() + std::abs(static_cast<double>(parameters_.beta)), subject_->format());
}

double AffineModel::ContractSlack(std::size_t i) {
  const Contract& contract = subject_->contract();
  const double ulp = UlpAt(std::abs(static_cast<double>(y_)), subject_->format());
  switch (contract.kind) {
    case norm::ContractKind::kCorrectlyRounded: return ulp / 2;
    case norm::ContractKind::kUlp: return contract.k * ulp;
    case norm::ContractKind::kRowUlp: return contract.k * RowUlp(i);
    case norm::ContractKind::kProfile: break;
  }
  return ProfileSlack(i, Grade::kContract);
}

Slack AffineModel::SlackOf(std::size_t i, Grade grade) {
  double slack = grade == Grade::kContract ? ContractSlack(i) : ProfileSlack(i, grade);
  if (grade == Grade::kContract && subject_->contract().flush_to_zero)
    slack += std::ldexp(1.0, norm::TraitsOf(subject_->format()).emin);
  return {slack, slack};
}

std::unique_ptr<Model> Definition(const Subject& subject) { return std::make_unique<AffineModel>(subject, AffineFormula{}); }

std::vector<std::unique_ptr<Model>> OneForm(const Subject& subject, AffineFormula formula) {
  std::vector<std::unique_ptr<Model>> forms;
  forms.push_back(std::make_unique<AffineModel>(subject, std::move(formula)));
  return forms;
}

}  // namespace normcheck::reference::diagnosis

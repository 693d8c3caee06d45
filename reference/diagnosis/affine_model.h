// AffineModel: gamma*(x - centre)*inv_root + beta with statistics and parameters of any formula.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "reference/diagnosis/statistics_taken.h"
#include "reference/diagnosis/subject.h"

namespace normcheck::reference::diagnosis {

struct Parameters {
  Quad gamma = 1;
  Quad beta = 0;
};
using ParametersTaken = std::function<Parameters(double gamma, double beta)>;

Parameters AsGiven(double gamma, double beta);

// Statistics of row `row` (and column `i` where they differ by element); nothing: the model says nothing of the row.
using StatisticsTaken = std::function<std::optional<TakenStatistics>(const Subject& subject, std::size_t row, std::size_t i)>;

std::optional<TakenStatistics> DefinitionOf(const Subject& subject, std::size_t row, std::size_t i);

struct AffineFormula {
  StatisticsTaken statistics = DefinitionOf;
  ParametersTaken parameters = AsGiven;
  bool by_element = false;                              // statistics depend on i
  std::size_t (*source)(std::size_t row) = nullptr;     // the row whose x is read; null: the same
};

class AffineModel : public Model {
 public:
  AffineModel(const Subject& subject, AffineFormula formula) : subject_(&subject), formula_(std::move(formula)) {}
  bool Enter(std::size_t row) override;
  WrongOutput Of(std::size_t i) override;
  Slack SlackOf(std::size_t i, Grade grade) override;

 protected:
  const Subject& subject() const { return *subject_; }
  const TakenStatistics& taken() const { return *taken_; }
  const Group& x() const { return *x_; }
  const Quad& t() const { return t_; }
  const Quad& y() const { return y_; }
  const Parameters& parameters() const { return parameters_; }
  // The profile by which a grade is bounded; models of other arithmetic give other ones.
  virtual norm::Profile ProfileFor(Grade grade) const;
  // Of the output, its last rounding included, as Promised of profile_bounds.h.
  double ProfileSlack(std::size_t i, Grade grade);
  // The same of gamma*t + beta before the rounding to y's format; of t alone with gamma 1 and beta 0.
  double ErrorBeforeRounding(std::size_t i, Grade grade, const Quad& gamma, const Quad& beta);
  double ContractSlack(std::size_t i);
  double RowUlp(std::size_t i);  // of this formula's own row

 private:
  const RowBound& BoundOf(Grade grade);
  void SetStatistics(std::optional<TakenStatistics> taken);
  double MaxT();

  const Subject* subject_;
  AffineFormula formula_;
  std::size_t row_ = 0;
  const Group* x_ = nullptr;
  std::optional<TakenStatistics> taken_;
  std::array<std::optional<RowBound>, kGradeCount> bounds_;
  std::optional<double> max_t_;
  Parameters parameters_;
  Quad t_;
  Quad y_;
};

// The definition itself.
std::unique_ptr<Model> Definition(const Subject& subject);

// A list of one form.
std::vector<std::unique_ptr<Model>> OneForm(const Subject& subject, AffineFormula formula);

}  // namespace normcheck::reference::diagnosis

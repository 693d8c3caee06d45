// Mistakes in rounding the output: towards zero, subnormals to zero, once too often.
#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"
#include "reference/diagnosis/last_steps.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

// Slack that reaches from `middle` to everything that monotone `rounded` makes of [low, high].
template <typename Rounded>
Slack ReachOf(const Quad& middle, const Quad& low, const Quad& high, Rounded rounded) {
  return {static_cast<double>(Quad(middle - rounded(low))), static_cast<double>(Quad(rounded(high) - middle))};
}

class Truncated final : public AffineModel {
 public:
  explicit Truncated(const Subject& subject) : AffineModel(subject, {}) {}
  bool IsRounded() const override { return true; }
  WrongOutput Of(std::size_t i) override {
    WrongOutput output = AffineModel::Of(i);
    output.value = value_ = TowardsZero(y(), subject().format());
    return output;
  }
  Slack SlackOf(std::size_t i, Grade grade) override {
    const double error = grade == Grade::kContract ? 0 : ErrorBeforeRounding(i, grade, parameters().gamma, parameters().beta);
    return ReachOf(value_, y() - error, y() + error, [&](const Quad& v) { return TowardsZero(v, subject().format()); });
  }

 private:
  Quad value_;
};

// Results below the smallest normal number are zero.
class Flushed final : public AffineModel {
 public:
  explicit Flushed(const Subject& subject) : AffineModel(subject, {}) {}
  WrongOutput Of(std::size_t i) override {
    WrongOutput output = AffineModel::Of(i);
    output.value = value_ = Rounded(y());
    return output;
  }
  Slack SlackOf(std::size_t i, Grade grade) override {
    const Slack slack = AffineModel::SlackOf(i, grade);
    const bool near_limit = abs(Quad(abs(y()) - Limit())) <= slack.above;
    if (near_limit) return {static_cast<double>(abs(y())) + slack.below, static_cast<double>(abs(y())) + slack.above};
    return abs(y()) < Limit() ? Slack{} : slack;
  }

 private:
  Quad Limit() const { return std::ldexp(1.0, norm::TraitsOf(subject().format()).emin); }
  Quad Rounded(const Quad& value) const { return abs(value) < Limit() ? Quad(0) : value; }

  Quad value_;
};

// The same with subnormal inputs read as zeros.
class FlushedInputs final : public Model {
 public:
  explicit FlushedInputs(const Subject& subject)
      : inputs_(subject.source(), subject.epsilon(), subject.contract(), Subnormals::kFlushed), flushed_(inputs_) {}
  bool Enter(std::size_t row) override { return flushed_.Enter(row); }
  WrongOutput Of(std::size_t i) override { return flushed_.Of(i); }
  Slack SlackOf(std::size_t i, Grade grade) override { return flushed_.SlackOf(i, grade); }

 private:
  Subject inputs_;
  Flushed flushed_;
};

// xhat is rounded to a storage format, then multiplied by gamma.
class RoundedXhat final : public AffineModel {
 public:
  RoundedXhat(const Subject& subject, Format format) : AffineModel(subject, {}), format_(format) {}
  WrongOutput Of(std::size_t i) override {
    WrongOutput output = AffineModel::Of(i);
    if (output.kind == WrongOutput::Kind::kNumber) output.value = value_ = Applied(t());
    return output;
  }
  Slack SlackOf(std::size_t i, Grade grade) override {
    const double error = grade == Grade::kContract ? 0 : ErrorBeforeRounding(i, grade, 1, 0);
    const Quad a = Applied(t() - error);
    const Quad b = Applied(t() + error);
    const double product = static_cast<double>(abs(parameters().gamma) * (abs(t()) + error)) * (1 + 0x1p-7);
    const double last = grade == Grade::kContract ? ContractSlack(i) : LastSteps(grade, product, value_, subject().format());
    return {static_cast<double>(Quad(value_ - std::min(a, b))) + last, static_cast<double>(Quad(std::max(a, b) - value_)) + last};
  }

 private:
  Quad Applied(const Quad& t) const { return parameters().gamma * Nearest(t, format_) + parameters().beta; }

  Format format_;
  Quad value_;
};

template <typename Form>
Forms One(const Subject& subject) {
  Forms forms;
  forms.push_back(std::make_unique<Form>(subject));
  return forms;
}

Forms FlushToZero(const Subject& subject) {
  Forms forms = One<Flushed>(subject);
  forms.push_back(std::make_unique<FlushedInputs>(subject));
  return forms;
}

Forms RoundingBeforeGamma(const Subject& subject) {
  Forms forms;
  if (!subject.has_gamma() && !subject.has_beta()) return forms;
  const Format x = subject.source().formats.x;
  forms.push_back(std::make_unique<RoundedXhat>(subject, x));
  if (subject.format() != x) forms.push_back(std::make_unique<RoundedXhat>(subject, subject.format()));
  return forms;
}

}  // namespace

std::vector<Hypothesis> RoundingHypotheses() {
  return {
      {"truncation", "Outputs are truncated instead of rounded to nearest.", One<Truncated>},
      {"flush-to-zero", "Subnormal outputs are flushed to zero.", FlushToZero},
      {"rounding-before-gamma", "The normalised value is rounded to x's format before gamma is applied.", RoundingBeforeGamma},
  };
}

}  // namespace normcheck::reference::diagnosis

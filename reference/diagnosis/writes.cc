// Mistakes in what is written: nothing, part of a row, x, zeros, an earlier row's outputs.
#include <algorithm>
#include <memory>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"
#include "reference/diagnosis/last_steps.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

// Outputs that no statistics enter: factor*x, rounded once.
class CopyModel final : public Model {
 public:
  CopyModel(const Subject& subject, double factor) : subject_(subject), factor_(factor) {}
  bool Enter(std::size_t row) override {
    row_ = row;
    return true;
  }
  WrongOutput Of(std::size_t i) override {
    value_ = subject_.Row(row_).values()[i] * factor_;
    return {WrongOutput::Kind::kNumber, value_};
  }
  Slack SlackOf(std::size_t, Grade) override {
    const double slack = value_ == 0 ? 0 : HalfUlp(value_, subject_.format());
    return {slack, slack};
  }

 private:
  const Subject& subject_;
  double factor_;
  std::size_t row_ = 0;
  Quad value_;
};

// The definition, of which the last elements of every row are not written.
class UnwrittenTail final : public AffineModel {
 public:
  UnwrittenTail(const Subject& subject, std::size_t written) : AffineModel(subject, {}), written_(written) {}
  WrongOutput Of(std::size_t i) override {
    return i < written_ ? AffineModel::Of(i) : WrongOutput{WrongOutput::Kind::kUnwritten};
  }

 private:
  std::size_t written_;
};

Forms One(std::unique_ptr<Model> form) {
  Forms forms;
  forms.push_back(std::move(form));
  return forms;
}

Forms Zeros(const Subject& subject) { return One(std::make_unique<CopyModel>(subject, 0.0)); }
Forms Copies(const Subject& subject) { return One(std::make_unique<CopyModel>(subject, 1.0)); }
Forms Nothing(const Subject& subject) { return One(std::make_unique<UnwrittenTail>(subject, 0)); }

Forms TailUnwritten(const Subject& subject) {
  Forms forms;
  std::vector<std::size_t> counts;
  const std::size_t width = subject.width();
  for (const std::size_t lanes : {4U, 8U, 16U, 32U, 64U, 1024U, 1U}) {
    const std::size_t written = lanes == 1 ? width - 1 : width - width % lanes;
    if (written == 0 || written >= width || std::ranges::count(counts, written) > 0) continue;
    counts.push_back(written);
    forms.push_back(std::make_unique<UnwrittenTail>(subject, written));
  }
  return forms;
}

// From one case only its own earlier rows are known: row r gets the outputs of row r - 1.
Forms PreviousOutput(const Subject& subject) {
  if (subject.rows() < 2) return {};
  AffineFormula formula;
  formula.source = [](std::size_t row) { return row == 0 ? 0 : row - 1; };
  formula.statistics = [](const Subject& s, std::size_t row, std::size_t i) { return DefinitionOf(s, row == 0 ? 0 : row - 1, i); };
  return OneForm(subject, std::move(formula));
}

}  // namespace

std::vector<Hypothesis> WriteHypotheses() {
  return {
      {"tail-unwritten", "The last elements of a row are not written.", TailUnwritten},
      {"not-written", "Nothing is written.", Nothing},
      {"previous-output", "A row gets the outputs of the row before it.", PreviousOutput},
      {"writes-zeros", "Every output is zero.", Zeros},
      {"writes-x", "Every output is x.", Copies},
  };
}

}  // namespace normcheck::reference::diagnosis

// Mistakes in how the root and the element are formed: 12-bit reciprocal roots, folded scale and bias.
#include <cmath>
#include <limits>
#include <memory>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"
#include "reference/diagnosis/last_steps.h"
#include "reference/number.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Relative error of the processors' 12-bit reciprocal root as their manuals state it, and after one Newton step
// r(3/2 - v r^2/2) in f32: 3/2 e^2 + e^3/2 and 3.5 roundings.
constexpr double kRootError = 1.5 * 0x1p-12;
constexpr double kNewtonError = 1.5 * kRootError * kRootError * (1 + kRootError) + 4 * 0x1p-24;

// The nearest number of 12 significant bits.
double TwelveBits(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 12)), exponent - 12);
}

double TwelveBitRoot(double radicand) { return TwelveBits(1 / std::sqrt(radicand)); }

double NewtonRoot(double radicand) {
  const float v = static_cast<float>(radicand);
  const float r = static_cast<float>(TwelveBitRoot(static_cast<double>(v)));
  return static_cast<double>(r * (1.5F - 0.5F * v * r * r));
}

using RootOf = double (*)(double radicand);

std::unique_ptr<Model> EmulatedRoot(const Subject& subject, RootOf root) {
  AffineFormula formula;
  formula.statistics = [root](const Subject& s, std::size_t row, std::size_t i) {
    const TakenStatistics exact = *DefinitionOf(s, row, i);
    const Quad radicand = (s.centred() ? s.Row(row).var() : s.Row(row).mean_square()) + s.epsilon();
    return std::optional(Emulated(exact.centre, root(static_cast<double>(radicand)), s.width()));
  };
  return std::make_unique<AffineModel>(subject, std::move(formula));
}

// Any table: one root a row, within the relative error.
class ApproximateRoot final : public AffineModel {
 public:
  ApproximateRoot(const Subject& subject, double error) : AffineModel(subject, {}), error_(error) {}
  bool BoundAlone() const override { return true; }
  std::optional<RootRange> Open() override {
    const double reach = static_cast<double>(taken().inv_root) * error_;
    return RootRange{reach, reach, false};
  }

 private:
  double error_;
};

Forms ApproximateRoots(const Subject& subject, RootOf root, double error) {
  Forms forms;
  forms.push_back(EmulatedRoot(subject, root));
  forms.push_back(std::make_unique<ApproximateRoot>(subject, error));
  return forms;
}

Forms Rsqrt(const Subject& subject) { return ApproximateRoots(subject, TwelveBitRoot, kRootError); }
Forms RsqrtNewton(const Subject& subject) { return ApproximateRoots(subject, NewtonRoot, kNewtonError); }

// gamma*x*inv_root + (beta - gamma*mean*inv_root), both coefficients rounded to f32.
class FoldedEmulation final : public AffineModel {
 public:
  explicit FoldedEmulation(const Subject& subject) : AffineModel(subject, {}) {}
  WrongOutput Of(std::size_t i) override {
    const WrongOutput exact = AffineModel::Of(i);
    if (exact.kind != WrongOutput::Kind::kNumber) return exact;
    const Quad slope = parameters().gamma * taken().inv_root;
    const Quad scale = Nearest(slope, Format::kF32);
    product_ = scale * x().values()[i];
    value_ = product_ + Nearest(Quad(parameters().beta - taken().centre * slope), Format::kF32);
    return {WrongOutput::Kind::kNumber, value_};
  }
  Slack SlackOf(std::size_t i, Grade grade) override {
    const double slack = grade == Grade::kContract
                             ? ContractSlack(i)
                             : LastSteps(grade, std::abs(static_cast<double>(product_)), value_, subject().format());
    return {slack, slack};
  }

 private:
  Quad product_;
  Quad value_;
};

// Any order of the same operations: the scale-bias profiles. Only their f32 elements differ from the definition's.
class FoldedProfile final : public AffineModel {
 public:
  explicit FoldedProfile(const Subject& subject) : AffineModel(subject, {}) {}
  bool BoundAlone() const override { return true; }
  Slack SlackOf(std::size_t i, Grade grade) override {
    if (grade == Grade::kContract || grade == Grade::kF64) return {kInfinity, kInfinity};
    return AffineModel::SlackOf(i, grade);
  }

 private:
  norm::Profile ProfileFor(Grade grade) const override {
    norm::Profile profile = ProfileOf(grade);
    profile.form = norm::Form::kScaleBias;
    return profile;
  }
};

Forms Folded(const Subject& subject) {
  Forms forms;
  if (!subject.centred()) return forms;
  forms.push_back(std::make_unique<FoldedEmulation>(subject));
  forms.push_back(std::make_unique<FoldedProfile>(subject));
  return forms;
}

}  // namespace

std::vector<Hypothesis> ApproximationHypotheses() {
  return {
      {"rsqrt-12-bit", "The reciprocal root has 12 bits.", Rsqrt},
      {"rsqrt-12-bit-newton", "The reciprocal root is a 12-bit one with one Newton step in f32.", RsqrtNewton},
      {"folded-scale-bias", "The element is x*scale + bias with the mean folded into an f32 bias.", Folded},
  };
}

}  // namespace normcheck::reference::diagnosis

// Mistakes in the precision of the statistics: emulated where the order of operations decides, bounded where any may be meant.
#include "reference/diagnosis/narrow.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

constexpr std::size_t kLanes[] = {1, 4, 8, 16, 32, 64};

struct FoundStatistics {
  double centre = 0;
  double inv_root = 0;
};
using Emulation = std::function<FoundStatistics(const Subject& subject, const Group& row)>;

void AddForm(Forms& forms, const Subject& subject, Emulation emulation) {
  AffineFormula formula;
  formula.statistics = [emulation = std::move(emulation)](const Subject& s, std::size_t row, std::size_t) {
    const FoundStatistics found = emulation(s, s.Row(row));
    return std::optional(Emulated(found.centre, found.inv_root, s.width()));
  };
  forms.push_back(std::make_unique<AffineModel>(subject, std::move(formula)));
}

double InvRoot(double radicand) { return 1 / std::sqrt(radicand); }

// var = E[x^2] - E[x]^2 with f32 sums in lanes.
Emulation OnePassInLanes(std::size_t lanes) {
  return [lanes](const Subject& s, const Group& row) -> FoundStatistics {
    const float width = static_cast<float>(row.values().size());
    const float mean = SumInLanes(row.values(), lanes, [](float x) { return x; }) / width;
    const float var = SumInLanes(row.values(), lanes, [](float x) { return x * x; }) / width - mean * mean;
    return {static_cast<double>(mean), InvRoot(static_cast<double>(var) + s.epsilon())};
  };
}

// The same in any order: the root lies in the a-priori range of the one-pass kernel, and is one for the whole row.
class OnePassInAnyOrder final : public AffineModel {
 public:
  explicit OnePassInAnyOrder(const Subject& subject) : AffineModel(subject, FormulaOf()) {}

  bool Enter(std::size_t row) override {
    if (!AffineModel::Enter(row)) return false;
    RowMoments moments = x().moments();
    moments.epsilon = moments.kernel_epsilon = subject().epsilon();
    bound_ = BoundRow(moments, OnePass(), Centre::kMean, Format::kF32);
    return bound_.inv_std_dev > 0;
  }
  bool BoundAlone() const override { return true; }
  // A larger root than this scales the errors of the elements beyond what SlackOf allows for.
  static constexpr double kLargestGrowth = 3;

  std::optional<RootRange> Open() override {
    const double above = std::min(bound_.inv_std_dev_above, kLargestGrowth);
    return RootRange{bound_.inv_std_dev * bound_.inv_std_dev_below, bound_.inv_std_dev * above, std::isinf(bound_.inv_std_dev_above)};
  }
  Slack SlackOf(std::size_t i, Grade grade) override {
    const Slack slack = AffineModel::SlackOf(i, grade);
    const double growth = 1 + std::min(bound_.inv_std_dev_above, kLargestGrowth);
    return {slack.below * growth, slack.above * growth};
  }

 private:
  static norm::Profile OnePass() {
    norm::Profile profile;
    profile.algorithm = norm::Algorithm::kOnePass;
    return profile;
  }
  // The definition with the mean of f32 sums; the root is left to Open.
  static AffineFormula FormulaOf() {
    AffineFormula formula;
    formula.statistics = [](const Subject& s, std::size_t row, std::size_t i) {
      std::optional<TakenStatistics> taken = DefinitionOf(s, row, i);
      const SumErrors sums = ErrorsOfSums(s.Row(row).moments(), OnePass(), Centre::kMean);
      taken->errors = [sums](const norm::Profile&) { return SumErrors{sums.mean, 0, 0, sums.safe}; };
      return taken;
    };
    return formula;
  }

  RowBound bound_;
};

Forms OnePassVariance(const Subject& subject) {
  Forms forms;
  if (!subject.centred()) return forms;
  for (const std::size_t lanes : kLanes) AddForm(forms, subject, OnePassInLanes(lanes));
  forms.push_back(std::make_unique<OnePassInAnyOrder>(subject));
  return forms;
}

double CentreIn(Format format, const Subject& s, const Group& row) {
  if (!s.centred()) return 0;
  const double sum = SumRounded(row.values(), format, [](double x) { return x; });
  return RoundedTo(sum / static_cast<double>(row.values().size()), format);
}

double SpreadIn(Format format, double centre, const Group& row) {
  const double sum = SumRounded(row.values(), format, [&](double x) {
    const double d = RoundedTo(x - centre, format);
    return RoundedTo(d * d, format);
  });
  return RoundedTo(sum / row.moments().count, format);
}

// Sums, mean and variance in the format; the root after them in it or not; or exact statistics, kept in it.
template <Format format>
Forms StatisticsIn(const Subject& subject) {
  Forms forms;
  AddForm(forms, subject, [](const Subject& s, const Group& row) -> FoundStatistics {
    const double centre = CentreIn(format, s, row);
    return {centre, InvRoot(SpreadIn(format, centre, row) + s.epsilon())};
  });
  AddForm(forms, subject, [](const Subject& s, const Group& row) -> FoundStatistics {
    const double centre = CentreIn(format, s, row);
    return {centre, RoundedTo(InvRoot(RoundedTo(SpreadIn(format, centre, row) + s.epsilon(), format)), format)};
  });
  AddForm(forms, subject, [](const Subject& s, const Group& row) -> FoundStatistics {
    const TakenStatistics exact = OfDefinition(row, s.centre(), s.epsilon());
    return {RoundedTo(static_cast<double>(exact.centre), format), RoundedTo(static_cast<double>(exact.inv_root), format)};
  });
  return forms;
}

// Each square rounded to a 16-bit format before it is added.
Emulation SquaresIn(Format format) {
  return [format](const Subject& s, const Group& row) -> FoundStatistics {
    const double centre = s.centred() ? static_cast<double>(row.mean()) : 0;
    double sum = 0;
    for (const double x : row.values()) sum += RoundedTo((x - centre) * (x - centre), format);
    return {centre, InvRoot(sum / row.moments().count + s.epsilon())};
  };
}

Forms SquaresInHalf(const Subject& subject) {
  Forms forms;
  AddForm(forms, subject, SquaresIn(Format::kF16));
  AddForm(forms, subject, SquaresIn(Format::kBf16));
  return forms;
}

// The mean of f32 sums in lanes; everything after it around that mean.
StatisticsTaken MeanInLanes(std::size_t lanes) {
  return [lanes](const Subject& s, std::size_t row, std::size_t) {
    const Group& group = s.Row(row);
    const float sum = SumInLanes(group.values(), lanes, [](float x) { return x; });
    const Quad centre = static_cast<double>(sum / static_cast<float>(group.values().size()));
    const Quad offset = centre - group.mean();
    const Quad inv_root = 1 / sqrt(Quad(group.var() + offset * offset + s.epsilon()));
    return std::optional(Emulated(centre, inv_root, group.values().size()));
  };
}

// An offset is large where it exceeds the deviation.
bool HasOffset(const Subject& subject) {
  for (std::size_t row = 0; row < subject.rows(); ++row)
    if (subject.Finite(row) && subject.Row(row).mean() * subject.Row(row).mean() > subject.Row(row).var()) return true;
  return false;
}

Forms MeanOfLargeOffset(const Subject& subject) {
  Forms forms;
  if (!subject.centred() || !HasOffset(subject)) return forms;
  for (const std::size_t lanes : kLanes) {
    AffineFormula formula;
    formula.statistics = MeanInLanes(lanes);
    forms.push_back(std::make_unique<AffineModel>(subject, std::move(formula)));
  }
  return forms;
}

}  // namespace

std::vector<Hypothesis> NarrowHypotheses() {
  return {
      {"one-pass-variance", "The variance is E[x^2] - E[x]^2 in f32.", OnePassVariance},
      {"statistics-in-f16", "Mean and variance are held in f16.", StatisticsIn<Format::kF16>},
      {"statistics-in-bf16", "Mean and variance are held in bf16.", StatisticsIn<Format::kBf16>},
      {"squares-in-half", "The squares are rounded to a 16-bit format before they are summed.", SquaresInHalf},
      {"f32-mean-large-offset", "The mean of a large offset is summed in f32.", MeanOfLargeOffset},
  };
}

}  // namespace normcheck::reference::diagnosis

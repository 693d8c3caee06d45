// Mistakes in which elements a statistic is taken over: padding, tails, other rows, columns, the whole batch.
#include <algorithm>
#include <memory>
#include <optional>

#include "reference/diagnosis/affine_model.h"
#include "reference/diagnosis/families.h"

namespace normcheck::reference::diagnosis {
namespace {

using Forms = std::vector<std::unique_ptr<Model>>;

std::unique_ptr<Model> Form(const Subject& subject, StatisticsTaken statistics, bool by_element = false) {
  AffineFormula formula;
  formula.statistics = std::move(statistics);
  formula.by_element = by_element;
  return std::make_unique<AffineModel>(subject, std::move(formula));
}

// Keeps the group alive as long as the errors that refer to it.
TakenStatistics OwnedDefinition(std::shared_ptr<const Group> group, const Subject& subject) {
  TakenStatistics taken = OfDefinition(*group, subject.centre(), subject.epsilon());
  taken.errors = [group, errors = std::move(taken.errors)](const norm::Profile& profile) { return errors(profile); };
  return taken;
}

// The lanes beyond H hold 0 and count with (0 - mean)^2; the divisor is H.
std::unique_ptr<Model> CountedLanes(const Subject& subject, std::size_t padding) {
  return Form(subject, [padding](const Subject& s, std::size_t row, std::size_t) {
    const Group& group = s.Row(row);
    const Quad extra = group.mean() * group.mean() * static_cast<double>(padding) / group.width();
    return std::optional(OfFormula(group, Centre::kMean, Centre::kMean, [extra, epsilon = s.epsilon()](const Quad& spread) {
      return Quad(spread + extra + epsilon);
    }));
  });
}

// The lanes beyond H hold 0 and count as elements: the divisor is the padded width.
std::unique_ptr<Model> PaddedRow(const Subject& subject, std::size_t padding) {
  return Form(subject, [padding](const Subject& s, std::size_t row, std::size_t) {
    std::vector<double> values = s.Row(row).values();
    values.resize(values.size() + padding, 0.0);
    return std::optional(OwnedDefinition(std::make_shared<const Group>(std::move(values), s.squares_over()), s));
  });
}

template <std::size_t lanes>
Forms PaddedLanes(const Subject& subject) {
  const std::size_t padding = (lanes - subject.width() % lanes) % lanes;
  Forms forms;
  if (padding == 0) return forms;
  if (subject.centred()) forms.push_back(CountedLanes(subject, padding));
  forms.push_back(PaddedRow(subject, padding));
  return forms;
}

// Statistics of the first `kept` elements.
std::unique_ptr<Model> FirstElements(const Subject& subject, std::size_t kept) {
  return Form(subject, [kept](const Subject& s, std::size_t row, std::size_t) {
    const std::vector<double>& all = s.Row(row).values();
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(kept);
    return std::optional(OwnedDefinition(std::make_shared<const Group>(std::vector<double>(all.begin(), end), s.squares_over()), s));
  });
}

// The same sums divided by the whole width.
std::unique_ptr<Model> FirstElementsByWidth(const Subject& subject, std::size_t kept) {
  return Form(subject, [kept](const Subject& s, std::size_t row, std::size_t) {
    std::vector<double> values = s.Row(row).values();
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(kept), values.end(), 0.0);
    const auto group = std::make_shared<const Group>(std::move(values), s.squares_over());
    const Quad uncounted = group->mean() * group->mean() * (s.Row(row).width() - static_cast<double>(kept)) / group->width();
    const Centre centre = s.centre();
    const Quad less = s.centred() ? uncounted : Quad(0);
    TakenStatistics taken = OfFormula(*group, centre, centre, [less, epsilon = s.epsilon()](const Quad& spread) {
      return Quad(spread - less + epsilon);
    });
    taken.errors = [group, errors = std::move(taken.errors)](const norm::Profile& profile) { return errors(profile); };
    return std::optional(std::move(taken));
  });
}

// Elements after the last whole vector of 4 to 64 lanes, or the last one alone, are not summed.
Forms TailMissing(const Subject& subject) {
  Forms forms;
  std::vector<std::size_t> kept_counts;
  const std::size_t width = subject.width();
  for (const std::size_t lanes : {4U, 8U, 16U, 32U, 64U, 1U}) {
    const std::size_t kept = lanes == 1 ? width - 1 : width - width % lanes;
    if (kept == 0 || kept >= width || std::ranges::count(kept_counts, kept) > 0) continue;
    kept_counts.push_back(kept);
    forms.push_back(FirstElements(subject, kept));
    forms.push_back(FirstElementsByWidth(subject, kept));
  }
  return forms;
}

using RowOf = std::size_t (*)(std::size_t row, std::size_t rows);

std::unique_ptr<Model> OtherRow(const Subject& subject, RowOf other) {
  return Form(subject, [other](const Subject& s, std::size_t row, std::size_t i) -> std::optional<TakenStatistics> {
    const std::size_t from = other(row, s.rows());
    if (!s.Finite(from)) return std::nullopt;
    return DefinitionOf(s, from, i);
  });
}

Forms AnotherRow(const Subject& subject) {
  Forms forms;
  if (subject.rows() < 2) return forms;
  forms.push_back(OtherRow(subject, [](std::size_t row, std::size_t) { return row == 0 ? 0 : row - 1; }));
  forms.push_back(OtherRow(subject, [](std::size_t, std::size_t) { return std::size_t{0}; }));
  forms.push_back(OtherRow(subject, [](std::size_t row, std::size_t rows) { return row + 1 == rows ? row : row + 1; }));
  return forms;
}

std::vector<double> ColumnOf(const Subject& subject, std::size_t i) {
  std::vector<double> values;
  for (std::size_t row = 0; row < subject.rows(); ++row) values.push_back(subject.Row(row).values()[i]);
  return values;
}

Forms Columns(const Subject& subject) {
  Forms forms;
  if (subject.rows() == 0 || !subject.AllFinite()) return forms;
  const auto made = std::make_shared<std::vector<std::optional<TakenStatistics>>>(subject.width());
  forms.push_back(Form(subject, [made](const Subject& s, std::size_t, std::size_t i) {
    std::optional<TakenStatistics>& column = (*made)[i];
    if (!column) column = OwnedDefinition(std::make_shared<const Group>(ColumnOf(s, i), s.squares_over()), s);
    return column;
  }, true));
  return forms;
}

Forms WholeBatch(const Subject& subject) {
  Forms forms;
  if (subject.rows() < 2 || !subject.AllFinite()) return forms;
  std::vector<double> values;
  for (std::size_t row = 0; row < subject.rows(); ++row)
    values.insert(values.end(), subject.Row(row).values().begin(), subject.Row(row).values().end());
  const auto group = std::make_shared<const Group>(std::move(values), subject.squares_over());
  forms.push_back(Form(subject, [group](const Subject& s, std::size_t, std::size_t) { return std::optional(OwnedDefinition(group, s)); }));
  return forms;
}

}  // namespace

std::vector<Hypothesis> ElementHypotheses() {
  return {
      {"padded-lanes-counted-4", "Padding up to a multiple of 4 elements is counted in the statistics.", PaddedLanes<4>},
      {"padded-lanes-counted-8", "Padding up to a multiple of 8 elements is counted in the statistics.", PaddedLanes<8>},
      {"padded-lanes-counted-16", "Padding up to a multiple of 16 elements is counted in the statistics.", PaddedLanes<16>},
      {"padded-lanes-counted-32", "Padding up to a multiple of 32 elements is counted in the statistics.", PaddedLanes<32>},
      {"padded-lanes-counted-64", "Padding up to a multiple of 64 elements is counted in the statistics.", PaddedLanes<64>},
      {"padded-lanes-counted-1024", "Padding up to a multiple of 1024 elements is counted in the statistics.", PaddedLanes<1024>},
      {"tail-missing", "The last elements of a row are left out of the statistics.", TailMissing},
      {"another-rows-statistics", "A row is normalised with the statistics of another row.", AnotherRow},
      {"column-statistics", "Statistics are taken down a column instead of across a row.", Columns},
      {"whole-batch-statistics", "Statistics are taken over all rows together.", WholeBatch},
  };
}

}  // namespace normcheck::reference::diagnosis

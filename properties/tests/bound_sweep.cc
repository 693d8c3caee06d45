// Observed errors against a-priori bounds.
#include "properties/tests/bound_sweep.h"

#include <cmath>
#include <cstdio>

#include "reference/number.h"
#include "reference/operations/operations.h"
#include "reference/outputs.h"

namespace normcheck::properties {
namespace {

using reference::ExactRow;
using reference::Quad;

std::vector<double> RowOf(const Case& c, std::size_t r) {
  std::vector<double> values;
  for (const Bits bits : std::span(c.x).subspan(r * c.width, c.width)) values.push_back(reference::ValueOf(bits, c.formats.x));
  return values;
}

double ParameterOf(const std::optional<std::vector<Bits>>& values, std::size_t i, const Case& c, double absent) {
  return values ? reference::ValueOf((*values)[i], c.formats.params) : absent;
}

ExactOutputs EvaluateRow(const Case& c, std::size_t r) {
  const ExactRow row(c.op, RowOf(c, r), c.epsilon);
  ExactOutputs out;
  if (row.row_class() != reference::RowClass::kFinite || row.Undefined()) return out;
  out.defined = true;
  out.moments = MomentsOf(row, c.epsilon, c.epsilon);
  out.mean = row.Mean().Value();
  out.inv_std_dev = row.InvStdDev().Value();
  for (std::size_t i = 0; i < c.width; ++i) {
    const double gamma = ParameterOf(c.gamma, i, c, 1), beta = ParameterOf(c.beta, i, c, 0);
    const bool finite = std::isfinite(gamma) && std::isfinite(beta);
    out.y.push_back(finite ? row.Element(i, gamma, beta).Value() : Quad(0));
    const double xhat = static_cast<double>(row.Element(i, 1, 0).Value());
    out.facts.push_back({row.values()[i], xhat, gamma, beta, static_cast<double>(out.y.back())});
  }
  return out;
}

// An infinity stands for the value from which the format rounds to it.
double Standing(Bits got, Format format) {
  const double value = reference::ValueOf(got, format);
  if (!std::isinf(value)) return value;
  const norm::FormatTraits traits = norm::TraitsOf(format);
  return std::copysign(std::ldexp(2 - std::ldexp(1.0, -traits.precision), traits.emax), value);
}

// |got - y|/bound, where an infinity of y's sign is no further than its threshold.
double Ratio(double got, bool infinite, const Quad& y, double bound) {
  if (std::isnan(got)) return INFINITY;
  const Quad error = abs(Quad(got) - y);
  if (error == 0 || (infinite && abs(y) >= std::abs(got) && (y > 0) == (got > 0))) return 0;
  return bound == 0 ? INFINITY : static_cast<double>(Quad(error / bound));
}

std::string Describe(const TrueCase& truth, std::size_t row, const std::string& element) {
  const norm::Formats& f = truth.c.formats;
  char text[256];
  std::snprintf(text, sizeof text, "%s %s H=%zu eps=%g %s/%s/%s row %zu %s", truth.family.c_str(), norm::NameOf(truth.c.op).data(),
                truth.c.width, truth.c.epsilon, norm::TraitsOf(f.x).name.data(), norm::TraitsOf(f.params).name.data(),
                norm::TraitsOf(f.y).name.data(), row, element.c_str());
  return text;
}

void Add(Observed& observed, double ratio, const std::function<std::string()>& where) {
  ++observed.outputs;
  if (!(ratio <= 1)) ++observed.violations;
  if (ratio <= observed.worst) return;
  observed.worst = ratio;
  observed.where = where();
}

void AddStatistic(Observed& observed, float got, const Quad& exact, double bound, const TrueCase& truth, std::size_t row, const char* name) {
  if (!std::isfinite(bound)) return;
  const double value = std::isinf(got) ? Standing(reference::InfinityBits(Format::kF32, got < 0), Format::kF32) : static_cast<double>(got);
  Add(observed, Ratio(value, std::isinf(got), exact, bound), [&] { return Describe(truth, row, name); });
}

void AddElement(Observed& observed, Bits got, double bound, const TrueCase& truth, std::size_t row, std::size_t i) {
  if (!std::isfinite(bound)) {
    ++observed.no_promise;
    return;
  }
  const Format format = truth.c.formats.y;
  const double ratio = Ratio(Standing(got, format), reference::IsInfinite(got, format), truth.rows[row].y[i], bound);
  Add(observed, ratio, [&] {
    const reference::ElementFacts& e = truth.rows[row].facts[i];
    char text[160];
    std::snprintf(text, sizeof text, "[%zu] x=%a gamma=%a beta=%a got=%a want=%a bound=%g", i, e.x, e.gamma, e.beta,
                  reference::ValueOf(got, format), e.y, bound);
    return Describe(truth, row, text);
  });
}

}  // namespace

void Observed::Merge(const Observed& other) {
  outputs += other.outputs;
  no_promise += other.no_promise;
  violations += other.violations;
  if (other.worst > worst) {
    worst = other.worst;
    where = other.where;
  }
}

TrueCase Evaluate(std::string family, Case c) {
  TrueCase truth = {std::move(family), std::move(c), {}};
  for (std::size_t r = 0; r < truth.c.rows; ++r) truth.rows.push_back(EvaluateRow(truth.c, r));
  return truth;
}

reference::RowBound CertifiedBound(const reference::RowMoments& row, const norm::Profile& profile, Centre centre, Format y) {
  return reference::BoundRow(row, profile, centre, y);
}

Observed Observe(const norm::Kernel& kernel, const TrueCase& truth, const RowBounder& bounder) {
  const Case& c = truth.c;
  const reference::Outputs got = reference::RunKernel(kernel, c, {});
  const bool f32 = kernel.epsilon_format == norm::EpsilonFormat::kF32;
  Observed observed;
  for (std::size_t r = 0; r < c.rows; ++r) {
    const ExactOutputs& exact = truth.rows[r];
    if (!exact.defined) continue;
    reference::RowMoments moments = exact.moments;
    if (f32) moments.kernel_epsilon = static_cast<double>(static_cast<float>(c.epsilon));
    const reference::RowBound bound = bounder(moments, kernel.contract.profile, reference::OperationOf(c.op).centre, c.formats.y);
    for (std::size_t i = 0; i < c.width; ++i)
      AddElement(observed, got.y[r * c.width + i], reference::Promised(bound, exact.facts[i]), truth, r, i);
    if (!got.mean.empty()) AddStatistic(observed, got.mean[r], exact.mean, reference::PromisedMean(bound), truth, r, "mean");
    if (!got.inv_std_dev.empty())
      AddStatistic(observed, got.inv_std_dev[r], exact.inv_std_dev, reference::PromisedInvStdDev(bound), truth, r, "inv_std_dev");
  }
  return observed;
}

std::vector<TrueCase> FamilyCases(int draws, std::size_t max_width, Seed seed) {
  Random random(seed);
  const std::vector<Formats> formats = norm::AllFormats();
  const std::span<const std::size_t> widths = Widths();
  std::vector<TrueCase> cases;
  for (const Family& family : Families())
    for (int draw = 0; draw < 2 * draws; ++draw) {
      Shape shape = {norm::kOps[draw % std::size(norm::kOps)], formats[random.Below(formats.size())], 1, 0, Epsilons()[random.Below(Epsilons().size())]};
      if (random.OneIn(2)) shape.formats = {};
      do shape.width = widths[random.Below(widths.size())];
      while (shape.width > max_width);
      shape.rows = shape.width < 32 ? 4 : 1;
      cases.push_back(Evaluate(std::string(family.id), MakeFamilyCase(family, shape, random)));
    }
  return cases;
}

}  // namespace normcheck::properties

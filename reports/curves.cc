// Draws the rows of each curve's points and judges them.
#include "reports/curves.h"

#include <algorithm>
#include <cmath>

#include "reference/bounds.h"
#include "reference/exact_rounding.h"
#include "reference/judge.h"
#include "reference/number.h"
#include "reference/quad.h"

namespace normcheck::reports {
namespace {

using reference::Case;
using reference::CaseValues;
using reference::Contract;
using reference::Promise;

constexpr double kEpsilon = 1e-5;
constexpr std::size_t kOffsetWidth = 256;
constexpr std::size_t kVarianceWidth = 64;
constexpr std::size_t kLargestPower = 4096;
constexpr std::size_t kMostRows = 4;

// One point's rows: x = offset + sigma*N(0,1).
struct PointTask {
  double at = 0;
  std::size_t width = 1;
  double offset = 0;
  double sigma = 1;
};

norm::Formats FormatsOf(const norm::Kernel& kernel) {
  const auto plain = std::ranges::find_if(kernel.formats, [](const norm::Formats& f) { return f.x == f.params && f.x == f.y; });
  return plain == kernel.formats.end() ? kernel.formats.front() : *plain;
}

std::vector<PointTask> OffsetTasks(norm::Format x) {
  std::vector<PointTask> tasks;
  for (int k = 0; k <= norm::TraitsOf(x).precision - 2; ++k) tasks.push_back({std::ldexp(1, k), kOffsetWidth, std::ldexp(1, k), 1});
  return tasks;
}

std::vector<PointTask> WidthTasks() {
  std::vector<PointTask> tasks;
  for (std::size_t power = 2; power <= kLargestPower; power *= 2)
    for (std::size_t width : {power - 1, power, power + 1})
      if (width > 1 && (tasks.empty() || tasks.back().width < width)) tasks.push_back({static_cast<double>(width), width, 0, 1});
  return tasks;
}

std::vector<PointTask> VarianceTasks() {
  std::vector<PointTask> tasks;
  for (int k = -20; k <= 20; ++k) tasks.push_back({std::ldexp(1, k), kVarianceWidth, 0, std::sqrt(std::ldexp(kEpsilon, k))});
  return tasks;
}

Case DrawRows(const PointTask& task, norm::Op op, const norm::Formats& formats, properties::Random random) {
  const std::size_t rows = std::clamp(kLargestPower / task.width, std::size_t{1}, kMostRows);
  Case c = reference::MakeCase(op, formats, rows, task.width, kEpsilon);
  for (reference::Bits& x : c.x) x = reference::BitsOf(task.offset + task.sigma * random.Gaussian(), formats.x);
  return c;
}

// Without gamma and beta the terms of a row have one ulp, and no element's own ulp is larger.
double LargestOfRow(const CaseValues& values, std::size_t row, const Contract& contract) {
  const reference::ExactRow exact(values.source->op, values.Row(row), values.epsilon);
  if (exact.Undefined()) return 0;
  const auto bounds = reference::BoundsOn(contract, exact, values);
  const norm::Format format = values.source->formats.y;
  const int row_ulp = reference::UlpExponent(exact.Scale(1, 0), format);
  double largest = 0;
  for (std::size_t i = 0; i < exact.values().size(); ++i) {
    const reference::ExactElement y = exact.Element(i, 1, 0);
    const Promise promise = bounds->Of(i, {reference::UlpExponent(y, format), row_ulp, static_cast<double>(y.Value())});
    if (promise.kind != Promise::Kind::kWithin) return INFINITY;
    largest = std::max(largest, static_cast<double>(reference::Scaled(reference::ToQuad(promise.max_error), -row_ulp)));
  }
  return largest;
}

std::optional<double> LargestPromise(const norm::Kernel& kernel, const Case& c, const Contract& contract) {
  if (contract.kind == norm::ContractKind::kCorrectlyRounded) return 0.5;
  if (contract.kind != norm::ContractKind::kProfile) return contract.k;
  if (!reference::HasBounds(contract)) return std::nullopt;
  const CaseValues values(c, reference::WithEpsilonOf(kernel, c).epsilon, reference::Subnormals::kKept);
  double largest = 0;
  for (std::size_t row = 0; row < c.rows; ++row) largest = std::max(largest, LargestOfRow(values, row, contract));
  return std::isfinite(largest) ? std::optional(reference::FromQ20(reference::ToQ20(largest))) : std::nullopt;
}

}  // namespace

std::vector<Curve> MeasureCurves(const norm::Kernel& kernel, const std::optional<Contract>& contract, properties::Seed seed) {
  if (kernel.ops.empty() || kernel.formats.empty()) return {};
  const norm::Formats formats = FormatsOf(kernel);
  reference::JudgeOptions options;
  options.contract = contract;
  options.diagnose = false;
  std::vector<Curve> curves;
  const std::pair<std::string_view, std::vector<PointTask>> axes[] = {
      {"offset-over-sigma", OffsetTasks(formats.x)}, {"width", WidthTasks()}, {"var-over-epsilon", VarianceTasks()}};
  for (const auto& [id, tasks] : axes) {
    Curve curve{id, kernel.ops.front(), formats, kEpsilon, {}};
    const properties::Random random = properties::Random(seed).Fork(curves.size());
    for (const PointTask& task : tasks) {
      const Case c = DrawRows(task, curve.op, formats, random.Fork(curve.points.size()));
      curve.points.push_back({task.at, reference::Judge(kernel, c, options).tally,
                              LargestPromise(kernel, c, contract.value_or(kernel.contract))});
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace normcheck::reports

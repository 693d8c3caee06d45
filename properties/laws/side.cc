// Runs a side and bounds its errors by the reference's exact rows.
#include "properties/laws/side.h"

#include <cmath>

#include "properties/laws/prepare.h"
#include "reference/exact_rounding.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Dyadic;
using reference::ExactRow;
using reference::Format;

std::vector<double> ValuesOfRow(const Case& c, std::size_t row) {
  std::vector<double> values;
  for (std::size_t i = row * c.width; i < (row + 1) * c.width; ++i) values.push_back(reference::ValueOf(c.x[i], c.formats.x));
  return values;
}

double ParameterOf(const std::optional<std::vector<Bits>>& values, std::size_t i, Format format, double absent) {
  return values ? reference::ValueOf((*values)[i], format) : absent;
}

}  // namespace

struct Side::RowBounds {
  RowBounds(const Case& c, std::size_t row_index, const norm::Contract& contract)
      : row(c.op, ValuesOfRow(c, row_index), c.epsilon) {
    defined = row.row_class() == reference::RowClass::kFinite && !row.Undefined();
    if (defined && reference::HasBounds(contract)) bounds = reference::BoundsOn(contract, row);
  }
  ExactRow row;
  bool defined = false;
  std::unique_ptr<const reference::Bounds> bounds;
};

Side::Side(const norm::Kernel& kernel, const Case& c)
    : kernel_(&kernel), case_(FittedTo(kernel, c)), supported_(norm::Supports(kernel, c.op, c.formats)), rows_(c.rows) {
  if (supported_) outputs_ = reference::RunKernel(kernel, case_, {});
}

Side::~Side() = default;

std::optional<LawResult> Side::Fault() const {
  if (!supported_ || outputs_.result.status == norm::CallStatus::kUnsupported) return NotApplicable();
  if (!outputs_.result.ok()) return Broken("refused: " + std::string(outputs_.result.reason));
  return std::nullopt;
}

double Side::got(std::size_t j) const { return reference::ValueOf(outputs_.y[j], case_.formats.y); }

const Side::RowBounds& Side::BoundsOf(std::size_t row) const {
  if (!rows_[row]) rows_[row] = std::make_unique<RowBounds>(case_, row, kernel_->contract);
  return *rows_[row];
}

const ExactRow* Side::Row(std::size_t row) const {
  const RowBounds& made = BoundsOf(row);
  return made.defined ? &made.row : nullptr;
}

std::optional<Dyadic> Side::Error(std::size_t j) const {
  const RowBounds& row = BoundsOf(j / case_.width);
  const std::size_t i = j % case_.width;
  const double gamma = ParameterOf(case_.gamma, i, case_.formats.params, 1);
  const double beta = ParameterOf(case_.beta, i, case_.formats.params, 0);
  if (!row.bounds || !std::isfinite(gamma) || !std::isfinite(beta)) return std::nullopt;
  const reference::ExactElement y = row.row.Element(i, gamma, beta);
  const reference::UlpScale scale = {reference::UlpExponent(y, case_.formats.y),
                                     reference::UlpExponent(row.row.Scale(gamma, beta), case_.formats.y)};
  const reference::Promise promise = row.bounds->Of(i, scale);
  if (promise.kind == reference::Promise::Kind::kNothing) return std::nullopt;
  if (promise.kind == reference::Promise::Kind::kCorrectlyRounded) return Dyadic::PowerOfTwo(scale.element - 1);
  return promise.max_error;
}

bool AtMost(const Dyadic& a, const Dyadic& b) { return reference::Compare(a, b) <= 0; }

}  // namespace normcheck::properties

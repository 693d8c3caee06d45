// Runs a side and bounds its errors by the reference's exact rows.
#include "properties/laws/side.h"

#include <cmath>

#include "properties/laws/prepare.h"
#include "reference/exact_rounding.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Dyadic;
using reference::ExactRow;

}  // namespace

struct Side::RowBounds {
  RowBounds(const reference::CaseValues& values, std::size_t row_index, const norm::Contract& contract)
      : row(values.source->op, values.Row(row_index), values.epsilon) {
    defined = row.row_class() == reference::RowClass::kFinite && !row.Undefined();
    if (defined && reference::HasBounds(contract)) bounds = reference::BoundsOn(contract, row, values);
  }
  ExactRow row;
  bool defined = false;
  std::unique_ptr<const reference::Bounds> bounds;
};

Side::Side(const norm::Kernel& kernel, const Case& c)
    : kernel_(&kernel),
      case_(FittedTo(kernel, c)),
      values_(case_, case_.epsilon, reference::Subnormals::kKept),
      supported_(norm::Supports(kernel, c.op, c.formats)),
      rows_(c.rows) {
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
  if (!rows_[row]) rows_[row] = std::make_unique<RowBounds>(values_, row, kernel_->contract);
  return *rows_[row];
}

const ExactRow* Side::Row(std::size_t row) const {
  const RowBounds& made = BoundsOf(row);
  return made.defined ? &made.row : nullptr;
}

std::optional<Dyadic> Side::Error(std::size_t j) const {
  const RowBounds& row = BoundsOf(j / case_.width);
  const std::size_t i = j % case_.width;
  const double gamma = values_.gamma(i), beta = values_.beta(i);
  const bool promised = row.bounds && !kernel_->contract.flush_to_zero && std::isfinite(gamma) && std::isfinite(beta);
  if (!promised) return std::nullopt;
  const reference::ExactElement y = row.row.Element(i, gamma, beta);
  const reference::UlpScale scale = {reference::UlpExponent(y, case_.formats.y),
                                     reference::UncappedUlpExponent(row.row.Scale(gamma, beta), case_.formats.y), static_cast<double>(y.Value())};
  const reference::Promise promise = row.bounds->Of(i, scale);
  if (promise.kind == reference::Promise::Kind::kNothing) return std::nullopt;
  if (promise.kind == reference::Promise::Kind::kCorrectlyRounded) return Dyadic::PowerOfTwo(scale.element - 1);
  return promise.max_error;
}

bool AtMost(const Dyadic& a, const Dyadic& b) { return reference::Compare(a, b) <= 0; }

}  // namespace normcheck::properties

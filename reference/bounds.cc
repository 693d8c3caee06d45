// The bounds of correctly-rounded, ulp:K, row-ulp:K and, around profile_bounds.h, of profiles.
#include "reference/bounds.h"

#include <cmath>

#include "reference/row_moments.h"

namespace normcheck::reference {
namespace {

class CorrectlyRoundedBounds final : public Bounds {
 public:
  Promise Of(std::size_t, const UlpScale&) const override { return {Promise::Kind::kCorrectlyRounded}; }
  Promise OfXhat(std::size_t, const UlpScale&) const override { return {Promise::Kind::kCorrectlyRounded}; }
};

class UlpBounds final : public Bounds {
 public:
  explicit UlpBounds(const Contract& contract) : k_(contract.k), of_row_(contract.kind == norm::ContractKind::kRowUlp) {}
  Promise Of(std::size_t, const UlpScale& scale) const override { return Within(scale); }
  Promise OfXhat(std::size_t, const UlpScale& scale) const override { return Within(scale); }

 private:
  Promise Within(const UlpScale& scale) const {
    return {Promise::Kind::kWithin, k_ * Dyadic::PowerOfTwo(of_row_ ? scale.row : scale.element)};
  }

  Dyadic k_;
  bool of_row_;
};

Promise WithinError(double error) {
  if (!std::isfinite(error)) return {};
  return {Promise::Kind::kWithin, error};
}

// An infinity in RMSNorm makes 1/sqrt zero and so every finite element gamma*0 + beta: nothing but beta's rounding is left.
RowBound BesideInfinity(const norm::Profile& profile, Format y) {
  RowBound bound;
  bound.promised = true;
  bound.centre = Centre::kZero;
  bound.sums = ArithmeticOf(profile.accumulator);
  bound.elements = ArithmeticOf(profile.mean);
  bound.y = y;
  return bound;
}

RowBound BoundOf(const norm::Profile& profile, const ExactRow& row, const CaseValues& values) {
  const Format y = values.source->formats.y;
  if (row.row_class() != RowClass::kFinite) return BesideInfinity(profile, y);
  return BoundRow(MomentsOf(row, values.epsilon, values.epsilon), profile, row.operation().centre, y);
}

class ProfileBounds final : public Bounds {
 public:
  ProfileBounds(const norm::Profile& profile, const ExactRow& row, const CaseValues& values)
      : row_(&row), values_(&values), bound_(BoundOf(profile, row, values)) {}
  Promise Of(std::size_t i, const UlpScale& scale) const override {
    return WithinError(Promised(bound_, {row_->values()[i], Xhat(i), values_->gamma(i), values_->beta(i), scale.value}));
  }
  Promise OfXhat(std::size_t i, const UlpScale& scale) const override {
    return WithinError(Promised(bound_, {row_->values()[i], Xhat(i), 1, 0, scale.value}));
  }
  const RowBound* profile() const override { return &bound_; }

 private:
  double Xhat(std::size_t i) const {
    return static_cast<double>(Quad(ToQuad(row_->Numerator(i)) * row_->radicand().InverseRoot()));
  }

  const ExactRow* row_;
  const CaseValues* values_;
  RowBound bound_;
};

class NoBounds final : public Bounds {
 public:
  Promise Of(std::size_t, const UlpScale&) const override { return {}; }
  Promise OfXhat(std::size_t, const UlpScale&) const override { return {}; }
};

}  // namespace

bool HasBounds(const Contract& contract) {
  return contract.kind != norm::ContractKind::kProfile || !contract.flush_to_zero;
}

std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow& row, const CaseValues& values) {
  if (contract.kind != norm::ContractKind::kProfile) return BoundsOn(contract, row);
  return std::make_unique<ProfileBounds>(contract.profile, row, values);
}

std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow&) {
  if (contract.kind == norm::ContractKind::kCorrectlyRounded) return std::make_unique<CorrectlyRoundedBounds>();
  if (contract.kind == norm::ContractKind::kProfile) return std::make_unique<NoBounds>();
  return std::make_unique<UlpBounds>(contract);
}

}  // namespace normcheck::reference

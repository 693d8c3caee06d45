// The bounds of correctly-rounded, ulp:K and row-ulp:K.
#include "reference/bounds.h"

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

}  // namespace

bool HasBounds(const Contract& contract) { return contract.kind != norm::ContractKind::kProfile; }

std::unique_ptr<const Bounds> BoundsOn(const Contract& contract, const ExactRow&) {
  if (contract.kind == norm::ContractKind::kCorrectlyRounded) return std::make_unique<CorrectlyRoundedBounds>();
  return std::make_unique<UlpBounds>(contract);
}

}  // namespace normcheck::reference

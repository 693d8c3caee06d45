// Mistakes in epsilon: where it stands, and which number it is.
#include <algorithm>
#include <cmath>

#include "norm/rounding.h"
#include "properties/mutants/families_of_mistakes.h"
#include "properties/mutants/row_engine.h"
#include "reference/operations/operations.h"

namespace normcheck::properties {
namespace {

using Row = std::span<const double>;

// 1/(sqrt(var) + epsilon) instead of 1/sqrt(var + epsilon): differs most where var is near epsilon.
// Cited: CASES.md row 47 (D3), FACTS.md F18.
RowStatistics EpsAfterRoot(norm::Op op, double epsilon, Row x) {
  const double mean = reference::OperationOf(op).centred() ? MeanOf(x) : 0;
  return {mean, 1 / (std::sqrt(MeanSquareAround(mean, x)) + epsilon)};
}

using Replacement = double (*)(double epsilon, Row x);

// The engine with another number in epsilon's place.
norm::Kernel WithEpsilon(std::string id, std::string about, Replacement replacement) {
  return EngineKernel(norm::Kind::kMutant, "mutant:" + std::move(id), std::move(about), reference::AllOps(),
                      [replacement](norm::Op op, double epsilon, Row x) { return HonestStatistics(op, replacement(epsilon, x), x); });
}

double InF16(double epsilon, Row) { return static_cast<double>(norm::ToFloat(norm::ToFloat16(epsilon))); }
double InBf16(double epsilon, Row) { return static_cast<double>(norm::ToFloat(norm::ToBFloat16(epsilon))); }
double Clamped(double epsilon, Row) { return std::max(epsilon, 1e-5); }
double PerElement(double epsilon, Row x) { return epsilon * static_cast<double>(x.size()); }
double DividedByWidth(double epsilon, Row x) { return epsilon / static_cast<double>(x.size()); }

double TimesMaxSquare(double epsilon, Row x) {
  double largest = 0;
  for (const double value : x) largest = std::abs(value) > largest ? std::abs(value) : largest;
  return epsilon * largest * largest;
}

}  // namespace

std::vector<norm::Kernel> EpsilonMutants() {
  return {
      EngineKernel(norm::Kind::kMutant, "mutant:eps-after-root",
                   "epsilon added to the standard deviation instead of the variance (CASES.md 47)",
                   reference::AllOps(), EpsAfterRoot),
      WithEpsilon("eps-missing", "epsilon left out (CASES.md 53)", [](double, Row) { return 0.0; }),
      WithEpsilon("eps-in-f16", "epsilon rounded to f16 (CASES.md 42-44)", InF16),
      WithEpsilon("eps-in-bf16", "epsilon rounded to bf16 (CASES.md 42-44, D1)", InBf16),
      WithEpsilon("eps-clamped-to-1e-5", "an epsilon below 1e-5 raised to 1e-5 (CASES.md 49)", Clamped),
      WithEpsilon("eps-fixed-1e-3", "epsilon always 1e-3 (CASES.md 45)", [](double, Row) { return 1e-3; }),
      WithEpsilon("eps-fixed-1e-5", "epsilon always 1e-5 (CASES.md 50)", [](double, Row) { return 1e-5; }),
      WithEpsilon("eps-fixed-1e-6", "epsilon always 1e-6 (CASES.md 50, D6)", [](double, Row) { return 1e-6; }),
      WithEpsilon("eps-fixed-1e-12", "epsilon always 1e-12 (CASES.md 50, D6)", [](double, Row) { return 1e-12; }),
      WithEpsilon("eps-times-max-square", "epsilon scaled along with the row by max|x|^2 (CASES.md 28, 29)", TimesMaxSquare),
      WithEpsilon("eps-per-element", "epsilon counted once for every element (CASES.md 47, D3)", PerElement),
      WithEpsilon("eps-divided-by-h", "epsilon added to the sum before it is divided by H (CASES.md 47, D3)", DividedByWidth),
  };
}

}  // namespace normcheck::properties

// The formulas, each written once.
#include "reference/operations/affine_norm/mistakes.h"

#include <algorithm>
#include <cmath>

#include "reference/number.h"

namespace normcheck::reference::affine_norm {
namespace {

using Figures = RowFigures<double>;

Mistake WithEpsilon(std::string_view id, std::string_view text, std::string_view source, EpsilonTaken epsilon) {
  return {.id = id, .text = text, .source = source, .epsilon = epsilon};
}

template <typename F>
Mistake WithDivisor(std::string_view id, std::string_view text, std::string_view source, F divisor) {
  return {.id = id, .text = text, .source = source, .divisor = DivisorOf(divisor)};
}

template <typename F>
Mistake WithParameters(std::string_view id, std::string_view text, std::string_view source, Needs needs, F affine) {
  return {.id = id, .text = text, .source = source, .affine = AffineOf(affine), .needs = needs};
}

bool IsCentred(const Operation& operation) { return operation.centred(); }
bool TakesMeanOfSquares(const Operation& operation) { return operation.squares_over == SquaresOver::kWidth; }
bool IsRootMeanSquare(const Operation& operation) { return !operation.centred() && TakesMeanOfSquares(operation); }
bool TakesSumOfSquares(const Operation& operation) { return !TakesMeanOfSquares(operation); }

template <Format format>
double Rounded(const Figures& row) {
  return ValueOf(BitsOf(row.epsilon, format), format);
}

Mistake EpsAfterRoot() {
  Mistake mistake = WithDivisor("eps-after-root", "Epsilon is added to the standard deviation instead of the variance.",
                                "CASES.md 47", [](const auto& row) {
                                  using std::sqrt;
                                  return sqrt(row.spread) + row.epsilon;
                                });
  mistake.needs_epsilon = true;
  return mistake;
}

// A row of one is 0/0.
Mistake DivisorHMinus1() {
  Mistake mistake = WithDivisor("divisor-h-minus-1", "The sum of squares is divided by H - 1 instead of H.",
                                "FACTS.md, definitions", [](const auto& row) {
                                  using std::sqrt;
                                  return sqrt(row.spread * row.width / (row.width - 1) + row.epsilon);
                                });
  mistake.min_width = 2;
  mistake.applies = TakesMeanOfSquares;
  return mistake;
}

Mistake MeanOfSquares() {
  Mistake mistake = WithDivisor("mean-of-squares", "The mean of the squares is taken where L2 norm takes their sum.",
                                "FACTS.md, definitions", [](const auto& row) {
                                  using std::sqrt;
                                  return sqrt(row.spread / row.width + row.epsilon);
                                });
  mistake.min_width = 2;
  mistake.applies = TakesSumOfSquares;
  return mistake;
}

// The mean may be forgotten, or added, in one of its two places.
Mistake WithCentres(std::string_view id, std::string_view text, std::span<const Centres> centres,
                    bool (*applies)(const Operation&)) {
  return {.id = id, .text = text, .source = "FACTS.md F16", .centres = centres, .applies = applies};
}

constexpr Centres kNotCentred[] = {
    {Centre::kZero, Centre::kZero}, {Centre::kZero, Centre::kMean}, {Centre::kMean, Centre::kZero}};
constexpr Centres kCentred[] = {
    {Centre::kMean, Centre::kMean}, {Centre::kMean, Centre::kZero}, {Centre::kZero, Centre::kMean}};

}  // namespace

const std::vector<Mistake>& EpsilonMistakes() {
  static const std::vector<Mistake> kAll = {
      EpsAfterRoot(),
      WithEpsilon("eps-missing", "Epsilon is left out.", "CASES.md 53", [](const Figures&) { return 0.0; }),
      WithEpsilon("eps-in-f16", "Epsilon is rounded to f16.", "CASES.md 42-44", Rounded<Format::kF16>),
      WithEpsilon("eps-in-bf16", "Epsilon is rounded to bf16.", "CASES.md 42-44, D1", Rounded<Format::kBf16>),
      WithEpsilon("eps-clamped-to-1e-5", "An epsilon below 1e-5 is raised to 1e-5.", "CASES.md 49",
                  [](const Figures& row) { return std::max(row.epsilon, 1e-5); }),
      WithEpsilon("eps-fixed-1e-3", "Epsilon is always 1e-3.", "CASES.md 45", [](const Figures&) { return 1e-3; }),
      WithEpsilon("eps-fixed-1e-5", "Epsilon is always 1e-5.", "CASES.md 50", [](const Figures&) { return 1e-5; }),
      WithEpsilon("eps-fixed-1e-6", "Epsilon is always 1e-6.", "CASES.md 50, D6", [](const Figures&) { return 1e-6; }),
      WithEpsilon("eps-fixed-1e-12", "Epsilon is always 1e-12.", "CASES.md 50, D6", [](const Figures&) { return 1e-12; }),
      WithEpsilon("eps-times-max-square", "Epsilon is multiplied by max|x|^2.", "CASES.md 28, 29",
                  [](const Figures& row) { return row.epsilon * row.max_abs * row.max_abs; }),
      WithEpsilon("eps-per-element", "Epsilon is counted once for every element: H*epsilon.", "CASES.md 47, D3",
                  [](const Figures& row) { return row.epsilon * row.width; }),
      WithEpsilon("eps-divided-by-h", "Epsilon is added before the division by H: epsilon/H.", "CASES.md 47, D3",
                  [](const Figures& row) { return row.epsilon / row.width; }),
  };
  return kAll;
}

const std::vector<Mistake>& DefinitionMistakes() {
  static const std::vector<Mistake> kAll = {
      DivisorHMinus1(),
      MeanOfSquares(),
      WithCentres("no-centring", "The mean is not subtracted.", kNotCentred, IsCentred),
      WithCentres("centring-in-rms", "The mean is subtracted where RMSNorm has none.", kCentred, IsRootMeanSquare),
      WithDivisor("exponent-two", "The exponent 2 stands in the place of 1/2: divided by (var + epsilon)^2.", "CASES.md 54",
                  [](const auto& row) { return (row.spread + row.epsilon) * (row.spread + row.epsilon); }),
      WithDivisor("missing-root", "The root is left out: divided by var + epsilon.", "CASES.md 54, D9",
                  [](const auto& row) { return row.spread + row.epsilon; }),
  };
  return kAll;
}

const std::vector<Mistake>& ParameterMistakes() {
  static const std::vector<Mistake> kAll = {
      WithParameters("gamma-ignored", "Gamma is not applied.", "CASES.md 70", Needs::kGamma,
                     [](auto p) { p.gamma = 1; return p; }),
      WithParameters("beta-ignored", "Beta is not added.", "CASES.md 70", Needs::kBeta,
                     [](auto p) { p.beta = 0; return p; }),
      WithParameters("gamma-beta-swapped", "Gamma and beta are taken for each other.", "CASES.md 71", Needs::kBoth,
                     [](auto p) { std::swap(p.gamma, p.beta); return p; }),
      WithParameters("one-plus-gamma", "Gamma is taken as an offset from one: (1 + gamma)*xhat + beta.",
                     "CASES.md 76, 100", Needs::kGamma, [](auto p) { p.gamma += 1; return p; }),
  };
  return kAll;
}

}  // namespace normcheck::reference::affine_norm

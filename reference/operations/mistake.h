// Mistake: a wrong formula as one text, which runs in double as a mutant and in 113 bits as a hypothesis.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "reference/operations/operation.h"
#include "reference/quad.h"

namespace normcheck::reference {

// What a formula may look at in a row, in the number type T of the arithmetic that runs it.
template <typename T>
struct RowFigures {
  T spread;   // var, or the mean of squares where nothing is subtracted
  T epsilon;
  T width;
  T max_abs;
};

// What is subtracted from x, and around what the spread is taken.
struct Centres {
  Centre subtracted;
  Centre spread;
};

// gamma and beta as a formula applies them; 1 and 0 where they are absent.
template <typename T>
struct AffinePair {
  T gamma;
  T beta;
};

// Formulas. Deviations are divided by a Divisor; an EpsilonTaken stands in epsilon's place, as a double.
struct Divisor {
  std::function<double(const RowFigures<double>&)> in_double;
  std::function<Quad(const RowFigures<Quad>&)> in_quad;
};
using EpsilonTaken = double (*)(const RowFigures<double>& row);
struct AffineTaken {
  std::function<AffinePair<double>(const AffinePair<double>&)> in_double;
  std::function<AffinePair<Quad>(const AffinePair<Quad>&)> in_quad;
};

// Which parameters a call must have for the mistake to show.
enum class Needs : std::uint8_t { kNothing, kGamma, kBeta, kBoth };

// Parts that are empty are the definition's own.
struct Mistake {
  std::string_view id;      // "eps-after-root": stable, named by baselines and findings
  std::string_view text;    // one sentence
  std::string_view source;  // where it was seen
  EpsilonTaken epsilon = nullptr;
  Divisor divisor = {};
  bool needs_epsilon = false;           // an epsilon of zero cannot show it
  std::size_t min_width = 1;            // narrower rows cannot show it
  std::span<const Centres> centres = {};  // variants; a mutant computes the first
  AffineTaken affine = {};
  Needs needs = Needs::kNothing;
  bool (*applies)(const Operation&) = nullptr;  // to which operations; nothing: to all
};

constexpr bool AppliesTo(const Mistake& mistake, const Operation& operation) {
  return mistake.applies == nullptr || mistake.applies(operation);
}

// `f` is a generic lambda: one text for both number types.
template <typename F>
Divisor DivisorOf(F f) {
  return {[f](const RowFigures<double>& row) -> double { return f(row); },
          [f](const RowFigures<Quad>& row) -> Quad { return f(row); }};
}

template <typename F>
AffineTaken AffineOf(F f) {
  return {[f](const AffinePair<double>& p) -> AffinePair<double> { return f(p); },
          [f](const AffinePair<Quad>& p) -> AffinePair<Quad> { return f(p); }};
}

}  // namespace normcheck::reference

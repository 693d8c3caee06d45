// Cases that state a fact of the mission, and the check of one on the exact reference and on the production kernels.
#pragma once

#include <string>
#include <vector>

#include "reference/case.h"
#include "reference/outputs.h"

namespace normcheck::properties {

using reference::Case;
using reference::Op;
using Numbers = std::vector<std::string>;

inline constexpr Op kLayerNormOp = Op::kLayerNorm;
inline constexpr Op kRmsNormOp = Op::kRmsNorm;

// A row of f32 numbers as they are written; empty gamma, beta and expected are absent.
struct Fact {
  Op op = kLayerNormOp;
  Numbers x;
  std::string epsilon = "0";
  Numbers gamma = {};
  Numbers beta = {};
  Numbers expected = {};
};

Case CaseOf(const Fact& fact);
Case CaseOf(Op op, const std::vector<double>& x, double epsilon);

// The expected digits agree with the exact reference, and the production kernel keeps its contract on the case.
void ExpectHolds(const Fact& fact);
void ExpectKept(const Case& c);

// What the production kernel of the case's op gives, as doubles, and the exact values rounded once to f32.
reference::Outputs RunProduction(const Case& c);
std::vector<double> KernelValues(const Case& c);
std::vector<double> ExactValues(const Case& c);

// Half a unit in the last place of f32 at |value|: what one rounding can change.
double HalfUlp(double value);

}  // namespace normcheck::properties

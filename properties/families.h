// Row families: the kinds of rows on which normalisation kernels go wrong, each with a stable id. Shared by the laws, the
// report's sweep and the fuzzer's mutator.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "properties/random.h"
#include "properties/shapes.h"
#include "reference/case.h"

namespace normcheck::properties {

using reference::Bits;
using reference::Case;
using reference::Format;
using reference::Formats;
using reference::Op;

// What a family fills: one row of x in its format, with the epsilon that it may look at (var-near-eps).
struct RowTask {
  Op op = Op::kLayerNorm;
  Formats formats;
  double epsilon = 0;
  std::span<Bits> x;
};

struct Family {
  std::string_view id;     // "outlier"; baselines depend on it
  std::string_view about;  // one sentence for people
  void (*fill)(const RowTask& task, Random& random);
  // Makes gamma and beta, and may move x, where the family is about outputs (beta-cancels, overflowing); null: any parameters do.
  void (*parameters)(Case& c, Random& random) = nullptr;
};

// The generated families, in the order of DESIGN: gaussian ... overflowing. public-bugs, activations and yours are
// read from files and live in regressions.h and the report.
std::span<const Family> Families();
const Family* FindFamily(std::string_view id);

struct Shape {
  Op op = Op::kLayerNorm;
  Formats formats;
  std::size_t rows = 1;
  std::size_t width = 1;
  double epsilon = 0;
};

// A whole case of a family: rows, gamma and beta (absent, plain, spread over decades, negative, zero, cancelling), pitch.
Case MakeFamilyCase(const Family& family, const Shape& shape, Random& random);

// A random shape and family: what one draw of a property run or of a sweep is. `drawn`, where given, is set to the family.
Case MakeAnyCase(Random& random, std::span<const Op> ops, std::span<const Formats> formats, std::size_t max_width,
                 const Family** drawn = nullptr);

// What a case really is after rounding to its format, for coverage counts: a near-constant row that became constant is constant.
struct CaseClasses {
  bool constant = false, subnormal = false, negative_zero = false, near_overflow = false, nan = false, infinite = false;
  bool var_below_eps = false, var_near_eps = false, var_above_eps = false, tail = false, pitched = false, width_one = false;
};
CaseClasses ClassesOf(const Case& c);

}  // namespace normcheck::properties

// Laws of moved rows: shift, scale, negation, permutation, duplication.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "properties/families/values.h"
#include "properties/laws/groups.h"
#include "properties/laws/prepare.h"
#include "properties/laws/relation.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using reference::Bits;
using reference::Format;

double MaxMagnitude(std::span<const Bits> x, Format format) {
  double most = 0;
  for (Bits bits : x) most = std::max(most, std::abs(reference::ValueOf(bits, format)));
  return most;
}

// The unit of which a row's elements, and their sums with a shift, are multiples that fit the significand.
double UnitOf(std::span<const Bits> x, Format format) {
  const norm::FormatTraits traits = norm::TraitsOf(format);
  const double most = MaxMagnitude(x, format);
  const int least = traits.emin - traits.precision + 1;
  return PowerOfTwo(most == 0 ? least : std::max(ExponentOf(most) - traits.precision + 3, least));
}

void PrepareShift(Case& c) {
  MakeCentred(c);
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
  for (std::size_t row = 0; row < c.rows && c.width > 0; ++row) {
    const auto x = std::span(c.x).subspan(row * c.width, c.width);
    const double unit = UnitOf(x, c.formats.x);
    for (Bits& bits : x) bits = reference::BitsOf(std::trunc(reference::ValueOf(bits, c.formats.x) / unit) * unit, c.formats.x);
  }
}

// The shift points against the row's largest element where the sum would leave the format.
std::optional<Related> Shifted(const Case& c) {
  Random random = RandomOf(c);
  Related related{c};
  const std::int64_t most = std::int64_t{1} << (norm::TraitsOf(c.formats.x).precision - 2);
  for (std::size_t row = 0; row < c.rows; ++row) {
    const auto x = std::span(related.other.x).subspan(row * c.width, c.width);
    const double shift = static_cast<double>(random.Between(most / 2, most)) * (random.OneIn(2) ? 1 : -1) * UnitOf(x, c.formats.x);
    for (Bits& bits : x) {
      const double moved = reference::ValueOf(bits, c.formats.x) + shift;
      bits = reference::BitsOf(moved, c.formats.x);
      if (reference::ValueOf(bits, c.formats.x) != moved) return std::nullopt;
    }
  }
  return related;
}

bool Scale(std::vector<Bits>& values, double factor, Format format) {
  for (Bits& bits : values) {
    const double scaled = reference::ValueOf(bits, format) * factor;
    bits = reference::BitsOf(scaled, format);
    if (reference::ValueOf(bits, format) != scaled) return false;
  }
  return true;
}

std::optional<Related> Scaled(const Case& c) {
  Random random = RandomOf(c);
  const int k = static_cast<int>(random.Between(1, 9));
  for (int exponent : {k, -k}) {
    Related related{c};
    related.other.epsilon = c.epsilon * PowerOfTwo(2 * exponent);
    if (Scale(related.other.x, PowerOfTwo(exponent), c.formats.x)) return related;
  }
  return std::nullopt;
}

// Of relations that scale epsilon: in the kernel's own format it has to be scaled exactly, too.
template <std::optional<Related> (*Relate)(const Case&)>
LawResult CheckScaled(const LawContext& context, const Case& c) {
  const std::optional<Related> related = Relate(c);
  if (!related) return NotApplicable();
  const double factor = c.epsilon == 0 ? 1 : related->other.epsilon / c.epsilon;
  const double taken = reference::WithEpsilonOf(context.kernel, c).epsilon;
  if (reference::WithEpsilonOf(context.kernel, related->other).epsilon != taken * factor) return NotApplicable();
  return CheckRelated(Side(context.kernel, c), Side(context.kernel, related->other), *related);
}

Bits Negated(Bits bits, Format format) { return bits ^ (Bits{1} << (8 * norm::TraitsOf(format).bytes - 1)); }

std::optional<Related> NegatedCase(const Case& c) {
  Related related{c, -1};
  for (Bits& bits : related.other.x) bits = Negated(bits, c.formats.x);
  if (c.beta)
    for (Bits& bits : *related.other.beta) bits = Negated(bits, c.formats.params);
  return related;
}

// Columns of c in the order of `columns`.
Related Gathered(const Case& c, const std::vector<std::size_t>& columns) {
  Related related{c};
  Case& other = related.other;
  other.x.clear();
  for (std::size_t row = 0; row < c.rows; ++row)
    for (std::size_t column : columns) related.from.push_back(row * c.width + column);
  for (std::size_t from : related.from) other.x.push_back(c.x[from]);
  for (auto parameter : {&Case::gamma, &Case::beta}) {
    if (!(c.*parameter)) continue;
    (other.*parameter)->clear();
    for (std::size_t column : columns) (other.*parameter)->push_back((*(c.*parameter))[column]);
  }
  other.x_pitch += columns.size() - c.width;
  other.y_pitch += columns.size() - c.width;
  other.width = columns.size();
  return related;
}

std::optional<Related> Permuted(const Case& c) {
  if (c.width < 2) return std::nullopt;
  Random random = RandomOf(c);
  std::vector<std::size_t> columns(c.width);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (std::size_t i = c.width - 1; i > 0; --i) std::swap(columns[i], columns[random.Below(i + 1)]);
  return Gathered(c, columns);
}

Related CopiesOf(const Case& c, std::size_t times) {
  std::vector<std::size_t> columns(times * c.width);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i % c.width;
  return Gathered(c, columns);
}

// A sum of squares grows with the copies: four of them, with 4*epsilon, halve xhat, and gamma doubled makes up for that.
std::optional<Related> Duplicated(const Case& c) {
  if (reference::OperationOf(c.op).squares_over == reference::SquaresOver::kWidth) return CopiesOf(c, 2);
  Related related = CopiesOf(c, 4);
  Case& other = related.other;
  other.epsilon = 4 * c.epsilon;
  if (!other.gamma) other.gamma.emplace(other.width, reference::BitsOf(1, c.formats.params));
  if (!Scale(*other.gamma, 2, c.formats.params)) return std::nullopt;
  return related;
}

void PrepareMove(Case& c) {
  MakeFinite(c);
  KeepColumns(c, kWidestRelated);
}

}  // namespace

const Law kShift = {"shift", "LayerNorm of x + c is that of x, where every x_i + c is exact", HasCentredOp, CheckRelation<Shifted>, PrepareShift};
const Law kScale = {"scale", "2^k*x with epsilon*4^k gives the same y, where both are exact", AppliesToAll, CheckScaled<Scaled>, PrepareMove};
const Law kNegation = {"negation", "-x with -beta gives -y", AppliesToAll, CheckRelation<NegatedCase>, PrepareMove};
const Law kPermutation = {"permutation", "columns in another order give the same elements in that order", AppliesToAll,
                          CheckRelation<Permuted>, PrepareMove};
const Law kDuplication = {"duplication", "a row written twice, H to 2H, gives its elements twice", AppliesToAll,
                          CheckScaled<Duplicated>, PrepareMove};

}  // namespace normcheck::properties

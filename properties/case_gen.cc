// Draws a whole case from one number of RapidCheck's Random.
#include "properties/case_gen.h"

#include <rapidcheck/Random.h>
#include <rapidcheck/seq/Create.h>
#include <rapidcheck/seq/Transform.h>
#include <rapidcheck/shrinkable/Create.h>

#include <algorithm>
#include <ostream>

#include "properties/families.h"
#include "properties/row_moves.h"
#include "properties/shrink.h"
#include "reference/number.h"

namespace normcheck::reference {
namespace {

void ShowNumbers(const char* name, const std::vector<Bits>& values, Format format, std::ostream& out) {
  out << ' ' << name << '=';
  for (std::size_t i = 0; i < values.size(); ++i) out << (i == 0 ? '[' : ' ') << HexText(values[i], format);
  out << ']';
}

}  // namespace

void showValue(const Case& c, std::ostream& out) {
  out << NameOf(c.op) << ' ' << norm::TraitsOf(c.formats.x).name << ',' << norm::TraitsOf(c.formats.params).name << ','
      << norm::TraitsOf(c.formats.y).name << ' ' << c.rows << 'x' << c.width << " pitch " << c.x_pitch << ',' << c.y_pitch
      << " epsilon=" << HexText(c.epsilon);
  ShowNumbers("x", c.x, c.formats.x, out);
  if (c.gamma) ShowNumbers("gamma", *c.gamma, c.formats.params, out);
  if (c.beta) ShowNumbers("beta", *c.beta, c.formats.params, out);
}

}  // namespace normcheck::reference

namespace normcheck::properties {
namespace {

constexpr std::uint64_t kOneMovedIn = 4;

void PrepareFor(const CaseSource& source, Case& c) {
  if (source.prepare != nullptr) source.prepare(c);
  if (!source.beta) c.beta.reset();
}

std::vector<Case> PreparedSimpler(const Case& c, const CaseSource& source) {
  std::vector<Case> simpler = Simpler(c);
  if (source.prepare == nullptr && source.beta) return simpler;
  for (Case& candidate : simpler) PrepareFor(source, candidate);
  std::erase_if(simpler, [&](const Case& candidate) { return !IsSimpler(candidate, c); });
  return simpler;
}

}  // namespace

Case DrawCase(const CaseSource& source, Random& random) {
  Case c = MakeAnyCase(random, source.ops, source.formats, source.max_width);
  if (random.OneIn(kOneMovedIn)) MutateCase(c, {source.formats, std::max(source.max_width, c.x.size()), 1}, random);
  return c;
}

rc::Gen<Case> CasesFrom(CaseSource source) {
  return [source = std::move(source)](const rc::Random& random, int) {
    rc::Random once = random;
    Random ours(Seed{once.next()});
    Case c = DrawCase(source, ours);
    PrepareFor(source, c);
    return rc::shrinkable::shrinkRecur(
        std::move(c), [source](const Case& from) { return rc::seq::fromContainer(PreparedSimpler(from, source)); });
  };
}

}  // namespace normcheck::properties

// The vote: who explains, who excludes, and what remains.
#include "reference/diagnosis/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "reference/diagnosis/comparison.h"
#include "reference/diagnosis/families.h"
#include "reference/number.h"

namespace normcheck::reference {

using diagnosis::Ballot;
using diagnosis::Effective;
using diagnosis::Interval;
using diagnosis::Subject;
using diagnosis::Vote;

// What one case says.
struct CausePoll::Seen {
  std::string name;
  std::string op;
  std::string formats;
  std::size_t width = 0;
  bool kept = true;
  bool asked = false;  // has a row that can carry a formula
  bool range = false;  // its rows that carry none are sums beyond f32
  bool one_factor = false;
  std::vector<Ballot> ballots;
  std::vector<bool> fits;  // of a broken case, its class faults too
  std::array<std::optional<Interval>, std::size(diagnosis::kEffectives)> effective;
};

namespace {

using Seen = CausePoll::Seen;
using Cases = std::vector<std::shared_ptr<const Seen>>;
using Which = std::set<std::size_t>;  // places in Cases

bool SumsPassF32(const Subject& subject, std::size_t row) {
  if (!subject.Finite(row)) return false;
  const Quad squares = subject.Row(row).mean_square() * CountOf(subject.squares_over(), subject.width());
  return squares > ValueOf(MaxFinite(Format::kF32, false), Format::kF32);
}

// What a sum of squares at infinity gives: beta alone, or no number.
bool IsOverflown(const Subject& subject, std::size_t row, std::span<const Bits> got) {
  for (std::size_t i = 0; i < subject.width(); ++i) {
    const Bits bits = got[row * subject.width() + i];
    if (!IsFinite(bits, subject.format())) continue;
    if (ValueOf(bits, subject.format()) != ValueOf(BitsOf(subject.beta(i), subject.format()), subject.format())) return false;
  }
  return true;
}

// Leaves such rows to the range alone.
bool TakeRange(Subject& subject, std::span<const Bits> got) {
  bool found = false;
  for (std::size_t row = 0; row < subject.rows(); ++row) {
    if (!SumsPassF32(subject, row) || !IsOverflown(subject, row, got)) continue;
    subject.Skip(row);
    found = true;
  }
  return found;
}

bool Asks(const Subject& subject) {
  for (std::size_t row = 0; row < subject.rows(); ++row)
    if (Scored(subject, row)) return true;
  return false;
}

std::string FormatsOf(const Case& c) {
  const auto name = [](Format format) { return std::string(norm::TraitsOf(format).name); };
  if (c.formats.x == c.formats.y && c.formats.x == c.formats.params) return name(c.formats.x);
  return name(c.formats.x) + "/" + name(c.formats.params) + "/" + name(c.formats.y);
}

// Conditions that can part the cases that a mistake explains from those where another one stands before it.
struct Condition {
  std::string text;
  std::function<bool(const Seen&)> holds;
};

std::vector<Condition> Conditions(const Cases& cases) {
  std::vector<Condition> all;
  std::set<std::string> ops;
  std::set<std::string> formats;
  for (const auto& seen : cases) ops.insert(seen->op), formats.insert(seen->formats);
  for (const std::string& op : ops) all.push_back({op, [op](const Seen& s) { return s.op == op; }});
  for (const std::string& f : formats) all.push_back({f, [f](const Seen& s) { return s.formats == f; }});
  for (std::size_t k = 0; k < 8; ++k)
    all.push_back({fmt::format("width mod 8 = {}", k), [k](const Seen& s) { return s.width % 8 == k; }});
  all.push_back({"a width that is no multiple of 8", [](const Seen& s) { return s.width % 8 != 0; }});
  return all;
}

// A mistake's standing among all cases.
struct Standing {
  Which explains;
  Which excludes;  // broken or kept
  std::size_t of = 0;
  std::string except;
};

Standing StandingOf(std::size_t hypothesis, const Cases& cases) {
  Standing standing;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i]->asked) continue;
    const Vote vote = cases[i]->ballots[hypothesis].vote;
    if (vote == Vote::kExcludes) standing.excludes.insert(i);
    if (vote == Vote::kExplains && !cases[i]->kept) standing.explains.insert(i);
    if (vote != Vote::kCannotTell && !cases[i]->kept) ++standing.of;
  }
  return standing;
}

// What the mistake does not explain lies all beyond the condition, and of what it explains little: another cause need not
// show on every row there.
bool Parts(const Condition& condition, const Which& from, const Standing& standing, const Cases& cases) {
  const auto holds = [&](std::size_t i) { return condition.holds(*cases[i]); };
  if (!std::ranges::all_of(from, holds)) return false;
  const auto beyond = static_cast<std::size_t>(std::ranges::count_if(standing.explains, holds));
  return beyond <= from.size() && standing.explains.size() >= beyond + 3;
}

// It must fit most of what is broken, told or not, or all that it does not fit lies beyond a condition: a few cases that
// it happens to explain among many that it does not are a coincidence.
bool FitsMost(std::size_t hypothesis, const Standing& standing, const Cases& cases, const Which& left,
              const std::vector<Condition>& conditions) {
  Which unfit;
  for (const std::size_t i : left)
    if (!cases[i]->fits[hypothesis]) unfit.insert(i);
  if (unfit.size() * 2 < left.size()) return true;
  if (standing.explains.size() < 3) return false;
  return std::ranges::any_of(conditions, [&](const Condition& c) { return Parts(c, unfit, standing, cases); });
}

// Only broken cases may be left to another cause: one that was kept refutes the mistake.
bool Stands(Standing& standing, const Cases& cases, const std::vector<Condition>& conditions) {
  if (standing.explains.empty() || standing.explains.size() * 2 <= standing.of) return false;
  if (standing.excludes.empty()) return true;
  if (std::ranges::any_of(standing.excludes, [&](std::size_t i) { return cases[i]->kept; })) return false;
  if (standing.explains.size() < 3) return false;
  for (const Condition& condition : conditions) {
    if (!Parts(condition, standing.excludes, standing, cases)) continue;
    standing.except = condition.text;
    return true;
  }
  return false;
}

void AddPlaces(const Which& explained, const Cases& cases, Cause& cause) {
  std::set<std::string> ops;
  std::set<std::string> formats;
  for (const std::size_t i : explained) ops.insert(cases[i]->op), formats.insert(cases[i]->formats);
  cause.ops.assign(ops.begin(), ops.end());
  cause.formats.assign(formats.begin(), formats.end());
  for (const std::size_t i : explained)
    if (cause.cases.size() < 2) cause.cases.push_back(cases[i]->name);
  cause.explains = explained.size();
}

Cause CauseOf(const std::vector<std::size_t>& hypotheses, const Standing& standing, const Cases& cases) {
  Cause cause;
  cause.kind = Cause::Kind::kMistake;
  for (const std::size_t h : hypotheses) {
    cause.ids.emplace_back(diagnosis::Hypotheses()[h].id);
    cause.text += (cause.text.empty() ? "" : " Or: ") + std::string(diagnosis::Hypotheses()[h].text);
    for (const std::size_t i : standing.explains) cause.distance = std::max(cause.distance, cases[i]->ballots[h].distance);
  }
  cause.of = standing.of;
  cause.excluded_by = standing.excludes.size();
  cause.except = standing.except;
  AddPlaces(standing.explains, cases, cause);
  return cause;
}

bool FitsOneOf(const Seen& seen, const std::vector<std::string>& ids) {
  for (std::size_t h = 0; h < seen.fits.size(); ++h)
    if (seen.fits[h] && std::ranges::count(ids, diagnosis::Hypotheses()[h].id) > 0) return true;
  return false;
}

// The mistakes that explain most of what is left; those that explain the same cases are one.
std::optional<Cause> NextMistake(const Cases& cases, std::string_view without, Which& left) {
  const std::vector<Condition> conditions = Conditions(cases);
  std::vector<std::size_t> best;
  Standing chosen;
  std::size_t most = 0;
  for (std::size_t h = 0; h < diagnosis::Hypotheses().size(); ++h) {
    if (diagnosis::Hypotheses()[h].id == without) continue;
    Standing standing = StandingOf(h, cases);
    if (!Stands(standing, cases, conditions) || !FitsMost(h, standing, cases, left, conditions)) continue;
    const auto gained = std::ranges::count_if(standing.explains, [&](std::size_t i) { return left.contains(i); });
    const auto gain = static_cast<std::size_t>(gained);
    if (gain == 0 || gain < most) continue;
    if (gain == most && standing.explains == chosen.explains) best.push_back(h);
    if (gain == most && standing.explains.size() >= chosen.explains.size()) continue;
    if (gain == most && standing.explains == chosen.explains) continue;
    most = gain;
    best = {h};
    chosen = std::move(standing);
  }
  if (best.empty()) return std::nullopt;
  std::erase_if(left, [&](std::size_t i) { return cases[i]->fits[best.front()]; });
  return CauseOf(best, chosen, cases);
}

// The value that most intervals hold, with the interval common to them.
struct Common {
  Interval interval;
  Which holders;
};

Common MostHeld(Effective effective, const Cases& cases, const Which& left) {
  Common best;
  const auto at = static_cast<std::size_t>(effective);
  for (const std::size_t i : left) {
    const auto& own = cases[i]->effective[at];
    if (!own || own->empty() || own->Holds(DefinedAs(effective))) continue;
    Common common{*own, {}};
    for (const std::size_t j : left) {
      const auto& other = cases[j]->effective[at];
      if (!other || other->empty()) continue;
      const Interval both{std::max(other->low, common.interval.low), std::min(other->high, common.interval.high)};
      if (!both.empty()) common.interval = both, common.holders.insert(j);
    }
    if (common.holders.size() > best.holders.size()) best = common;
  }
  return best;
}

std::string TextOf(Effective effective, const Interval& interval) {
  const double middle = (interval.low + interval.high) / 2;
  const double half = (interval.high - interval.low) / 2;
  if (effective == Effective::kEpsilonFactor)
    return fmt::format("Acts as {:.3f} * epsilon, +- {:.2g}, with the rest of the definition.", middle, half);
  return fmt::format("Acts as a divisor of H {} {:.3f}, +- {:.2g}, with the rest of the definition.", middle < 0 ? "+" : "-",
                     std::abs(middle), half);
}

// Narrow, away from the definition, and refuted by no case that was kept.
bool IsTelling(Effective effective, const Common& common, const Cases& cases) {
  const Interval& interval = common.interval;
  if (common.holders.empty() || interval.Holds(DefinedAs(effective))) return false;
  const double middle = (interval.low + interval.high) / 2;
  if (std::abs(middle - DefinedAs(effective)) < 0.01) return false;
  if (interval.high - interval.low > 0.02 * std::abs(middle)) return false;
  return std::ranges::none_of(cases, [&](const auto& seen) {
    const auto& own = seen->effective[static_cast<std::size_t>(effective)];
    return seen->kept && own && !own->empty() && !(own->low <= interval.high && interval.low <= own->high);
  });
}

std::optional<Cause> EffectiveCause(const Cases& cases, Which& left) {
  Common best;
  Effective of_best = Effective::kEpsilonFactor;
  for (const Effective effective : diagnosis::kEffectives) {
    Common common = MostHeld(effective, cases, left);
    if (!IsTelling(effective, common, cases) || common.holders.size() <= best.holders.size()) continue;
    best = std::move(common);
    of_best = effective;
  }
  if (best.holders.size() * 5 < left.size() * 4 || best.holders.empty()) return std::nullopt;
  if (best.holders.size() == 1 && cases.size() > 1) return std::nullopt;
  Cause cause;
  cause.text = TextOf(of_best, best.interval);
  cause.of = left.size();
  AddPlaces(best.holders, cases, cause);
  for (const std::size_t i : best.holders) left.erase(i);
  return cause;
}

// Cases of one property, described as such.
std::optional<Cause> Described(const Cases& cases, Which& left, Cause::Kind kind, std::string text, bool Seen::*property) {
  Which found;
  for (const std::size_t i : left)
    if ((*cases[i]).*property) found.insert(i);
  if (found.empty()) return std::nullopt;
  Cause cause;
  cause.kind = kind;
  cause.text = std::move(text);
  cause.of = left.size();
  AddPlaces(found, cases, cause);
  for (const std::size_t i : found) left.erase(i);
  return cause;
}

}  // namespace

void CausePoll::Add(const JudgedCase& judged) {
  if (judged.got.size() != judged.c->rows * judged.c->width || !std::isfinite(judged.epsilon)) return;
  auto seen = std::make_shared<Seen>();
  seen->name = judged.name;
  seen->op = norm::NameOf(judged.c->op);
  seen->formats = FormatsOf(*judged.c);
  seen->width = judged.c->width;
  seen->kept = judged.kept;
  using diagnosis::ClassFaults;
  const auto asked = [&](ClassFaults faults) {
    return diagnosis::AskedOf(*judged.c, judged.got, judged.contract, judged.epsilon, faults);
  };
  Subject subject = asked(ClassFaults::kSkipped);
  seen->range = TakeRange(subject, judged.got);
  seen->asked = Asks(subject);
  if (seen->asked) {
    seen->ballots = diagnosis::Ballots(subject, judged.got);
    for (const Effective effective : diagnosis::kEffectives)
      seen->effective[static_cast<std::size_t>(effective)] = diagnosis::EffectiveOf(effective, subject, judged.got);
    seen->one_factor = diagnosis::OneFactorARow(subject, judged.got);
  }
  if (!seen->kept) seen->fits = diagnosis::Fits(asked(ClassFaults::kAsked), judged.got);
  seen_.push_back(std::move(seen));
}

std::vector<Cause> CausePoll::Causes(std::string_view without) const {
  std::vector<Cause> causes;
  Which left;
  Which unasked;
  for (std::size_t i = 0; i < seen_.size(); ++i)
    if (!seen_[i]->kept) (seen_[i]->asked ? left : unasked).insert(i);
  while (auto mistake = NextMistake(seen_, without, left)) {
    std::erase_if(unasked, [&](std::size_t i) { return FitsOneOf(*seen_[i], mistake->ids); });
    causes.push_back(*std::move(mistake));
  }
  if (auto effective = EffectiveCause(seen_, left)) causes.push_back(*std::move(effective));
  left.merge(unasked);
  using enum Cause::Kind;
  if (auto range = Described(seen_, left, kRange, "Rows whose squares sum to more than f32 holds give beta alone, or no number.", &Seen::range))
    causes.push_back(*std::move(range));
  if (auto factor = Described(seen_, left, kDescription, "Each row is the definition's but for one factor.", &Seen::one_factor))
    causes.push_back(*std::move(factor));
  return causes;
}

}  // namespace normcheck::reference

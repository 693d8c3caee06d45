// Compares cells as integers: counts, and errors in units of 2^-20 ulp.
#include "reports/compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "reference/tally.h"
#include "reports/figures.h"
#include "reports/read_report.h"

namespace normcheck::reports {
namespace {

using Wide = unsigned __int128;

std::uint64_t CountOf(const Json& cell, std::string_view name) { return cell.at(std::string(name)).get<std::uint64_t>(); }

// -1: better, 0: the same, 1: worse.
int Order(auto before, auto after) { return (before < after) - (after < before); }

int ShareOrder(const Json& before, const Json& after, std::string_view name) {
  const Wide was = Wide{CountOf(before, name)} * CountOf(after, "judged");
  const Wide is = Wide{CountOf(after, name)} * CountOf(before, "judged");
  return Order(is, was);
}

// Nothing judged on either side says nothing about the error; the counts say it.
int ErrorOrder(const Json& before, const Json& after) {
  if (!before.is_number() || !after.is_number()) return 0;
  const auto steps = [](const Json& value) { return reference::ToQ20(std::fabs(value.get<double>())); };
  return Order(steps(before), steps(after));
}

int OrderOf(const CellFigure& figure, const Json& before, const Json& after) {
  const std::string name(figure.name);
  switch (figure.kind) {
    case FigureKind::kCountUp: return Order(CountOf(before, name), CountOf(after, name));
    case FigureKind::kCountDown: return Order(CountOf(after, name), CountOf(before, name));
    case FigureKind::kShare: return ShareOrder(before, after, name);
    case FigureKind::kUlp:
    case FigureKind::kSignedUlp: break;
  }
  return ErrorOrder(before.at(name), after.at(name));
}

std::string FaultOf(const Json& cell) { return cell.value("fault", std::string()); }

void AddVerdictMoves(const Json& before, const Json& after, std::vector<Move>& moves) {
  const bool was = before.at("kept").get<bool>(), is = after.at("kept").get<bool>();
  if (was != is) moves.push_back({"kept", was, is, was});
  if (FaultOf(before) != FaultOf(after)) moves.push_back({"fault", FaultOf(before), FaultOf(after), !FaultOf(after).empty()});
}

CellMoves Changed(const std::string& kernel, const Json& before, const Json& after) {
  CellMoves cell{kernel, CellName(after), &before, &after, MovesOf(before, after)};
  cell.worse = std::ranges::any_of(cell.moves, &Move::worse);
  cell.better = std::ranges::any_of(cell.moves, [](const Move& move) { return !move.worse; });
  return cell;
}

std::string LawName(const Json& law) { return "law " + law.at("law").get<std::string>(); }

bool IsBroken(const Json& law) { return law.at("state") == "broken"; }
bool IsKept(const Json& law) { return law.at("state") == "kept"; }

// Worse: broken where it was not, or kept no more. What a baseline lacks is new.
CellMoves LawMoves(const std::string& kernel, const Json* before, const Json& after) {
  CellMoves law{kernel, LawName(after), before, &after, {}, IsBroken(after), false};
  if (before == nullptr) return law;
  law.worse = IsBroken(after) ? !IsBroken(*before) : IsKept(*before) && !IsKept(after);
  law.better = !law.worse && before->at("state") != after.at("state");
  if (law.worse || law.better) law.moves.push_back({"law", before->at("state"), after.at("state"), law.worse});
  return law;
}

void CompareLaws(const Json& before, const Json& after, Comparison& comparison) {
  const std::string kernel = after.at("name").get<std::string>();
  if (!before.contains("laws")) return comparison.without_laws.push_back(kernel);
  static const Json kNone = Json::array();
  std::map<std::string, const Json*> old;
  for (const Json& law : before.at("laws")) old[LawName(law)] = &law;
  const Json& asked = after.contains("laws") ? after.at("laws") : kNone;
  for (const Json& law : asked) {
    const auto found = old.find(LawName(law));
    if (found != old.end()) ++comparison.laws;
    CellMoves moves = LawMoves(kernel, found == old.end() ? nullptr : found->second, law);
    if (moves.before == nullptr || !moves.moves.empty()) comparison.moved.push_back(std::move(moves));
    old.erase(LawName(law));
  }
  for (const auto& [name, law] : old) comparison.moved.push_back({kernel, name, law, nullptr, {}, IsKept(*law), !IsKept(*law)});
}

}  // namespace

std::string FamilyOf(const CellMoves& cell) {
  const Json& any = *(cell.after != nullptr ? cell.after : cell.before);
  return any.contains("law") ? LawName(any) : any.at("family").get<std::string>();
}

std::vector<Move> MovesOf(const Json& before, const Json& after) {
  std::vector<Move> moves;
  AddVerdictMoves(before, after, moves);
  for (const CellFigure& figure : CellFigures()) {
    const int order = OrderOf(figure, before, after);
    const std::string name(figure.name);
    if (order != 0) moves.push_back({name, before.at(name), after.at(name), order > 0});
  }
  return moves;
}

void Compare(const Json& before, const Json& after, Comparison& comparison) {
  std::map<std::string, const Json*> old;
  for (const Json& cell : before.at("cells")) old[CellName(cell)] = &cell;
  const std::string kernel = after.at("name").get<std::string>();
  for (const Json& cell : after.at("cells")) {
    const auto found = old.find(CellName(cell));
    if (found == old.end()) {
      comparison.moved.push_back({kernel, CellName(cell), nullptr, &cell, {}, !cell.at("kept").get<bool>(), false});
      continue;
    }
    ++comparison.cells;
    CellMoves changed = Changed(kernel, *found->second, cell);
    if (!changed.moves.empty()) comparison.moved.push_back(std::move(changed));
    old.erase(found);
  }
  for (const Json& cell : before.at("cells"))
    if (old.contains(CellName(cell))) comparison.moved.push_back({kernel, CellName(cell), &cell, nullptr, {}, true, false});
  CompareLaws(before, after, comparison);
}

}  // namespace normcheck::reports

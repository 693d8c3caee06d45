// Compares the cells of two runs, figure by figure.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace normcheck::reports {

// A figure of a cell that is not what it was.
struct Move {
  std::string figure;  // a name from CellFigures, "kept" or "fault"
  Json before;
  Json after;
  bool worse = false;
};

// A cell or law that is not what it was. They live in the reports.
struct CellMoves {
  std::string kernel;
  std::string cell;              // CellName, or "law batch-size"
  const Json* before = nullptr;  // null: the cell is new
  const Json* after = nullptr;   // null: the cell is gone
  std::vector<Move> moves;
  bool worse = false;            // one of its figures got worse, the cell is gone, or it is new and broken
  bool better = false;
};

// The family of a cell's rows; of a law its name, "law batch-size".
std::string FamilyOf(const CellMoves& cell);

struct Comparison {
  std::size_t cells = 0;          // in both
  std::size_t laws = 0;           // asked in both
  std::vector<std::string> without_laws;  // kernels that the first side asked no laws
  std::vector<CellMoves> moved;   // in the order of the reports
};

// Adds the cells and laws of one kernel, `before` and `after`, which may have other names. Errors count as equal within 2^-20 ulp.
void Compare(const Json& before, const Json& after, Comparison& comparison);

// Every figure of a cell, or the state of a law, that moved.
std::vector<Move> MovesOf(const Json& before, const Json& after);

}  // namespace normcheck::reports

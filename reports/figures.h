// The figures of a report's cell, and which way each of them gets worse.
#pragma once

#include <span>
#include <string_view>

namespace normcheck::reports {

enum class FigureKind {
  kCountUp,    // a count that is worse when it grows
  kCountDown,  // a count that is worse when it falls
  kShare,      // a count that is worse when its share of `judged` falls
  kUlp,        // an error, null where nothing was judged; compared in units of 2^-20 ulp
  kSignedUlp,  // an error with a sign, worse when it is larger
};

struct CellFigure {
  std::string_view name;  // the field in report.json
  FigureKind kind;
  std::string_view about;  // what it means when it gets worse
};

std::span<const CellFigure> CellFigures();

}  // namespace normcheck::reports

// The plan of a sweep: which cells a report has for a kernel, and the cases that each cell draws.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norm/kernel.h"
#include "properties/random.h"
#include "properties/regressions.h"
#include "reference/case.h"

namespace normcheck::reports {

using norm::Formats;
using norm::Op;
using properties::Regression;
using properties::Seed;
using reference::Case;

enum class Mode { kQuick, kDefault, kFull };

std::string_view NameOf(Mode mode);
Mode ModeNamed(std::string_view name);  // default where it is none

inline constexpr std::size_t kMaxShards = 100'000;

// Part `index` of `count` of a sweep, counted from 1. Of every `count` cells of a kernel in a row it takes one, each time
// at another place, so that each shard gets narrow and wide cells alike.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  bool Takes(std::size_t cell) const { return (cell + cell / count) % count == index - 1; }
  friend bool operator==(const Shard&, const Shard&) = default;
};

// A range of widths that share a cell; ids are stable, baselines depend on them.
struct WidthBand {
  std::string_view id;
  std::size_t low;
  std::size_t high;
};

std::span<const WidthBand> WidthBands();
const WidthBand& BandOf(std::size_t width);

// One cell of a report: op x formats x family x width band x epsilon, and where its cases come from: `draws` cases of a
// generated family, or the committed files at `files` (indices into the regressions that the plan was made from).
struct Cell {
  Op op = Op::kLayerNorm;
  Formats formats;
  std::string family;
  const WidthBand* band = nullptr;
  double epsilon = 0;
  std::size_t draws = 0;
  std::vector<std::size_t> files;

  std::size_t cases() const { return draws + files.size(); }
};

// "layer_norm-f32-f32-f32-outlier-4-16-eps-1e-05": unique within a plan, usable as a file name.
std::string CellId(const Cell& cell);

// Every cell of the kernel's ops and formats, in a fixed order: generated families as properties::Families lists them,
// then the families of the files. Quick takes the plain format triples alone where the kernel has any, one epsilon a
// cell row, rotating so that every family meets nearly every epsilon; default and full take all triples and more epsilons.
// With `epsilons` every family and band has a cell of each of them instead, and these share the mode's draws (rounded up).
std::vector<Cell> PlanCells(const norm::Kernel& kernel, Mode mode, std::span<const Regression> regressions,
                            std::span<const double> epsilons = {});

// Case number `index` of a generated cell. It depends on the cell's id, the seed and the index alone: not on the kernel,
// the mode, the order of the plan, threads or shards.
Case DrawCase(const Cell& cell, Seed seed, std::size_t index);

// About how many outputs the cell will judge; a weight for progress and load, no figure.
std::size_t ExpectedOutputs(const Cell& cell, std::span<const Regression> regressions);

}  // namespace normcheck::reports

// Plans the cells of a sweep and draws their cases.
#include "reports/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "properties/families.h"
#include "properties/shapes.h"

namespace normcheck::reports {
namespace {

constexpr std::size_t kBandCount = 5;
constexpr std::array<WidthBand, kBandCount> kBands = {{
    {"1-3", 1, 3}, {"4-16", 4, 16}, {"17-256", 17, 256}, {"257-4096", 257, 4096}, {"4097+", 4097, SIZE_MAX}}};

// Widths of the last band beside properties::WideWidths: just past a power of two, a multiple of four, a prime.
constexpr std::array<std::size_t, 3> kLongWidths = {4097, 4100, 5003};
constexpr std::size_t kMostLongRows = 3;
constexpr std::size_t kLongCallElements = 65537;

// How deep a mode goes, by width band.
struct Depth {
  std::array<std::size_t, kBandCount> epsilons;
  std::array<std::size_t, kBandCount> draws;
};

constexpr Depth DepthOf(Mode mode) {
  switch (mode) {
    case Mode::kQuick: return {{1, 1, 1, 1, 1}, {16, 12, 6, 2, 1}};
    case Mode::kDefault: return {{3, 3, 3, 2, 1}, {24, 24, 12, 3, 1}};
    case Mode::kFull: break;
  }
  return {{6, 6, 6, 6, 2}, {64, 64, 64, 16, 4}};
}

bool IsPlain(const Formats& formats) { return formats.x == formats.params && formats.x == formats.y; }

std::vector<Formats> FormatsOf(const norm::Kernel& kernel, Mode mode) {
  std::vector<Formats> plain;
  std::ranges::copy_if(kernel.formats, std::back_inserter(plain), IsPlain);
  return mode == Mode::kQuick && !plain.empty() ? plain : kernel.formats;
}

void AppendEachEpsilon(const Cell& row, std::span<const double> epsilons, Mode mode, std::vector<Cell>& cells) {
  for (std::size_t band = 0; band < kBandCount; ++band) {
    for (double epsilon : epsilons) {
      Cell cell = row;
      cell.band = &kBands[band];
      cell.epsilon = epsilon;
      cell.draws = (DepthOf(mode).draws[band] + epsilons.size() - 1) / epsilons.size();
      cells.push_back(std::move(cell));
    }
  }
}

// Rows (op, formats, family) start at another epsilon each, and bands step on from there.
void AppendRow(const Cell& row, std::size_t first_epsilon, Mode mode, std::vector<Cell>& cells) {
  const std::span<const double> epsilons = properties::Epsilons();
  const Depth depth = DepthOf(mode);
  for (std::size_t band = 0; band < kBandCount; ++band) {
    for (std::size_t i = 0; i < std::min(depth.epsilons[band], epsilons.size()); ++i) {
      const std::size_t step = depth.epsilons[band] >= epsilons.size() ? 1 : 2;
      Cell cell = row;
      cell.band = &kBands[band];
      cell.epsilon = epsilons[(first_epsilon + band + i * step) % epsilons.size()];
      cell.draws = depth.draws[band];
      cells.push_back(std::move(cell));
    }
  }
}

void AppendGenerated(const norm::Kernel& kernel, Mode mode, std::span<const double> epsilons, std::vector<Cell>& cells) {
  for (Op op : kernel.ops) {
    for (const Formats& formats : FormatsOf(kernel, mode)) {
      const auto format_offset = static_cast<std::size_t>(formats.x) * 2;
      std::size_t family_offset = 0;
      for (const properties::Family& family : properties::Families()) {
        const Cell row{op, formats, std::string(family.id), nullptr, 0, 0, {}};
        if (epsilons.empty())
          AppendRow(row, format_offset + family_offset++, mode, cells);
        else
          AppendEachEpsilon(row, epsilons, mode, cells);
      }
    }
  }
}

Cell CellOf(const Regression& regression) {
  const Case& c = regression.c;
  return {c.op, c.formats, regression.family, &BandOf(c.width), c.epsilon, 0, {}};
}

void AppendFile(const Regression& regression, std::size_t index, std::size_t first, std::vector<Cell>& cells) {
  Cell cell = CellOf(regression);
  const std::string id = CellId(cell);
  const auto same = std::find_if(cells.begin() + static_cast<std::ptrdiff_t>(first), cells.end(),
                                 [&](const Cell& other) { return CellId(other) == id; });
  if (same != cells.end()) {
    same->files.push_back(index);
    return;
  }
  cell.files.push_back(index);
  cells.push_back(std::move(cell));
}

// FNV-1a, 64 bits: the name of a cell as the number of its random stream.
std::uint64_t StreamOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Families take the wide widths in turn, others in each op and format and for each seed and draw: of the families of one op and
// format each wide width meets one at the least.
std::size_t LongWidth(const Cell& cell, Seed seed, std::size_t index, properties::Random& random) {
  const auto families = properties::Families();
  const auto family = std::ranges::find(families, cell.family, &properties::Family::id) - families.begin();
  const std::uint64_t turn = static_cast<std::uint64_t>(family) + 5 * static_cast<std::uint64_t>(cell.op) +
                             7 * static_cast<std::uint64_t>(cell.formats.x) + index + seed.value % families.size();
  const auto wide = properties::WideWidths();
  const std::size_t at = turn % std::max(families.size(), wide.size());
  return at < wide.size() ? wide[at] : kLongWidths[random.Below(kLongWidths.size())];
}

std::size_t DrawWidth(const WidthBand& band, properties::Random& random) {
  std::vector<std::size_t> widths;
  for (std::size_t width : properties::Widths())
    if (width >= band.low && width <= band.high) widths.push_back(width);
  const std::size_t any = band.low + random.Below(band.high - band.low + 1);
  return widths.empty() || random.OneIn(4) ? any : widths[random.Below(widths.size())];
}

}  // namespace

std::string_view NameOf(Mode mode) {
  constexpr std::string_view kNames[] = {"quick", "default", "full"};
  return kNames[static_cast<int>(mode)];
}

Mode ModeNamed(std::string_view name) {
  return name == NameOf(Mode::kQuick) ? Mode::kQuick : name == NameOf(Mode::kFull) ? Mode::kFull : Mode::kDefault;
}

std::span<const WidthBand> WidthBands() { return kBands; }

const WidthBand& BandOf(std::size_t width) {
  for (const WidthBand& band : kBands)
    if (width <= band.high) return band;
  return kBands.back();
}

std::string CellId(const Cell& cell) {
  const auto name = [](norm::Format format) { return norm::TraitsOf(format).name; };
  return fmt::format("{}-{}-{}-{}-{}-{}-eps-{}", norm::NameOf(cell.op), name(cell.formats.x), name(cell.formats.params),
                     name(cell.formats.y), cell.family, cell.band->low > 4096 ? "4097-up" : cell.band->id, cell.epsilon);
}

std::vector<Cell> PlanCells(const norm::Kernel& kernel, Mode mode, std::span<const Regression> regressions,
                            std::span<const double> epsilons) {
  std::vector<Cell> cells;
  AppendGenerated(kernel, mode, epsilons, cells);
  const std::size_t first = cells.size();
  for (std::size_t i = 0; i < regressions.size(); ++i)
    if (norm::Supports(kernel, regressions[i].c.op, regressions[i].c.formats)) AppendFile(regressions[i], i, first, cells);
  return cells;
}

Case DrawCase(const Cell& cell, Seed seed, std::size_t index) {
  properties::Random random = properties::Random(seed).Fork(StreamOf(CellId(cell))).Fork(index);
  const bool is_long = cell.band->low > 4096;
  properties::Shape shape{cell.op, cell.formats, 1, 0, cell.epsilon};
  shape.width = is_long ? LongWidth(cell, seed, index, random) : DrawWidth(*cell.band, random);
  shape.rows = 1 + random.Below(is_long ? std::clamp<std::size_t>(kLongCallElements / shape.width, 1, kMostLongRows) : 4);
  return properties::MakeFamilyCase(*properties::FindFamily(cell.family), shape, random);
}

std::size_t ExpectedOutputs(const Cell& cell, std::span<const Regression> regressions) {
  constexpr std::size_t kMeanOutputs[kBandCount] = {5, 25, 250, 2500, 30'000};
  std::size_t outputs = cell.draws * kMeanOutputs[cell.band - kBands.data()];
  for (std::size_t file : cell.files) outputs += regressions[file].c.x.size();
  return outputs + 1;
}

}  // namespace normcheck::reports

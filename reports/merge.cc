// Deals the cells of shards back into the order of the plan.
#include "reports/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/asked.h"
#include "reports/read_report.h"

namespace normcheck::reports {
namespace {

using reference::Error;
using reference::Result;

std::size_t IndexOf(const ShardReport& shard) { return shard.report.at("shard").at("index").get<std::size_t>(); }
std::size_t CountOf(const ShardReport& shard) { return shard.report.at("shard").at("count").get<std::size_t>(); }

// A kernel without what each shard has of its own: what all must agree on.
Json HeadOf(const Json& kernel) {
  Json head = kernel;
  for (const char* field : {"cells", "kept", "asked", "laws"}) head.erase(field);
  return head;
}

std::string KernelNames(const Json& report) {
  std::string names;
  for (const Json& kernel : report.at("kernels")) names += (names.empty() ? "" : ", ") + kernel.at("name").get<std::string>();
  return names;
}

// What keeps `shard` from being put together with `first`.
std::optional<std::string> Misfit(const ShardReport& first, const ShardReport& shard) {
  const Json& a = first.report;
  const Json& b = shard.report;
  if (!b.contains("shard")) return "shard: missing, this is no part of a sweep; make parts with --shard i/n";
  if (b.contains("interrupted")) return "interrupted: cells are missing; run the shard again, it goes on where it stopped";
  if (CountOf(first) != CountOf(shard))
    return fmt::format("shard.count: {}, but {} has {}; merge shards of one sweep", CountOf(shard), first.file, CountOf(first));
  for (const char* field : {"mode", "seed"})
    if (a.at(field) != b.at(field))
      return fmt::format("{}: {}, but {} has {}; merge shards of one sweep", field, b.at(field).dump(), first.file, a.at(field).dump());
  if (!std::ranges::equal(a.at("kernels"), b.at("kernels"), {}, HeadOf, HeadOf))
    return fmt::format("kernels: {} (or their contracts) differ from those of {}: {}; merge shards of one sweep", KernelNames(b),
                       first.file, KernelNames(a));
  return std::nullopt;
}

// Shards by their index; each there once.
Result<std::vector<const ShardReport*>> InOrder(std::span<const ShardReport> shards) {
  for (const ShardReport& shard : shards)
    if (const auto misfit = Misfit(shard.report.contains("shard") ? shards.front() : shard, shard)) return Error{shard.file + ": " + *misfit};
  std::vector<const ShardReport*> ordered(CountOf(shards.front()), nullptr);
  for (const ShardReport& shard : shards) {
    const ShardReport*& place = ordered[IndexOf(shard) - 1];
    if (place != nullptr) return Error{fmt::format("{}: shard.index: {} is also that of {}; name each shard once", shard.file, IndexOf(shard), place->file)};
    place = &shard;
  }
  for (std::size_t i = 0; i < ordered.size(); ++i)
    if (ordered[i] == nullptr)
      return Error{fmt::format("{}: shard.count: shard {} of {} is missing; name all of them", shards.front().file, i + 1, ordered.size())};
  return ordered;
}

// Cell after cell from the shard that the plan gave it to.
Result<Json> MergeCells(const std::vector<const ShardReport*>& shards, std::size_t kernel) {
  std::vector<std::size_t> next(shards.size(), 0);
  const auto cells = [&](std::size_t i) -> const Json& { return shards[i]->report.at("kernels")[kernel].at("cells"); };
  std::size_t total = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) total += cells(i).size();
  const auto planned = shards.front()->report.at("kernels")[kernel].at("planned").get<std::size_t>();
  if (total != planned)
    return Error{fmt::format("{}: kernels[{}].cells: the shards have {} cells, the plan has {}; make the shards with one build",
                             shards.front()->file, kernel, total, planned)};
  Json merged = Json::array();
  std::set<std::string> names;
  for (std::size_t cell = 0; cell < total; ++cell) {
    std::size_t i = 0;
    while (!Shard{i + 1, shards.size()}.Takes(cell)) ++i;
    const std::string where = fmt::format("{}: kernels[{}].cells", shards[i]->file, kernel);
    if (next[i] == cells(i).size()) return Error{where + ": fewer than the other shards leave to it; make the shards with one build"};
    merged.push_back(cells(i)[next[i]++]);
    if (!names.insert(CellName(merged.back())).second)
      return Error{where + ": " + CellName(merged.back()) + " is in another shard too; make the shards with one build"};
  }
  return merged;
}

Json MergeEnvironments(const std::vector<const ShardReport*>& shards) {
  Json merged = Json::object();
  for (const ShardReport* shard : shards)
    for (const auto& [name, value] : shard->report.at("environment").items()) {
      const std::string text = value.get<std::string>();
      if (!merged.contains(name)) merged[name] = text;
      std::string all = merged.at(name).get<std::string>();
      if (("; " + all + ";").find("; " + text + ";") == std::string::npos) merged[name] = all + "; " + text;
    }
  merged["shards"] = std::to_string(shards.size());
  return merged;
}

}  // namespace

Result<Json> Merge(std::span<const ShardReport> shards) {
  const auto ordered = InOrder(shards);
  if (!ordered.ok()) return Error{ordered.error()};
  Json merged = ordered.value().front()->report;
  merged.erase("shard");
  merged["environment"] = MergeEnvironments(ordered.value());
  for (std::size_t k = 0; k < merged.at("kernels").size(); ++k) {
    Result<Json> cells = MergeCells(ordered.value(), k);
    if (!cells.ok()) return cells;
    Json& kernel = merged.at("kernels")[k];
    kernel["cells"] = std::move(cells).value();
    kernel["asked"] = AskedJson(kernel.at("cells"));
    kernel["kept"] = KernelIsKept(kernel);
    kernel.erase("planned");
  }
  return merged;
}

}  // namespace normcheck::reports

// Judges the case files of the public bugs and runs the laws that stand for the rest.
#include "properties/replay.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "properties/laws/checks.h"
#include "properties/run_laws.h"

namespace normcheck::properties {
namespace {

using Answer = ReplayedRow::Answer;

constexpr int kRows = 118;
constexpr int kLawCases = 40;
constexpr std::string_view kPrefix = "public-bugs-";

// Rows whose point needs more than one call.
struct RowOfLaw {
  int row;
  std::string_view law;
};
constexpr RowOfLaw kRowsOfLaws[] = {{11, "every-target"},  {40, "batch-independence"}, {56, "written"},   {57, "guard-pages"},
                                    {58, "alignment"},     {59, "padding"},            {61, "empty"},     {64, "wide-pitch"},
                                    {67, "many-rows"},     {69, "padding"},            {72, "repeatable"}, {88, "float-environment"},
                                    {91, "batch-size"}};

// "public-bugs-015b-tt-metal-47791.case.json": "15b".
std::string RowOfFile(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t first = name.find_first_not_of('0', kPrefix.size());
  return name.substr(first, name.find('-', kPrefix.size()) - first);
}

int Number(const std::string& row) { return std::atoi(row.c_str()); }

ReplayedRow Judged(const norm::Kernel& kernel, const Regression& regression) {
  ReplayedRow replayed;
  replayed.row = RowOfFile(regression.file);
  replayed.how = std::filesystem::path(regression.file).filename().string();
  const LawResult result = CheckLaw(kernel, Laws().front(), regression.c);
  replayed.seen = result.seen;
  if (result.state == LawResult::State::kBroken) replayed.answer = Answer::kHasBug;
  if (result.state == LawResult::State::kKept) replayed.answer = Answer::kFree;
  return replayed;
}

ReplayedRow ByLaw(const norm::Kernel& kernel, const RowOfLaw& row) {
  const Law& law = *std::ranges::find(Laws(), row.law, &Law::name);
  PropertyOptions options;
  options.cases = kLawCases;
  const LawRun run = RunLaw(kernel, law, options);
  ReplayedRow replayed{std::to_string(row.row), "law " + std::string(row.law), Answer::kNotAsked, run.seen};
  if (run.state == LawRun::State::kBroken) replayed.answer = Answer::kHasBug;
  if (run.state == LawRun::State::kKept) replayed.answer = Answer::kFree;
  return replayed;
}

}  // namespace

std::vector<ReplayedRow> ReplayPublicBugs(const norm::Kernel& kernel, const std::vector<Regression>& regressions) {
  std::vector<ReplayedRow> rows;
  for (const Regression& regression : regressions)
    if (regression.family == "public-bugs") rows.push_back(Judged(kernel, regression));
  for (const RowOfLaw& row : kRowsOfLaws) rows.push_back(ByLaw(kernel, row));
  std::set<int> asked;
  for (const ReplayedRow& row : rows) asked.insert(Number(row.row));
  for (int row = 1; row <= kRows; ++row)
    if (!asked.contains(row)) rows.push_back({std::to_string(row), "no forward call says it (regressions/TABLE.md)", Answer::kNotAsked, ""});
  std::ranges::sort(rows, {}, [](const ReplayedRow& row) { return std::tuple(Number(row.row), row.row, row.how); });
  return rows;
}

}  // namespace normcheck::properties

// Worker statistics as a JSON file.
#include "fuzz/worker_stats.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "reference/case_json.h"

namespace normcheck::fuzz {
namespace {

constexpr const char* kWorkerSchema = "normcheck/worker/1";

WorkerStats FromJson(const nlohmann::json& json) {
  return {.executions = json.at("executions"),
          .judged = json.at("judged"),
          .worst_row_ulp = json.at("worst_row_ulp_q20"),
          .worst_bound_ratio = json.at("worst_bound_ratio_q20")};
}

}  // namespace

void WorkerStats::Merge(const WorkerStats& other) {
  executions += other.executions;
  judged += other.judged;
  worst_row_ulp = std::max(worst_row_ulp, other.worst_row_ulp);
  worst_bound_ratio = std::max(worst_bound_ratio, other.worst_bound_ratio);
}

reference::Result<std::string> WriteWorkerStats(const std::string& path, const WorkerStats& stats) {
  const nlohmann::ordered_json json = {{"schema", kWorkerSchema},
                                       {"executions", stats.executions},
                                       {"judged", stats.judged},
                                       {"worst_row_ulp_q20", stats.worst_row_ulp},
                                       {"worst_bound_ratio_q20", stats.worst_bound_ratio}};
  return reference::WriteFileAtomically(path, json.dump() + "\n");
}

reference::Result<WorkerStats> ReadWorkerStats(const std::string& path) {
  std::ifstream file(path);
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("schema") == kWorkerSchema) return FromJson(json);
  } catch (const nlohmann::json::exception&) {
  }
  return reference::Error{path + ": no worker statistics; delete the file"};
}

}  // namespace normcheck::fuzz

// What campaign tests share: a scratch folder with fake workers, and looks at processes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "fuzz/campaign.h"
#include "fuzz/tests/scratch_folder.h"

namespace normcheck::fuzz {

namespace fs = std::filesystem;

// A scratch folder whose bin/ holds the fake worker under the names of the real targets.
class Campaign : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    fs::create_directory(dir_ / "bin");
    for (const char* name : {"fuzz_layer_norm", "fuzz_rms_norm"}) fs::create_symlink(FAKE_WORKER_PATH, dir_ / "bin" / name);
    Behave("count");
  }

  fs::path Dir() const { return dir_ / "campaign"; }

  nlohmann::json Summary() const {
    std::ifstream file(Dir() / "summary.json");
    return nlohmann::json::parse(file);
  }

  static void Behave(const char* how) { setenv("FAKE_WORKER", how, 1); }

  CampaignOptions Options(double seconds) const {
    CampaignOptions options;
    options.kernel = norm::ProductionKernels().front();
    options.op = norm::Op::kLayerNorm;
    options.budget.seconds = seconds;
    options.jobs = 2;
    options.dir = (dir_ / "campaign").string();
    options.fuzz_dir = (dir_ / "bin").string();
    return options;
  }

  // The fake worker leaves a corpus file named by its process id.
  std::vector<pid_t> WorkersSeen() const {
    std::vector<pid_t> workers;
    if (!fs::exists(dir_ / "campaign/corpus/layer_norm")) return workers;
    for (const auto& entry : fs::directory_iterator(dir_ / "campaign/corpus/layer_norm"))
      workers.push_back(std::stoi(entry.path().filename().string()));
    return workers;
  }

};

inline bool Lives(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string id, name, state;
  file >> id >> name >> state;
  return !state.empty() && state != "Z" && state != "X";
}

inline bool Within(double seconds, const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace normcheck::fuzz

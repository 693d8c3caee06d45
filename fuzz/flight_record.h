// The execution in flight: input and start time in a file mapped by worker and campaign, so that they outlive any end of the worker.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace normcheck::fuzz {

// Inputs beyond this are recorded without bytes; libFuzzer's -max_len stays below.
inline constexpr std::size_t kMostFlightBytes = 1u << 16;

// The worker's side. Without a path, or where the file cannot be mapped, it does nothing.
class FlightRecorder {
 public:
  explicit FlightRecorder(const std::string& path);
  FlightRecorder(const FlightRecorder&) = delete;
  FlightRecorder& operator=(const FlightRecorder&) = delete;
  ~FlightRecorder();

  void Begin(std::span<const std::uint8_t> input);
  void End();

 private:
  void* map_ = nullptr;
};

// The campaign's side: the input of the execution that was under way when the worker last wrote, and the time at which that began
// (CLOCK_MONOTONIC, in ns), which tells executions apart. Nothing between two executions.
std::optional<std::vector<std::uint8_t>> InputUnderWay(const std::string& path);
std::optional<std::int64_t> ExecutionUnderWay(const std::string& path);

}  // namespace normcheck::fuzz

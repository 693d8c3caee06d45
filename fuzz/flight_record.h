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

struct Flight {
  double seconds = 0;  // since it began
  std::vector<std::uint8_t> input;
};

// The campaign's side: the execution that was under way when the worker last wrote; nothing between two executions.
std::optional<Flight> ReadFlight(const std::string& path);

}  // namespace normcheck::fuzz

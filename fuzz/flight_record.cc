// The flight record as a small mapped file: state, time, size, bytes.
#include "fuzz/flight_record.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>

namespace normcheck::fuzz {
namespace {

struct Record {
  std::uint64_t in_flight;
  std::int64_t began_ns;  // CLOCK_MONOTONIC, which all processes share
  std::uint64_t size;
  std::array<std::uint8_t, kMostFlightBytes> bytes;
};

std::int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Not to be moved across the kernel's run, or the record would be of the next execution.
void Publish(Record& record, std::uint64_t in_flight) {
  std::atomic_ref(record.in_flight).store(in_flight, std::memory_order_seq_cst);
}

}  // namespace

FlightRecorder::FlightRecorder(const std::string& path) {
  if (path.empty()) return;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return;
  // Allocated now: on a full disk a store into a hole would be a SIGBUS later.
  const bool room = ::posix_fallocate(file, 0, sizeof(Record)) == 0;
  void* map = room ? ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  if (map != MAP_FAILED) map_ = map;
  End();
}

FlightRecorder::~FlightRecorder() {
  if (map_) ::munmap(map_, sizeof(Record));
}

void FlightRecorder::Begin(std::span<const std::uint8_t> input) {
  if (!map_) return;
  Record& record = *static_cast<Record*>(map_);
  record.began_ns = NowNs();
  record.size = input.size() <= kMostFlightBytes ? input.size() : 0;
  if (record.size > 0) std::memcpy(record.bytes.data(), input.data(), record.size);
  Publish(record, 1);
}

void FlightRecorder::End() {
  if (map_) Publish(*static_cast<Record*>(map_), 0);
}

std::optional<Flight> ReadFlight(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t in_flight = 0, size = 0;
  std::int64_t began_ns = 0;
  file.read(reinterpret_cast<char*>(&in_flight), sizeof in_flight);
  file.read(reinterpret_cast<char*>(&began_ns), sizeof began_ns);
  file.read(reinterpret_cast<char*>(&size), sizeof size);
  if (!file || in_flight == 0 || size > kMostFlightBytes) return std::nullopt;
  Flight flight{static_cast<double>(NowNs() - began_ns) * 1e-9, std::vector<std::uint8_t>(size)};
  file.read(reinterpret_cast<char*>(flight.input.data()), static_cast<std::streamsize>(size));
  return file ? std::optional(std::move(flight)) : std::nullopt;
}

}  // namespace normcheck::fuzz

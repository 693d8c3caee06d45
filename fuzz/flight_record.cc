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

struct Header {
  std::uint64_t in_flight;
  std::int64_t began_ns;  // CLOCK_MONOTONIC, which all processes share
  std::uint64_t size;
};

struct Record {
  Header header;
  std::array<std::uint8_t, kMostFlightBytes> bytes;
};

std::int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Not to be moved across the kernel's run, or the record would be of the next execution.
void Publish(Record& record, std::uint64_t in_flight) {
  std::atomic_ref(record.header.in_flight).store(in_flight, std::memory_order_seq_cst);
}

// Of an execution under way.
std::optional<Header> HeaderFrom(std::istream& file) {
  Header header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  return file && header.in_flight != 0 ? std::optional(header) : std::nullopt;
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
  record.header.began_ns = NowNs();
  record.header.size = input.size() <= kMostFlightBytes ? input.size() : 0;
  if (record.header.size > 0) std::memcpy(record.bytes.data(), input.data(), record.header.size);
  Publish(record, 1);
}

void FlightRecorder::End() {
  if (map_) Publish(*static_cast<Record*>(map_), 0);
}

std::optional<std::vector<std::uint8_t>> InputUnderWay(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = HeaderFrom(file);
  if (!header || header->size > kMostFlightBytes) return std::nullopt;
  std::vector<std::uint8_t> input(header->size);
  file.read(reinterpret_cast<char*>(input.data()), static_cast<std::streamsize>(input.size()));
  return file ? std::optional(std::move(input)) : std::nullopt;
}

std::optional<std::int64_t> ExecutionUnderWay(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = HeaderFrom(file);
  return header ? std::optional(header->began_ns) : std::nullopt;
}

}  // namespace normcheck::fuzz

// Limits, and the pool.
#include "properties/plug_in/worker.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <set>
#include <string_view>

#include "norm/harness_fault.h"
#include "norm/kernel_fault.h"
#include "properties/plug_in/description.h"
#include "properties/plug_in/notes.h"

namespace normcheck::properties::plug_in {
namespace {

using norm::CallResult;
using norm::CallStatus;
using reference::Error;

constexpr double kMaxSeconds = 86400;
constexpr int kTenth = 10;
constexpr std::size_t kElementsPerMillisecond = 500;

// CallResult's texts live for ever: each is kept once, and a kernel that never says the same twice cannot fill the memory.
std::string_view Kept(const std::string& text) {
  constexpr std::size_t kMost = 4096;
  static std::mutex mutex;
  static std::set<std::string>* const texts = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (texts->size() >= kMost && !texts->contains(text)) return "the kernel gave more different errors than are kept";
  return *texts->insert(text).first;
}

// The hung flag of a plug-in by its name: a fresh load of it must not wait for as long again.
std::atomic<bool>& HasHung(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::atomic<bool>>* const flags = new std::map<std::string, std::atomic<bool>>;
  const std::lock_guard lock(mutex);
  return (*flags)[name];
}

CallResult ResultOf(const Answer& answer) {
  if (answer.status == CallStatus::kOk) return {};
  return {answer.status, "the kernel", Kept(answer.text.empty() ? "returned an error without text" : OneLine(answer.text))};
}

}  // namespace

Answer Answer::TooLong(const CallTimer& timer) {
  if (timer.starved()) return NotAsked("did not return in time, but had hardly any processor time: this machine is too busy");
  const std::string stopped = timer.stopped() ? ": its process is stopped" : "";
  return {End::kHung, {}, "did not return in time" + stopped, 1};
}

Milliseconds TimeLimit::Of(const norm::KernelCall& call) const {
  return base + Milliseconds(call.rows * call.width / kElementsPerMillisecond);
}

reference::Result<TimeLimit> TimeLimitFromEnvironment() {
  const char* const given = std::getenv("NORMCHECK_TIME_LIMIT");
  if (given == nullptr || *given == 0) return TimeLimit{};
  const std::string_view text = given;
  double seconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (fault != std::errc() || end != text.data() + text.size() || !(seconds >= 0.001 && seconds <= kMaxSeconds))
    return Error{fmt::format("NORMCHECK_TIME_LIMIT=\"{}\": is no number of seconds from 0.001 to {}", text, kMaxSeconds)};
  return TimeLimit{Milliseconds(static_cast<std::int64_t>(seconds * 1000))};
}

WorkerPool::WorkerPool(std::string name, TimeLimit limit, std::function<StartedWorker()> start, std::unique_ptr<Worker> first)
    : name_(std::move(name)), limit_(limit), start_(std::move(start)), has_hung_(HasHung(name_)) {
  idle_.push_back(std::move(first));
}

// The one that came back last, so that a single caller meets one process and sees what it remembers.
StartedWorker WorkerPool::Take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Worker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
  }
  return start_();
}

void WorkerPool::GiveBack(std::unique_ptr<Worker> worker) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

void WorkerPool::NoteThreads(std::uint32_t threads) {
  if (threads > 1 && !threads_noted_.exchange(true))
    AddNote(fmt::format("{}: the kernel left {} thread{} running after a call (no finding)", name_, threads - 1, threads == 2 ? "" : "s"));
}

// Of all its workers, and all that they started.
WorkerPool::~WorkerPool() {
  for (const std::unique_ptr<Worker>& worker : idle_) End(*worker);
}

void WorkerPool::End(Worker& worker) {
  const int left = worker.End();
  if (left > 0 && !left_behind_noted_.exchange(true))
    AddNote(fmt::format("{}: the kernel left {} process{} behind: killed (no finding)", name_, left, left == 1 ? "" : "es"));
}

CallResult WorkerPool::Run(const norm::KernelCall& call) {
  StartedWorker taken = Take();
  if (!taken.ok()) throw norm::HarnessFault("the kernel could not be started again: " + taken.error());
  std::unique_ptr<Worker> worker = std::move(taken).value();
  const TimeLimit limit = has_hung_ ? TimeLimit{limit_.base / kTenth} : limit_;
  const Answer answer = worker->Run(call, limit.Of(call));
  if (answer.end == Answer::End::kHung) has_hung_ = true;
  if (answer.end != Answer::End::kReturned) End(*worker);
  if (answer.end == Answer::End::kNotAsked) throw norm::HarnessFault("the kernel " + answer.text);
  if (answer.end != Answer::End::kReturned) throw norm::KernelFault("the kernel " + answer.text);
  NoteThreads(answer.threads);
  GiveBack(std::move(worker));
  return ResultOf(answer);
}

}  // namespace normcheck::properties::plug_in

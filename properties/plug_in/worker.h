// A worker: one process in which a kernel is called, by whatever means; and the pool of those that are ready.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "norm/kernel_call.h"
#include "properties/plug_in/child_process.h"
#include "properties/plug_in/process_activity.h"
#include "reference/result.h"

namespace normcheck::properties::plug_in {

using Milliseconds = std::chrono::milliseconds;

// What came of a call. A fault ends the worker: `text` says what the kernel did ("crashed (SIGSEGV) behind y"). Not asked: what
// this program could not do for it, which is no fault of the kernel.
struct Answer {
  enum class End { kReturned, kFault, kHung, kNotAsked };

  End end = End::kReturned;
  norm::CallStatus status = norm::CallStatus::kOk;  // where it returned; its error in `text`
  std::string text = {};
  std::uint32_t threads = 1;  // of the process after the call

  static Answer Fault(std::string text) { return {End::kFault, {}, std::move(text), 1}; }
  static Answer Of(const ChildEnd& end) { return {end.disturbed ? End::kNotAsked : End::kFault, {}, end.how, 1}; }
  static Answer NotAsked(std::string text) { return {End::kNotAsked, {}, std::move(text), 1}; }
  static Answer TooLong(const CallTimer& timer);
  static Answer Returned(norm::CallStatus status, std::string text) { return {End::kReturned, status, std::move(text), 1}; }
};

class Worker {
 public:
  virtual ~Worker() = default;
  // The text of PROTOCOL.md.
  virtual const std::string& description() const = 0;
  // Requires: CheckCall(call).ok(), and a kernel that supports the call. Hung where the process has spent `limit` (CallTimer).
  virtual Answer Run(const norm::KernelCall& call, Milliseconds limit) = 0;
  // Ends it, and says how many processes it had left behind: those are ended too.
  virtual int End() = 0;
};

using StartedWorker = reference::Result<std::unique_ptr<Worker>>;

// What a call may take of processor time and sleep: the base, and 2 us for each element.
struct TimeLimit {
  Milliseconds base{5000};

  Milliseconds Of(const norm::KernelCall& call) const;
  Milliseconds OfStart() const { return 4 * base; }
};

// NORMCHECK_TIME_LIMIT in seconds, or 5. Error: no number from 0.001 to 86400.
reference::Result<TimeLimit> TimeLimitFromEnvironment();

// The workers of one plug-in. As many calls run at a time as there are callers, each in a process of its own; a worker that has
// failed is dropped, and the next call has a new one. Any thread.
class WorkerPool {
 public:
  // `name` is what the user called the plug-in, for notes.
  WorkerPool(std::string name, TimeLimit limit, std::function<StartedWorker()> start, std::unique_ptr<Worker> first);
  ~WorkerPool();

  // Throws KernelFault, and HarnessFault where this program could not ask the kernel: no worker, no memory, no processor. Once a call has hung, the base of later limits is a tenth: searches repeat a hang a thousand times.
  norm::CallResult Run(const norm::KernelCall& call);

 private:
  StartedWorker Take();
  void GiveBack(std::unique_ptr<Worker> worker);
  void End(Worker& worker);
  void NoteThreads(std::uint32_t threads);

  std::string name_;
  TimeLimit limit_;
  std::function<StartedWorker()> start_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::atomic<bool>& has_hung_;  // of every load of the plug-in
  std::atomic<bool> threads_noted_ = false;
  std::atomic<bool> left_behind_noted_ = false;
};

}  // namespace normcheck::properties::plug_in

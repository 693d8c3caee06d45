// Threads that take the next piece of work from one counter.
#include "reports/parallel.h"

#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace normcheck::reports {
namespace {

// The first fault of any thread; the others see it and stop.
class FirstFault {
 public:
  void Set(std::string message) {
    const std::lock_guard lock(mutex_);
    if (!fault_) fault_ = reference::Error{std::move(message)};
    seen_.store(true);
  }
  bool seen() const { return seen_.load(); }
  const std::optional<reference::Error>& fault() const { return fault_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> seen_ = false;
  std::optional<reference::Error> fault_;
};

}  // namespace

reference::Result<bool> RunInParallel(std::size_t count, unsigned threads, const std::atomic<bool>* stop,
                                      const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  FirstFault fault;
  const auto take = [&] {
    for (std::size_t i = next++; i < count && !fault.seen(); i = next++) {
      if (stop != nullptr && stop->load()) return;
      try {
        work(i);
      } catch (const std::exception& error) {
        return fault.Set(error.what());
      }
    }
  };
  std::vector<std::jthread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(take);
  take();
  pool.clear();
  if (fault.fault()) return *fault.fault();
  return true;
}

}  // namespace normcheck::reports

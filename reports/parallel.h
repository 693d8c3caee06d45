// Independent pieces of work on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "reference/result.h"

namespace normcheck::reports {

// work(0), ..., work(count - 1), begun in this order. `stop`, where given and set: no more is begun.
// Error: the text of the first exception; nothing is begun after it.
reference::Result<bool> RunInParallel(std::size_t count, unsigned threads, const std::atomic<bool>* stop,
                                      const std::function<void(std::size_t)>& work);

}  // namespace normcheck::reports

// Independent jobs in processes of their own: RapidCheck keeps global state, so that threads cannot share it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace normcheck::properties {

// job(0), ..., job(count - 1), as many at once as the machine has processors, each in a fork of this process; the texts they
// return, in order. started(i) is called here before each. A job whose process dies, or cannot be made, is run here.
std::vector<std::string> RunForked(std::size_t count, const std::function<std::string(std::size_t)>& job,
                                   const std::function<void(std::size_t)>& started);

}  // namespace normcheck::properties

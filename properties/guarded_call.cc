// Signal handlers that jump back to the guarded call of their own thread.
#include "properties/guarded_call.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "reference/mxcsr.h"

namespace normcheck::properties {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

thread_local sigjmp_buf* landing = nullptr;

std::mutex handlers_mutex;
int handlers_users = 0;
struct sigaction former_actions[std::size(kSignals)];

// A crash that is none of ours: the former action comes back, and the instruction meets it when it is tried again.
void Land(int signal) {
  if (landing != nullptr) siglongjmp(*landing, signal);
  for (std::size_t i = 0; i < std::size(kSignals); ++i)
    if (kSignals[i] == signal) sigaction(signal, &former_actions[i], nullptr);
}

// Puts back what a crash would leave behind.
class Landing {
 public:
  explicit Landing(sigjmp_buf& here) : outer_(std::exchange(landing, &here)) {}
  ~Landing() { landing = outer_; }
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  void RestoreEnvironment() const { reference::RestoreMxcsr(mxcsr_); }

 private:
  sigjmp_buf* outer_;
  unsigned mxcsr_ = reference::ReadMxcsr();
};

template <typename Call>
norm::CallResult CallGuarded(const Call& call) {
  sigjmp_buf here;
  const Landing guard(here);
  const int signal = sigsetjmp(here, 0);
  if (signal == 0) return call();
  guard.RestoreEnvironment();
  throw KernelCrash(std::string("the kernel crashed: ") + strsignal(signal));
}

}  // namespace

CrashHandlers::CrashHandlers() {
  const std::lock_guard lock(handlers_mutex);
  if (handlers_users++ > 0) return;
  struct sigaction action = {};
  action.sa_handler = Land;
  action.sa_flags = SA_NODEFER;  // the jump leaves the handler without a return, so the mask must not change
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &former_actions[i]);
}

CrashHandlers::~CrashHandlers() {
  const std::lock_guard lock(handlers_mutex);
  if (--handlers_users > 0) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &former_actions[i], nullptr);
}

norm::Kernel Guarded(norm::Kernel kernel) {
  kernel.run = [run = kernel.run](const norm::KernelCall& call) { return CallGuarded([&] { return run(call); }); };
  if (kernel.run_on)
    kernel.run_on = [run_on = kernel.run_on](std::string_view target, const norm::KernelCall& call) {
      return CallGuarded([&] { return run_on(target, call); });
    };
  return kernel;
}

}  // namespace normcheck::properties

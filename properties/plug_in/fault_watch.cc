// This program's sigaction and signal stand in front of the C library's: a library's calls arrive here.
#include "properties/plug_in/fault_watch.h"

#include <dlfcn.h>


namespace normcheck::properties::plug_in {
namespace {

using Action = struct sigaction;
using SetAction = int (*)(int, const Action*, Action*);

constexpr int kWatched[] = {SIGSEGV, SIGBUS};

OnBadAccess tell = nullptr;
Action theirs[2] = {};  // in the order of kWatched

SetAction RealSigaction() {
  static const auto real = reinterpret_cast<SetAction>(dlsym(RTLD_NEXT, "sigaction"));
  return real;
}

// The library's action of a watched signal, null of others.
Action* TheirActionOf(int signal) {
  return signal == SIGSEGV ? &theirs[0] : signal == SIGBUS ? &theirs[1] : nullptr;
}

void PassOn(const Action& action, int signal, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_NODEFER) != 0) {
    sigset_t again;
    sigemptyset(&again);
    sigaddset(&again, signal);
    pthread_sigmask(SIG_UNBLOCK, &again, nullptr);
  }
  if ((action.sa_flags & SA_SIGINFO) != 0) action.sa_sigaction(signal, info, context);
  else action.sa_handler(signal);
}

// Without a handler of the library's the instruction is tried again and ends the process.
void OnSignal(int signal, siginfo_t* info, void* context) {
  tell(info->si_addr);
  Action& action = *TheirActionOf(signal);
  const bool handled = (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  if (handled) return PassOn(action, signal, info, context);
  Action by_default = {};
  by_default.sa_handler = SIG_DFL;
  RealSigaction()(signal, &by_default, nullptr);
}

}  // namespace

int SetTheirs(int signal, const Action* action, Action* before);

void WatchAccesses(OnBadAccess told) {
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  tell = told;
  static_cast<void>(WatchAgain());
  for (Action& action : theirs) action = {};  // a sanitizer's would end the process in its own way
}

bool WatchAgain() {
  bool lost = false;
  for (const int signal : kWatched) {
    Action ours = {}, before = {};
    ours.sa_sigaction = OnSignal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    RealSigaction()(signal, &ours, &before);
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction == OnSignal) continue;
    lost = true;
    *TheirActionOf(signal) = before;
  }
  return lost;
}

// In place of the C library's for the two signals: what the library asks for is kept, and called behind the watch.
int SetTheirs(int signal, const Action* action, Action* before) {
  Action* const kept = tell == nullptr ? nullptr : TheirActionOf(signal);
  if (kept == nullptr) return RealSigaction()(signal, action, before);
  const Action now = action == nullptr ? *kept : *action;
  if (before != nullptr) *before = *kept;
  *kept = now;
  return 0;
}

}  // namespace normcheck::properties::plug_in

#define NORMCHECK_INSTEAD extern "C" __attribute__((visibility("default"), used))

NORMCHECK_INSTEAD int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept;
NORMCHECK_INSTEAD int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  return normcheck::properties::plug_in::SetTheirs(signal, action, before);
}

// With BSD's meaning, as the C library's: the handler stays, the signal is blocked while it runs, calls are taken up again.
NORMCHECK_INSTEAD sighandler_t signal(int number, sighandler_t handler) noexcept;
NORMCHECK_INSTEAD sighandler_t signal(int number, sighandler_t handler) noexcept {
  struct sigaction action = {}, before = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return normcheck::properties::plug_in::SetTheirs(number, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

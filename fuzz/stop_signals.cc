// Installing and restoring the handlers.
#include "fuzz/stop_signals.h"

namespace normcheck::fuzz {
namespace {

volatile sig_atomic_t stop_asked = 0;

}  // namespace

StopSignals::StopSignals() {
  stop_asked = 0;
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_asked = 1; };
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &earlier_[i]);
    if (kSignals[i] == SIGHUP && earlier_[i].sa_handler == SIG_IGN) sigaction(SIGHUP, &earlier_[i], nullptr);
  }
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, &earlier_file_limit_);
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &earlier_[i], nullptr);
  sigaction(SIGXFSZ, &earlier_file_limit_, nullptr);
}

bool StopSignals::Caught() const { return stop_asked != 0; }

}  // namespace normcheck::fuzz

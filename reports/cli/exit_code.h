// The exit codes of normcheck and how several meet.
#pragma once

namespace normcheck::reports {

enum class ExitCode : int {
  kKept = 0,        // all promises kept
  kBroken = 1,      // a promise broken
  kWrongUse = 2,    // wrong use, unreadable input, or a failed write
  kNotChecked = 3,  // could not check: a missing tool, nothing supported
};

// Wrong use before broken before not checked before kept.
constexpr ExitCode Graver(ExitCode a, ExitCode b) {
  constexpr int kGravity[] = {0, 2, 3, 1};
  return kGravity[static_cast<int>(a)] >= kGravity[static_cast<int>(b)] ? a : b;
}

}  // namespace normcheck::reports

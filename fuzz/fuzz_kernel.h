// A libFuzzer target of a C++ kernel of your own, in one line: NORMCHECK_FUZZ_TARGET(normcheck::norm::Op::kRmsNorm, MyKernel()).
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "fuzz/target_case.h"
#include "fuzz/target_session.h"

namespace normcheck::fuzz {

// Judges the case that the bytes stand for. The first broken promise is printed with its case, and ends the process.
inline int FuzzKernel(std::span<const std::uint8_t> bytes) {
  TargetSession& session = TheSession();
  session.Remember(bytes);
  const auto outcome = session.Check(TargetCase(session.kernel(), session.op(), bytes));
  if (outcome == TargetSession::Outcome::kFailed) {
    std::fputs(session.report().c_str(), stderr);
    std::abort();
  }
  return outcome == TargetSession::Outcome::kSkipped ? -1 : 0;
}

inline TargetSession SessionOf(norm::Op op, norm::Kernel kernel) {
  SessionOptions options;
  options.kernel = std::move(kernel);
  options.op = op;
  return TargetSession(std::move(options));
}

}  // namespace normcheck::fuzz

#define NORMCHECK_FUZZ_TARGET(op, kernel)                                                            \
  normcheck::fuzz::TargetSession& normcheck::fuzz::TheSession() {                                    \
    static TargetSession session = SessionOf(op, kernel);                                            \
    return session;                                                                                  \
  }                                                                                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {                \
    return normcheck::fuzz::FuzzKernel({data, size});                                                \
  }

// Fuzz target of one op (NORMCHECK_TARGET_OP): bytes become a case, the kernel of NORMCHECK_KERNEL is judged on it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/flight_record.h"
#include "fuzz/target_session.h"

namespace {

using normcheck::fuzz::FlightRecorder;
using normcheck::fuzz::TargetSession;
using normcheck::fuzz::TheSession;

constexpr auto kOp = normcheck::norm::Op::NORMCHECK_TARGET_OP;

TargetSession* OpenSession() {
  auto options = normcheck::fuzz::SessionFromEnvironment(kOp);
  if (options.ok()) return new TargetSession(std::move(options).value());
  std::fprintf(stderr, "%s\n", options.error().c_str());
  std::_Exit(2);
}

FlightRecorder& Flights() {
  static const char* const path = std::getenv("NORMCHECK_FLIGHT");
  static auto* recorder = new FlightRecorder(path ? path : "");
  return *recorder;
}

// A finding that cannot be written is no crash of the kernel: an exit code of its own, and no artifact.
[[noreturn]] void End(const TargetSession& session) {
  std::fputs(session.report().c_str(), stderr);
  if (session.recording()) std::_Exit(normcheck::fuzz::kCannotRecord);
  std::abort();
}

}  // namespace

TargetSession& normcheck::fuzz::TheSession() {
  static TargetSession* session = OpenSession();
  return *session;
}

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  TheSession();
  return std::atexit([] { TheSession().SaveStats(); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  TargetSession& session = TheSession();
  Flights().Begin({data, size});
  session.Remember({data, size});
  session.OnEachQuestion([data, size] { Flights().Begin({data, size}); });
  const auto outcome = session.Check(normcheck::fuzz::TargetCase(session.kernel(), session.op(), {data, size}));
  Flights().End();
  if (outcome == TargetSession::Outcome::kFailed) End(session);
  return outcome == TargetSession::Outcome::kSkipped ? -1 : 0;
}

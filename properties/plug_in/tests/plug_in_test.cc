// Plug-ins of both kinds, right and wrong ones, through the worker processes that run them.
#include "properties/plug_in/plug_in.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "norm/kernel_fault.h"
#include "properties/plug_in/notes.h"
#include "properties/plug_in/tests/loaded.h"
#include "reference/judge.h"
#include "reference/number.h"

namespace normcheck::properties {
namespace {

using norm::Kernel;
using reference::MakeCase;
using reference::Verdict;

// Sets NORMCHECK_TIME_LIMIT while it lives.
class TimeLimitOf {
 public:
  explicit TimeLimitOf(const char* seconds) { setenv("NORMCHECK_TIME_LIMIT", seconds, 1); }
  ~TimeLimitOf() { unsetenv("NORMCHECK_TIME_LIMIT"); }
};

// x = 1, 2, 3, ...: no element of a right kernel's y is the poison, and epsilon matters.
Case PlainCase(std::size_t width, std::size_t rows = 1, double scale = 1) {
  Case c = MakeCase(Op::kLayerNorm, {}, rows, width, 1e-3);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = reference::BitsOf(scale * static_cast<double>(i + 1), Format::kF32);
  return c;
}

TEST(PlugIn, FaultOfTheFormulaIsJudgedAndDiagnosed) {
  const Verdict verdict = reference::Judge(Loaded(Library("eps_after_root")), PlainCase(5, 1, 1e-2), {});
  EXPECT_FALSE(verdict.kept);
  EXPECT_EQ(verdict.fault, "");
  ASSERT_FALSE(verdict.diagnosis.empty());
  EXPECT_EQ(verdict.diagnosis[0].id, "eps-after-root");
}

struct Misdeed {
  std::string kernel;
  std::string fault;  // how the verdict's begins, on width 13
};

class PlugInMisdeed : public testing::TestWithParam<Misdeed> {};

TEST_P(PlugInMisdeed, IsAFindingAndTheRunGoesOn) {
  const TimeLimitOf limit("1");
  const Kernel kernel = Loaded(GetParam().kernel);
  const Verdict before = reference::Judge(kernel, PlainCase(5), {});
  EXPECT_TRUE(before.kept) << before.fault;
  for (int time = 0; time < 2; ++time) {
    const Verdict verdict = reference::Judge(kernel, PlainCase(13), {});
    EXPECT_FALSE(verdict.kept);
    EXPECT_FALSE(verdict.not_supported);
    EXPECT_EQ(verdict.got.size(), 13u);
    EXPECT_EQ(verdict.fault.substr(0, GetParam().fault.size()), GetParam().fault);
  }
  const Verdict after = reference::Judge(kernel, PlainCase(14), {});
  EXPECT_TRUE(after.kept) << after.fault;
  EXPECT_EQ(after.tally.judged, 14u);
}

INSTANTIATE_TEST_SUITE_P(
    OfLibraries, PlugInMisdeed,
    testing::Values(Misdeed{Library("crash"), "the kernel crashed (SIGSEGV)"}, Misdeed{Library("hang"), "the kernel did not return in time"},
                    Misdeed{Library("spins"), "the kernel did not return in time"},
                    Misdeed{Library("frees"), "the kernel crashed (SIGABRT)"}, Misdeed{Library("scribbles"), "the kernel crashed (SIGABRT)"},
                    Misdeed{Library("exit"), "the kernel ended its process (exit 0)"},
                    Misdeed{Library("writes_behind"), "the kernel wrote behind y: from byte 0 after its end on"},  // D3
                    Misdeed{Library("writes_before"), "the kernel wrote before y: from byte 4 before its begin on"},
                    Misdeed{Library("writes_far_behind"), "the kernel crashed (SIGSEGV) behind y: byte 32716 after its end"},
                    Misdeed{Library("signals_parent"), "the kernel sent SIGTERM to its parent process"},  // F6
                    Misdeed{Library("kills_parent"), "the kernel killed its parent process (SIGKILL)"},
                    Misdeed{Library("stops_parent"), "the kernel stopped its parent process (SIGSTOP)"},
                    Misdeed{Library("kills_group"), "the kernel crashed (SIGKILL)"},
                    Misdeed{Library("catches_segv"), "the kernel caught its own SIGSEGV behind y: byte 32"},  // F5
                    Misdeed{Library("catches_behind_the_watch"), "the kernel replaced the handler of SIGSEGV"},
                    Misdeed{Library("changes_x"), "the kernel changed x"}, Misdeed{Library("mxcsr"), "changed MXCSR"},
                    Misdeed{Library("error"), "refused: the kernel: no rows of 13 please"}));

INSTANTIATE_TEST_SUITE_P(
    OfPrograms, PlugInMisdeed,
    testing::Values(Misdeed{FaultyExec("garbage"), "the kernel wrote garbage: a reply begins with other bytes than NCRP"},
                    Misdeed{FaultyExec("number"), "the kernel wrote garbage: a reply has number "},
                    Misdeed{FaultyExec("size"), "the kernel wrote garbage: a reply of 51 bytes, not 52"},
                    Misdeed{FaultyExec("huge"), "the kernel wrote garbage: a reply of 18446744073709551615 bytes, not 52"},
                    Misdeed{FaultyExec("short"), "the kernel ended its process (exit 3): a reply was cut after 5 of 52 bytes"},
                    Misdeed{FaultyExec("stall"), "the kernel did not return in time: a reply was cut after 5 of 52 bytes"},
                    Misdeed{FaultyExec("exit"), "the kernel ended its process (exit 0)"},
                    Misdeed{FaultyExec("kill-group"), "the kernel crashed (SIGKILL)"},
                    Misdeed{FaultyExec("silence"), "the kernel did not return in time"},
                    Misdeed{FaultyExec("spin"), "the kernel did not return in time"},
                    Misdeed{FaultyExec("error"), "refused: the kernel: no rows!"}));

// A6: what a library says beyond version 1, and that one of version 1 goes on working, whatever lies behind its description.
TEST(PlugIn, LibrariesStateTraitsAndOldOnesHaveNone) {
  const auto stated = FindKernel(Library("traits")), old = FindKernel(Library("version1"));
  ASSERT_TRUE(stated.ok() && old.ok()) << (stated.ok() ? old.error() : stated.error());
  EXPECT_FALSE(stated.value().beta);
  EXPECT_TRUE(stated.value().batch_dependent);
  EXPECT_TRUE(old.value().beta);
  EXPECT_FALSE(old.value().batch_dependent);
}

// What is wrong before the first call is no finding: the text is refused, in one line that says why.
TEST(PlugIn, ImpossibleOnesAreRefusedWithTheReason) {
  const TimeLimitOf limit("0.25");
  const Misdeed refused[] = {{Library("version"), "version 3, here 2"},
                             {Library("call_bytes"), "call_bytes"},
                             {Library("no_description"), "exports no normcheck_describe_kernel"},
                             {Library("null_description"), "returns null"},
                             {Library("no_ops"), "impossible description: ops: names none"},
                             {Library("unknown_op"), "impossible description: ops: \"bit5\" is none of layer_norm, rms_norm"},
                             {Library("unknown_trait"), "impossible description: traits: \"bit7\" is none of no-beta, batch-dependent"},
                             {Library("no_formats"), "impossible description: formats: names none"},
                             {Library("contract"), "impossible description: contract: "},
                             {Library("crash_at_start"), "crashed (SIGABRT) while it was loaded"},
                             {Library("absent"), "there is no such file"},
                             {kDir + "/faulty_exec", "cannot be loaded: "},
                             {FaultyExec("start-garbage"), "begins with \"hello, world\""},
                             {FaultyExec("start-exit"), "ended its process (exit 3) before its description was complete"},
                             {FaultyExec("start-silence"), "wrote no description"},
                             {FaultyExec("start-endless"), "its description begins with"},
                             {FaultyExec("start-op"), "\"batch_norm\" is none of layer_norm, rms_norm"},
                             {"exec:/no/such/program", "ended its process (exit 127)"},
                             {"exec:", "before its description was complete"}};
  for (const auto& [text, reason] : refused) {
    const auto kernel = FindKernel(text);
    ASSERT_FALSE(kernel.ok()) << text;
    EXPECT_NE(kernel.error().find(reason), std::string::npos) << kernel.error();
    EXPECT_EQ(kernel.error().find('\n'), std::string::npos) << kernel.error();
    EXPECT_NE(kernel.error().find(text), std::string::npos) << kernel.error();
  }
}

TEST(PlugIn, ProcessThatIsStoppedForThreeTimesTheLimitHasNotHung) {
  const TimeLimitOf limit("0.5");
  for (const std::string& text : {Library("stops"), FaultyExec("stop")}) {
    const Kernel kernel = Loaded(text);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(reference::Judge(kernel, PlainCase(13), {.contract = {}, .diagnose = false}).fault, "") << text;
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1400)) << text;
  }
}

TEST(PlugIn, ProcessThatStopsItselfForGoodIsAFinding) {
  const TimeLimitOf limit("0.1");
  const Verdict verdict = reference::Judge(Loaded(Library("stops_for_good")), PlainCase(13), {.contract = {}, .diagnose = false});
  EXPECT_EQ(verdict.fault, "the kernel did not return in time: its process is stopped");
}

TEST(PlugIn, ProcessThatSpinsOrSleepsHasHungLongBeforeTheClockSaysSo) {
  for (const std::string& text : {Library("spins"), Library("hang"), FaultyExec("spin"), FaultyExec("silence")}) {
    const TimeLimitOf limit("0.5");
    const Kernel kernel = Loaded(text);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(reference::Judge(kernel, PlainCase(13), {.contract = {}, .diagnose = false}).fault.substr(0, 30), "the kernel did not return in t") << text;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8)) << text;  // by the clock it is 10
  }
}

TEST(PlugIn, TimeLimitThatIsNoNumberIsRefused) {
  const TimeLimitOf limit("soon");
  EXPECT_FALSE(FindKernel(Library("my_layer_norm")).ok());
}

TEST(PlugIn, UnsupportedIsCountedAsNotSupported) {
  const Verdict answered = reference::Judge(Loaded(Library("unsupported")), PlainCase(13), {});
  EXPECT_TRUE(answered.not_supported);
  EXPECT_EQ(answered.tally.not_checked, 13u);
  const Kernel plainest = Loaded(Library("plainest"));
  EXPECT_TRUE(reference::Judge(plainest, PlainCase(5), {}).kept);  // gets ones and zeros for gamma and beta
  Case pitched = PlainCase(5);
  pitched.x_pitch = 7;
  EXPECT_EQ(reference::Judge(plainest, pitched, {}).unasked, "pitch");
  Case whole = PlainCase(2, 2);
  whole.gamma = whole.beta = std::vector<Bits>(2, reference::BitsOf(1, Format::kF32));
  EXPECT_TRUE(reference::Judge(plainest, whole, {}).kept);
  EXPECT_EQ(reference::Judge(plainest, whole, {}).tally.judged, 4u);
  whole.x_pitch = 3;
  EXPECT_TRUE(reference::Judge(plainest, whole, {}).not_supported);
  EXPECT_TRUE(reference::Judge(Loaded(Library("my_layer_norm")), MakeCase(Op::kRmsNorm, {}, 1, 5, 1e-3), {}).not_supported);
}

TEST(PlugIn, ReadBeyondAnArrayThatEndsAtAPageIsAFinding) {
  // 13 elements that end at a page: no judge can see the read, but nobody may touch what lies behind.
  alignas(4096) static std::byte page[4096];
  const Kernel kernel = Loaded(Library("reads_behind"));
  float y[13];
  norm::KernelCall call;
  call.rows = 1;
  call.width = call.x_pitch = call.y_pitch = 13;
  call.epsilon = 1;
  call.x = page + sizeof page - 13 * sizeof(float);
  call.y = y;
  try {
    kernel.run(call);
    FAIL() << "no fault";
  } catch (const norm::KernelFault& fault) {
    EXPECT_STREQ(fault.what(), "the kernel crashed (SIGSEGV) behind x: byte 0 after its end");
  }
}

// Processes other than this one that have the library mapped: forks of the one that loaded it.
int ProcessesThatMap(const std::string& library) {
  int count = 0;
  std::error_code gone;
  for (const auto& process : std::filesystem::directory_iterator("/proc", gone)) {
    std::ostringstream maps;  // where the process ends meanwhile, reading throws, which only the stream operator catches
    maps << std::ifstream(process.path() / "maps").rdbuf();
    count += maps.str().find(library) != std::string::npos ? 1 : 0;
  }
  return count;
}

// F6: whoever forks is told so, and nothing of it stays.
TEST(PlugIn, ProcessesLeftBehindAreKilledAndNoted) {
  plug_in::TakeNotes();
  const std::string library = Library("leaves_processes");
  {
    const Kernel kernel = Loaded(library);
    EXPECT_TRUE(reference::Judge(kernel, PlainCase(13), {}).kept);
    EXPECT_EQ(ProcessesThatMap(library), 3);
  }
  EXPECT_EQ(ProcessesThatMap(library), 0);
  const std::vector<std::string> notes = plug_in::TakeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], library + ": the kernel left 2 processes behind: killed (no finding)");
}

// F6: nothing outlives this program, even where it is killed, the supervisor is stopped, and nobody told the children.
TEST(PlugIn, NothingOutlivesAProgramThatIsKilled) {
  const std::string library = Library("outlives");
  const pid_t judging = fork();
  if (judging == 0) {
    static_cast<void>(reference::Judge(Loaded(library), PlainCase(13), {}));
    _exit(0);
  }
  while (ProcessesThatMap(library) < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(judging, SIGKILL);
  waitpid(judging, nullptr, 0);
  for (int tries = 0; tries < 2000 && ProcessesThatMap(library) > 0; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(ProcessesThatMap(library), 0);
}

// F5: runtimes set handlers too; who touches no guard has done nothing.
TEST(PlugIn, AHandlerOfSegvAloneIsNoFinding) {
  const Kernel kernel = Loaded(Library("handles_segv"));
  for (const std::size_t width : {13u, 14u, 13u}) EXPECT_TRUE(reference::Judge(kernel, PlainCase(width), {}).kept) << width;
}

// F3: a worker that cannot be started again is no fault of the kernel.
TEST(PlugIn, AWorkerThatCannotBeStartedAccusesNobody) {
  const Kernel kernel = Loaded(Library("crash"));
  EXPECT_FALSE(reference::Judge(kernel, PlainCase(13), {}).not_supported);
  setenv("NORMCHECK_WORKER", "/no/such/program", 1);
  const Verdict verdict = reference::Judge(kernel, PlainCase(5), {});
  unsetenv("NORMCHECK_WORKER");
  EXPECT_TRUE(verdict.harness_failed) << verdict.fault;
  EXPECT_TRUE(reference::Judge(kernel, PlainCase(5), {}).kept);
}

// F3: of the worker's side, where the owner still had memory.
TEST(PlugIn, MemoryThatTheSystemDoesNotGiveAccusesNobody) {
  const Kernel kernel = Loaded(Library("my_layer_norm"));
  Case far = PlainCase(7, 3);
  far.x_pitch = far.y_pitch = std::size_t{1} << 43;
  const Verdict verdict = reference::Judge(kernel, far, {});
  EXPECT_TRUE(verdict.harness_failed) << verdict.fault;
  EXPECT_TRUE(reference::Judge(kernel, PlainCase(5), {}).kept);
}

TEST(PlugIn, ThreadsLeftBehindAreNotedAndNoFinding) {
  plug_in::TakeNotes();
  const Kernel kernel = Loaded(Library("thread"));
  for (std::size_t width : {5u, 6u}) EXPECT_TRUE(reference::Judge(kernel, PlainCase(width), {}).kept);
  const std::vector<std::string> notes = plug_in::TakeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0], Library("thread") + ": the kernel left 1 thread running after a call (no finding)");
}

TEST(PlugIn, LargeAndFarApartRowsFit) {
  const Kernel kernel = Loaded(Library("my_layer_norm"));
  EXPECT_TRUE(reference::Judge(kernel, PlainCase(3, 400'000), {}).kept);
  Case far = PlainCase(7, 3);
  far.x_pitch = far.y_pitch = std::size_t{1} << 31;
  const Verdict verdict = reference::Judge(kernel, far, {});
  EXPECT_TRUE(verdict.kept) << verdict.fault;
  EXPECT_EQ(verdict.tally.judged, 21u);
  EXPECT_TRUE(reference::Judge(kernel, PlainCase(5), {}).kept);
}

TEST(PlugIn, ManyThreadsCallOnePlugIn) {
  const TimeLimitOf limit("60");
  const Kernel kernel = Loaded(Library("crash"));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        wrong += !reference::Judge(kernel, PlainCase(12), {}).kept;
        wrong += reference::Judge(kernel, PlainCase(13), {}).kept;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(reference::Judge(kernel, PlainCase(12), {}).kept);  // the threads that started the workers are gone
}

TEST(PlugIn, NumpyProgramKeepsItsContract) {
  if (std::string(NORMCHECK_NUMPY_PYTHON).empty()) GTEST_SKIP() << "not checked: there is no python3-numpy";
  const TimeLimitOf limit("60");
  const Kernel kernel = Loaded(std::string("exec:") + NORMCHECK_NUMPY_PYTHON + " " + NORMCHECK_EXAMPLES + "/exec_kernel.py");
  for (const Op op : norm::kOps)
    for (const Formats& formats : kernel.formats) {
      const std::vector<Case> cases = DenseCases(op, formats);
      for (std::size_t i = 0; i < cases.size(); i += 3) {
        const Verdict verdict = reference::Judge(kernel, cases[i], {});
        EXPECT_TRUE(verdict.kept && !verdict.not_supported) << norm::NameOf(op) << " case " << i << " " << verdict.fault;
      }
    }
}

}  // namespace
}  // namespace normcheck::properties

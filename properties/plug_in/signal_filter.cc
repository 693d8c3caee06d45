// A seccomp filter on kill(), by its first argument.
#include "properties/plug_in/signal_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace normcheck::properties::plug_in {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;  // no call matches it
#endif

constexpr sock_filter Load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

// Skips so many lines where the loaded word is `value`, or where it is not.
constexpr sock_filter SkipIf(std::uint32_t value, std::uint8_t lines) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, lines, 0); }
constexpr sock_filter SkipIfNot(std::uint32_t value, std::uint8_t lines) { return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, lines); }
constexpr sock_filter Answer(std::uint32_t answer) { return BPF_STMT(BPF_RET | BPF_K, answer); }

}  // namespace

bool ForbidSignalsTo(pid_t tool, bool may_lose_privileges) {
  const auto process = static_cast<std::uint32_t>(tool);
  // A process number is an int: the low half of its register, first on machines of these byte orders.
  sock_filter lines[] = {
      Load(offsetof(seccomp_data, arch)), SkipIfNot(kMachine, 6),
      Load(offsetof(seccomp_data, nr)),   SkipIfNot(SYS_kill, 4),
      Load(offsetof(seccomp_data, args)), SkipIf(~std::uint32_t{0}, 3),
      SkipIf(process, 2),                 SkipIf(~process + 1, 1),
      Answer(SECCOMP_RET_ALLOW),          Answer(SECCOMP_RET_KILL_PROCESS),
  };
  sock_fprog program = {static_cast<unsigned short>(std::size(lines)), lines};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) return true;
  return may_lose_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace normcheck::properties::plug_in

/* A LayerNorm in double with one thing wrong, chosen by FAULT_...; with none it is right. Tests build it once for each. */
#if defined(FAULT_NO_DESCRIPTION)
#define normcheck_describe_kernel normcheck_describe_misspelt
#endif
#include "normcheck/kernel.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(FAULT_THREAD)
#include <pthread.h>
#endif
#if defined(FAULT_MXCSR)
#include <xmmintrin.h>
#endif

#define ANY_SUPPORT (NORMCHECK_PITCH | NORMCHECK_IN_PLACE | NORMCHECK_ABSENT_GAMMA_BETA | NORMCHECK_STATISTICS)

static const normcheck_formats kFormats[] = {{NORMCHECK_F32, NORMCHECK_F32, NORMCHECK_F32}};

static normcheck_kernel described = {
    .version = NORMCHECK_KERNEL_VERSION,
    .kernel_bytes = sizeof(normcheck_kernel),
    .call_bytes = sizeof(normcheck_kernel_call),
    .ops = NORMCHECK_TAKES_LAYER_NORM,
    .supports = ANY_SUPPORT,
    .epsilon_format = NORMCHECK_EPSILON_F64,
    .name = "test_kernel",
    .contract = "row-ulp:1",
    .formats = kFormats,
    .format_count = 1,
};

const normcheck_kernel* normcheck_describe_kernel(void) {
#if defined(FAULT_VERSION)
  described.version = NORMCHECK_KERNEL_VERSION + 1;
#elif defined(FAULT_CALL_BYTES)
  described.call_bytes += 8;
#elif defined(FAULT_VERSION1) /* as a library of version 1 lays its description out, which had nothing behind format_count */
  described.version = 1;
  described.kernel_bytes = offsetof(normcheck_kernel, traits);
  described.traits = 0xffffffffu;
#elif defined(FAULT_TRAITS)
  described.traits = NORMCHECK_NO_BETA | NORMCHECK_BATCH_DEPENDENT;
#elif defined(FAULT_UNKNOWN_TRAIT)
  described.traits = 1u << 7;
#elif defined(FAULT_NO_OPS)
  described.ops = 0;
#elif defined(FAULT_UNKNOWN_OP)
  described.ops |= 1u << 5;
#elif defined(FAULT_NO_FORMATS)
  described.formats = NULL;
#elif defined(FAULT_CONTRACT)
  described.contract = "ulp:0.5";
#elif defined(FAULT_NULL_DESCRIPTION)
  return NULL;
#elif defined(FAULT_CRASH_AT_START)
  abort();
#elif defined(FAULT_PLAINEST)
  described.supports = 0;
#endif
  return &described;
}

#if defined(WRONG_FROM)
#define IS_WRONG(width) ((width) >= WRONG_FROM)
#else
#define IS_WRONG(width) ((width) == 13)
#endif

#if defined(FAULT_CATCHES_SEGV) || defined(FAULT_CATCHES_BEHIND_THE_WATCH) || defined(FAULT_HANDLES_SEGV)
static sigjmp_buf landing;
static void land(int number) { siglongjmp(landing, number); }
extern int __sigaction(int number, const struct sigaction* action, struct sigaction* before);

/* Writes behind y, catches the signal and puts the former handler back; or only sets a handler, as runtimes do. */
static void catch_segv(const normcheck_kernel_call* call) {
  struct sigaction catcher = {.sa_handler = land}, before;
#if defined(FAULT_CATCHES_BEHIND_THE_WATCH)
  __sigaction(SIGSEGV, &catcher, &before);
#else
  sigaction(SIGSEGV, &catcher, &before);
#endif
#if !defined(FAULT_HANDLES_SEGV)
  if (sigsetjmp(landing, 1) == 0) ((volatile float*)call->y)[8192] = 0;
#endif
#if defined(FAULT_CATCHES_SEGV)
  sigaction(SIGSEGV, &before, NULL);
#endif
  (void)call;
}
#endif

#if defined(FAULT_LEAVES_PROCESSES) || defined(FAULT_OUTLIVES)
/* One in the group of the kernel's process, one in a session of its own whose parent has ended. */
static void leave_processes(void) {
  if (fork() == 0) for (;;) pause();
  const pid_t between = fork();
  if (between == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) pause();
  }
  waitpid(between, NULL, 0);
}
#endif

/* What goes wrong on rows of 13 elements. */
static void go_wrong(const normcheck_kernel_call* call) {
  (void)call;
#if defined(FAULT_CRASH)
  volatile uintptr_t nowhere = 8;
  *(volatile int*)nowhere = 0;
#elif defined(FAULT_HANG)
  for (;;) sleep(1);
#elif defined(FAULT_SPINS)
  for (volatile int turns = 0;; turns = !turns) {
  }
#elif defined(FAULT_STOPS) /* for a second and a half, until its own child wakes it */
  const pid_t waker = fork();
  if (waker == 0) usleep(1500000), kill(getppid(), SIGCONT), _exit(0);
  raise(SIGSTOP);
  waitpid(waker, NULL, 0);
#elif defined(FAULT_STOPS_FOR_GOOD)
  raise(SIGSTOP);
#elif defined(FAULT_FREES)
  free(call->y);
#elif defined(FAULT_SCRIBBLES)
  volatile char* const own = malloc(64);
  for (int i = -64; i < 4096; ++i) own[i] = (char)0xff;
  free((void*)own);
#elif defined(FAULT_EXIT)
  exit(0);
#elif defined(FAULT_WRITES_BEHIND)
  ((float*)call->y)[(call->rows - 1) * call->y_pitch + call->width] = 0;
#elif defined(FAULT_WRITES_BEFORE)
  ((float*)call->y)[-1] = 0;
#elif defined(FAULT_WRITES_FAR_BEHIND)
  ((volatile float*)call->y)[8192] = 0;
#elif defined(FAULT_READS_BEHIND)
  (void)((volatile const float*)call->x)[call->width];
#elif defined(FAULT_SIGNALS_PARENT)
  kill(getppid(), SIGTERM);
#elif defined(FAULT_KILLS_PARENT)
  kill(getppid(), SIGKILL);
#elif defined(FAULT_STOPS_PARENT)
  kill(getppid(), SIGSTOP);
#elif defined(FAULT_KILLS_GROUP)
  kill(0, SIGKILL);
#elif defined(FAULT_SIGNALS_ALL) /* signal 0 harms nobody where it is let through */
  kill(-1, 0);
#elif defined(FAULT_LEAVES_PROCESSES)
  leave_processes();
#elif defined(FAULT_OUTLIVES) /* whoever kills normcheck now must not leave this running */
  prctl(PR_SET_PDEATHSIG, 0);
  leave_processes();
  kill(getppid(), SIGSTOP);
  for (;;) pause();
#elif defined(FAULT_CATCHES_SEGV) || defined(FAULT_CATCHES_BEHIND_THE_WATCH) || defined(FAULT_HANDLES_SEGV)
  catch_segv(call);
#elif defined(FAULT_CHANGES_X)
  ((float*)call->x)[0] += 1;
#elif defined(FAULT_MXCSR)
  _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
}

#if defined(FAULT_THREAD)
static void* sleep_on(void* unused) {
  for (;;) pause();
  return unused;
}
#endif

static double inverse(double variance, double epsilon) {
#if defined(FAULT_EPS_AFTER_ROOT)
  return 1 / (sqrt(variance) + epsilon);
#else
  return 1 / sqrt(variance + epsilon);
#endif
}

static void normalize_row(const normcheck_kernel_call* call, size_t row) {
  const float *gamma = call->gamma, *beta = call->beta;
  const float* x = (const float*)call->x + row * call->x_pitch;
  float* y = (float*)call->y + row * call->y_pitch;
  double sum = 0, squares = 0;
  for (size_t i = 0; i < call->width; ++i) sum += x[i];
  const double mean = sum / (double)call->width;
  for (size_t i = 0; i < call->width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inv_std_dev = inverse(squares / (double)call->width, call->epsilon);
  for (size_t i = 0; i < call->width; ++i)
    y[i] = (float)((gamma ? gamma[i] : 1.0) * ((x[i] - mean) * inv_std_dev) + (beta ? beta[i] : 0.0));
  if (call->mean) call->mean[row] = (float)mean;
  if (call->inv_std_dev) call->inv_std_dev[row] = (float)inv_std_dev;
}

int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes) {
#if defined(FAULT_ERROR)
  if (call->width == 13) return snprintf(why, why_bytes, "no rows of 13\nplease"), 7;
#elif defined(FAULT_ALWAYS_CRASH)
  abort();
#elif defined(FAULT_UNSUPPORTED)
  if (call->width == 13) return NORMCHECK_UNSUPPORTED;
#endif
#if defined(FAULT_THREAD)
  static pthread_t left;
  if (!left) pthread_create(&left, NULL, sleep_on, NULL);
#endif
  (void)why, (void)why_bytes;
  for (size_t row = 0; row < call->rows && call->width > 0; ++row) normalize_row(call, row);
  if (IS_WRONG(call->width) && call->rows > 0) go_wrong(call);
  return NORMCHECK_OK;
}

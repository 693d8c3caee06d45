/* A LayerNorm and RMSNorm in double that is right until something decides otherwise, chosen by STATE_...; then element 0 of its first row is
   off by an eighth. Tests build it once for each. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "normcheck/kernel.h"

static const normcheck_formats formats[] = {{NORMCHECK_F32, NORMCHECK_F32, NORMCHECK_F32}};
static const normcheck_kernel kernel = {
    .version = NORMCHECK_KERNEL_VERSION,
    .kernel_bytes = sizeof(normcheck_kernel),
    .call_bytes = sizeof(normcheck_kernel_call),
    .ops = NORMCHECK_TAKES_LAYER_NORM | NORMCHECK_TAKES_RMS_NORM,
    .supports = NORMCHECK_ABSENT_GAMMA_BETA,
    .epsilon_format = NORMCHECK_EPSILON_F64,
    .name = "with-state",
    .contract = "row-ulp:1",
    .formats = formats,
    .format_count = 1,
};

const normcheck_kernel* normcheck_describe_kernel(void) { return &kernel; }

/* Whether this call goes wrong. */
static int is_off(const normcheck_kernel_call* call) {
  (void)call;
#if defined(STATE_COUNTER) /* after so many calls */
  static unsigned long calls;
  return ++calls > STATE_COUNTER;
#elif defined(STATE_STICKY) /* once a row of an odd width above 8 was seen */
  static int seen;
  const int before = seen;
  if (call->width % 2 == 1 && call->width > 8) seen = 1;
  return before;
#elif defined(STATE_CACHE) /* where x lies where it lay in the call before, with another width: an answer by address */
  static const void* last;
  static size_t width;
  const int hit = last == call->x && width != call->width;
  last = call->x;
  width = call->width;
  return hit;
#elif defined(STATE_RANDOM) /* once in so many calls, by chance */
  static uint64_t state;
  if (!state) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    state = (uint64_t)now.tv_nsec * 2654435761u + (uint64_t)getpid();
  }
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % STATE_RANDOM == 0;
#elif defined(STATE_FIRST_CALL) /* the first call of some processes */
  static int called;
  const int first = !called;
  called = 1;
  return first && (((uintptr_t)&called >> 12) ^ (uintptr_t)getpid()) % 2 == 0;
#else
  return 0;
#endif
}

static void normalize_row(const normcheck_kernel_call* call, size_t row) {
  const float *x = (const float*)call->x + row * call->width, *gamma = call->gamma, *beta = call->beta;
  float* y = (float*)call->y + row * call->width;
  const double width = (double)call->width;
  double mean = 0, residue = 0, squares = 0;
  if (call->op == NORMCHECK_LAYER_NORM) {
    for (size_t i = 0; i < call->width; ++i) mean += x[i];
    mean /= width;
    for (size_t i = 0; i < call->width; ++i) residue += x[i] - mean;
    mean += residue / width;
  }
  for (size_t i = 0; i < call->width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inv = 1 / sqrt(squares / width + call->epsilon);
  for (size_t i = 0; i < call->width; ++i) y[i] = (float)((gamma ? gamma[i] : 1.0) * ((x[i] - mean) * inv) + (beta ? beta[i] : 0.0));
}

int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes) {
  (void)why, (void)why_bytes;
  const int off = is_off(call);
  for (size_t row = 0; call->width > 0 && row < call->rows; ++row) normalize_row(call, row);
  if (off && call->rows > 0 && call->width > 0) ((float*)call->y)[0] += 0.125f;
  return NORMCHECK_OK;
}

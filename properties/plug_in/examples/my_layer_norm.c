/* LayerNorm in plain C as a kernel for normcheck: cc -O2 -shared -fPIC -I norm/include my_layer_norm.c -o libmine.so -lm */
#include "normcheck/kernel.h"

#include <math.h>

static const normcheck_formats formats[] = {{NORMCHECK_F32, NORMCHECK_F32, NORMCHECK_F32}};

static const normcheck_kernel kernel = {
    .version = NORMCHECK_KERNEL_VERSION,
    .kernel_bytes = sizeof(normcheck_kernel),
    .call_bytes = sizeof(normcheck_kernel_call),
    .ops = NORMCHECK_TAKES_LAYER_NORM,
    .supports = NORMCHECK_PITCH | NORMCHECK_IN_PLACE | NORMCHECK_ABSENT_GAMMA_BETA | NORMCHECK_STATISTICS,
    .epsilon_format = NORMCHECK_EPSILON_F64,
    .name = "my_layer_norm",
    .release = "1.0",
    .contract = "row-ulp:1",
    .formats = formats,
    .format_count = 1,
};

const normcheck_kernel* normcheck_describe_kernel(void) { return &kernel; }

/* Two passes in double, rounded once. */
int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes) {
  (void)why, (void)why_bytes; /* nothing can go wrong */
  const float *gamma = call->gamma, *beta = call->beta;
  const size_t width = call->width;
  for (size_t row = 0; row < call->rows && width > 0; ++row) {
    const float* x = (const float*)call->x + row * call->x_pitch;
    float* y = (float*)call->y + row * call->y_pitch;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < width; ++i) sum += x[i];
    const double mean = sum / (double)width;
    for (size_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const double inv_std_dev = 1 / sqrt(squares / (double)width + call->epsilon);
    for (size_t i = 0; i < width; ++i)
      y[i] = (float)((gamma ? gamma[i] : 1.0) * ((x[i] - mean) * inv_std_dev) + (beta ? beta[i] : 0.0));
    if (call->mean) call->mean[row] = (float)mean;
    if (call->inv_std_dev) call->inv_std_dev[row] = (float)inv_std_dev;
  }
  return NORMCHECK_OK;
}

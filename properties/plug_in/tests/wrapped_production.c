/* The production kernels as a plug-in of both ops and every format that they take. */
#include "normcheck/kernel.h"
#include "normcheck/norm.h"

#include <stdio.h>

enum { F = NORMCHECK_F32, H = NORMCHECK_F16, B = NORMCHECK_BF16 };
static const normcheck_formats kFormats[] = {{F, F, F}, {H, F, F}, {H, F, H}, {H, H, F}, {H, H, H}, {B, F, F}, {B, F, B}, {B, B, F}, {B, B, B}};

static const normcheck_kernel kDescription = {
    .version = NORMCHECK_KERNEL_VERSION,
    .kernel_bytes = sizeof(normcheck_kernel),
    .call_bytes = sizeof(normcheck_kernel_call),
    .ops = NORMCHECK_TAKES_LAYER_NORM | NORMCHECK_TAKES_RMS_NORM,
    .supports = NORMCHECK_PITCH | NORMCHECK_IN_PLACE | NORMCHECK_ABSENT_GAMMA_BETA | NORMCHECK_STATISTICS,
    .epsilon_format = NORMCHECK_EPSILON_F64,
    .name = "wrapped_production",
    .contract = "correctly-rounded",
    .formats = kFormats,
    .format_count = sizeof kFormats / sizeof *kFormats,
};

const normcheck_kernel* normcheck_describe_kernel(void) { return &kDescription; }

int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes) {
  const normcheck_call production = {call->op,      call->x_format, call->param_format, call->y_format, call->rows,
                                     call->width,   call->x_pitch,  call->y_pitch,      call->epsilon,  call->x,
                                     call->gamma,   call->beta,     call->y,            call->mean,     call->inv_std_dev};
  const normcheck_result result = normcheck_normalize(&production);
  if (result.status != NORMCHECK_OK) snprintf(why, why_bytes, "%s %s", result.argument, result.reason);
  return result.status;
}

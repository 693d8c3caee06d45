/* Calls of the C interface from C99: each returns 0 where all is as it should be, else the number of the line that failed. */
#include "norm/tests/c_api_calls.h"

#include <stdint.h>
#include <string.h>

#include "normcheck/norm.h"

#define REQUIRE(condition) \
  if (!(condition)) return __LINE__

/* (0,0,0,4), epsilon 1: mean 1, var 3, xhat = (-1/2,-1/2,-1/2,3/2). */
static normcheck_call sound_call(const float* x, float* y) {
  normcheck_call call = {0};
  call.op = NORMCHECK_LAYER_NORM;
  call.rows = 1;
  call.width = call.x_pitch = call.y_pitch = 4;
  call.epsilon = 1;
  call.x = x;
  call.y = y;
  return call;
}

int c_api_normalizes_a_row(void) {
  const float x[4] = {0, 0, 0, 4};
  const float gamma[4] = {2, 2, 2, 2};
  float y[4] = {9, 9, 9, 9};
  float mean = 0, inv_std_dev = 0;
  normcheck_call call = sound_call(x, y);
  call.gamma = gamma;
  call.mean = &mean;
  call.inv_std_dev = &inv_std_dev;
  const normcheck_result result = normcheck_normalize(&call);
  REQUIRE(result.status == NORMCHECK_OK && result.argument[0] == 0 && result.reason[0] == 0);
  REQUIRE(y[0] == -1 && y[1] == -1 && y[2] == -1 && y[3] == 3);
  REQUIRE(mean == 1 && inv_std_dev == 0.5f);
  return 0;
}

int c_api_runs_every_target(void) {
  const float x[4] = {1, -1, 1, -1};
  size_t i;
  REQUIRE(normcheck_target_count() > 0);
  REQUIRE(normcheck_target(normcheck_target_count()) == NULL);
  for (i = 0; i < normcheck_target_count(); ++i) {
    float y[4] = {9, 9, 9, 9};
    normcheck_call call = sound_call(x, y);
    call.op = NORMCHECK_RMS_NORM;
    call.epsilon = 3;
    REQUIRE(normcheck_normalize_on(normcheck_target(i), &call).status == NORMCHECK_OK);
    REQUIRE(y[0] == 0.5f && y[1] == -0.5f);
    y[0] = 9;
    REQUIRE(normcheck_normalize_fast_on(normcheck_target(i), &call).status == NORMCHECK_OK);
    REQUIRE(y[0] > 0.4999998f && y[0] < 0.5000002f);
    y[0] = 9;
    REQUIRE(normcheck_normalize_fast(&call).status == NORMCHECK_OK);
    REQUIRE(y[0] > 0.4999998f && y[0] < 0.5000002f);
  }
  return 0;
}

int c_api_names_faults(void) {
  const float x[4] = {0, 0, 0, 4};
  float y[4] = {9, 9, 9, 9};
  normcheck_call call = sound_call(x, y);
  call.epsilon = -1;
  REQUIRE(normcheck_check_call(&call).status == NORMCHECK_BAD_ARGUMENT);
  REQUIRE(strcmp(normcheck_normalize(&call).argument, "epsilon") == 0);
  call = sound_call(x, y);
  call.op = 255;
  REQUIRE(normcheck_check_call(&call).status == NORMCHECK_BAD_ARGUMENT);
  REQUIRE(strcmp(normcheck_normalize(&call).argument, "op") == 0);
  call.op = NORMCHECK_L2_NORM;
  REQUIRE(normcheck_check_call(&call).status == NORMCHECK_OK);
  REQUIRE(normcheck_normalize(&call).status == NORMCHECK_UNSUPPORTED);
  REQUIRE(strcmp(normcheck_normalize_fast(&call).argument, "op") == 0);
  call = sound_call(x, y);
  call.x_format = -1;
  REQUIRE(strcmp(normcheck_normalize(&call).argument, "formats") == 0);
  call = sound_call(x, y);
  call.y_format = NORMCHECK_F16;
  REQUIRE(normcheck_normalize(&call).status == NORMCHECK_UNSUPPORTED);
  REQUIRE(strcmp(normcheck_normalize(NULL).argument, "call") == 0);
  REQUIRE(strcmp(normcheck_normalize_on(NULL, &call).argument, "target") == 0);
  REQUIRE(strcmp(normcheck_normalize_on("none", &call).argument, "target") == 0);
  REQUIRE(strcmp(normcheck_normalize_fast(NULL).argument, "call") == 0);
  REQUIRE(strcmp(normcheck_normalize_fast_on("none", &call).argument, "target") == 0);
  REQUIRE(y[0] == 9);
  return 0;
}

int c_api_converts(void) {
  REQUIRE(normcheck_f16_from_f32(65520.0f) == 0x7c00);
  REQUIRE(normcheck_bf16_from_f32(1.0050781f) == 0x3f81); /* truncation would give 0x3f80 */
  REQUIRE(normcheck_f32_from_f16(0x0001) == 5.9604644775390625e-8f);
  REQUIRE(normcheck_f32_from_bf16(0xc040) == -3.0f);
  return 0;
}

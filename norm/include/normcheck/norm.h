/* The C interface of normcheck's production kernels: LayerNorm and RMSNorm forward over rows. C99. */
#ifndef NORMCHECK_NORM_H_
#define NORMCHECK_NORM_H_

#include <stddef.h>
#include <stdint.h>

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values of normcheck_call's format fields (NORMCHECK_F32, ...), of its op field and of normcheck_result's status: kernel.h. */

/* One call over `rows` rows of `width` elements. Zero-initialise it: every field may stay 0 or null but those named below.
   Shapes: row r of x starts at element r*x_pitch, row r of y at r*y_pitch, pitches >= width; gamma and beta have `width`
     elements of param_format; mean and inv_std_dev have `rows` elements.
   Null: gamma (means 1), beta (means 0), mean, inv_std_dev. x and y may be null only where rows or width is 0.
   Formats: x any; gamma, beta, y in f32 or in x's format.
   Special values: LayerNorm row with NaN or infinity: all NaN. RMSNorm row with NaN: all NaN; with an infinity: NaN there,
     gamma_i*0 + beta_i elsewhere. gamma, beta not finite: as IEEE evaluates gamma_i*xhat_i + beta_i on the exact xhat_i.
     var + epsilon = 0: NaN. Constant LayerNorm row, epsilon > 0: exactly beta. rows or width 0: nothing is written.
     An exact zero is +0; every NaN the canonical quiet one. Subnormals are kept, whatever MXCSR says; MXCSR comes back as it was.
   Aliasing: y == x with equal formats and pitches is in place; every other overlap of an output with anything is refused. */
typedef struct normcheck_call {
  int op;
  int x_format;
  int param_format;
  int y_format;
  size_t rows;
  size_t width;
  size_t x_pitch;
  size_t y_pitch;
  double epsilon; /* >= 0 and finite */
  const void* x;
  const void* gamma;
  const void* beta;
  void* y;
  float* mean; /* LayerNorm only */
  float* inv_std_dev;
} normcheck_call;

/* NORMCHECK_OK: the outputs are complete. Otherwise nothing was written, `argument` names the field at fault and `reason`
   says why; both are static text, never null, empty when all is well. */
typedef struct normcheck_result {
  int status;
  const char* argument;
  const char* reason;
} normcheck_result;

/* Checks all that can be checked without reading the arrays. A null `call` is the argument "call". */
normcheck_result normcheck_check_call(const normcheck_call* call);

/* Checks and runs the call on the best instruction set of this machine. No allocation, no state, no threads.
   Stack: at most 56 KiB; a thread of 64 KiB is enough. A smaller one may fault on its guard page, and nothing below that is written. */
normcheck_result normcheck_normalize(const normcheck_call* call);

/* The same within 5 ulps of |gamma_i|*max_j|xhat_j| + |beta_i|: faster, on every finite row; bits depend on the instruction set. */
normcheck_result normcheck_normalize_fast(const normcheck_call* call);

/* Instruction sets, best first; null from index normcheck_target_count() on. */
size_t normcheck_target_count(void);
const char* normcheck_target(size_t index);

/* normcheck_normalize and normcheck_normalize_fast on the target of that name. */
normcheck_result normcheck_normalize_on(const char* target, const normcheck_call* call);
normcheck_result normcheck_normalize_fast_on(const char* target, const normcheck_call* call);

/* Conversions: exact up; down rounded once to nearest, ties to even. */
float normcheck_f32_from_f16(uint16_t bits);
float normcheck_f32_from_bf16(uint16_t bits);
uint16_t normcheck_f16_from_f32(float value);
uint16_t normcheck_bf16_from_f32(float value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMCHECK_NORM_H_ */

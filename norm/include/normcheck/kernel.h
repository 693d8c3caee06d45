/* How a kernel of your own presents itself to normcheck: a shared library that exports the two functions below. C99. This header
   needs nothing else of normcheck; ./normcheck judge --kernel ./libmine.so CASE.json then judges the kernel. */
#ifndef NORMCHECK_KERNEL_H_
#define NORMCHECK_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows where the structs below gain fields, which come last: a library says which version it was built with and how large its structs
   are. What was built with an older version is read as far as it goes; source written for it compiles unchanged and means the same. */
#define NORMCHECK_KERNEL_VERSION 2u

/* Formats. f16 is IEEE binary16, bf16 the upper half of binary32; both are passed as uint16_t. */
enum { NORMCHECK_F32 = 0, NORMCHECK_F16 = 1, NORMCHECK_BF16 = 2 };

/* Operations. */
enum {
  NORMCHECK_LAYER_NORM = 0, /* y_i = gamma_i*(x_i - mu)/sqrt(var + epsilon) + beta_i, var = sum((x - mu)^2)/width */
  NORMCHECK_RMS_NORM = 1,   /* y_i = gamma_i*x_i/sqrt(sum(x^2)/width + epsilon) + beta_i */
  NORMCHECK_L2_NORM = 2     /* y_i = gamma_i*x_i/sqrt(sum(x^2) + epsilon) + beta_i */
};

/* What a call answers. NORMCHECK_UNSUPPORTED counts as not supported, never as passed; any other value but NORMCHECK_OK is an
   error, and the call a finding. */
enum { NORMCHECK_OK = 0, NORMCHECK_UNSUPPORTED = 1, NORMCHECK_BAD_ARGUMENT = 2 };

/* The format to which the kernel rounds epsilon before it uses it; the judge does the same. */
enum { NORMCHECK_EPSILON_F64 = 0, NORMCHECK_EPSILON_F32 = 1, NORMCHECK_EPSILON_F16 = 2, NORMCHECK_EPSILON_BF16 = 3 };

/* Bits of normcheck_kernel's `ops`. */
enum { NORMCHECK_TAKES_LAYER_NORM = 1, NORMCHECK_TAKES_RMS_NORM = 2, NORMCHECK_TAKES_L2_NORM = 4 };

/* Bits of normcheck_kernel's `supports`. Calls that need what is not supported are not made. */
enum {
  NORMCHECK_PITCH = 1,           /* x_pitch and y_pitch may exceed width */
  NORMCHECK_IN_PLACE = 2,        /* y may be x, with one format and pitch */
  NORMCHECK_ABSENT_GAMMA_BETA = 4, /* gamma, beta or both may be null: 1 and 0 */
  NORMCHECK_STATISTICS = 8       /* mean (LayerNorm) and inv_std_dev are written where asked for */
};

/* Bits of normcheck_kernel's `traits` (version 2). */
enum {
  NORMCHECK_NO_BETA = 1,        /* the operation has no beta: calls pass none */
  NORMCHECK_BATCH_DEPENDENT = 2 /* the order of a row's sums depends on the number of rows: rows of different batches agree within the
                                   contract, not bit for bit */
};

/* A supported triple of formats, each NORMCHECK_F32, NORMCHECK_F16 or NORMCHECK_BF16. */
typedef struct normcheck_formats {
  int32_t x;
  int32_t param; /* gamma and beta */
  int32_t y;
} normcheck_formats;

/* What the library says of itself. All text is UTF-8 of one line; it and `formats` live as long as the library. */
typedef struct normcheck_kernel {
  uint32_t version;      /* NORMCHECK_KERNEL_VERSION */
  uint32_t kernel_bytes; /* sizeof(normcheck_kernel) */
  uint32_t call_bytes;   /* sizeof(normcheck_kernel_call) */
  uint32_t ops;          /* NORMCHECK_TAKES_..., at least one */
  uint32_t supports;     /* NORMCHECK_PITCH, ...; 0 is the plainest kernel: dense rows, gamma and beta, y alone */
  uint32_t epsilon_format;
  const char* name;            /* "my_layer_norm" */
  const char* release;         /* of the kernel: "1.4.2"; null where it has none */
  const char* contract;        /* its promise: "correctly-rounded", "ulp:2", "row-ulp:4", "two-pass,order=lanes:8", ...; null: row-ulp:4 */
  const normcheck_formats* formats;
  size_t format_count;         /* at least one */
  uint32_t traits;             /* since version 2: NORMCHECK_NO_BETA, ...; 0 where the field is not there */
} normcheck_kernel;

/* One call over `rows` rows of `width` elements, within what the library supports.
   Shapes: row r of x starts at element r*x_pitch, row r of y at r*y_pitch; gamma and beta have `width` elements of param_format;
     mean and inv_std_dev have `rows` elements. Pointers are aligned to their element, to no more.
   Null: gamma, beta, mean, inv_std_dev as said under `supports`. rows or width may be 0: then nothing is to be written, and x
     and y may be null.
   Memory: nothing outside of the rows of y, mean and inv_std_dev may be written, nothing outside of the arrays read: there are
     pages beyond them that nobody may touch. MXCSR is to be left as found. */
typedef struct normcheck_kernel_call {
  int32_t op;
  int32_t x_format;
  int32_t param_format;
  int32_t y_format;
  size_t rows;
  size_t width;
  size_t x_pitch;
  size_t y_pitch;
  double epsilon; /* finite, >= 0, as the case has it: the kernel rounds it to its epsilon_format */
  const void* x;
  const void* gamma;
  const void* beta;
  void* y;
  float* mean; /* null for RMSNorm */
  float* inv_std_dev;
} normcheck_kernel_call;

#if defined(_WIN32)
#define NORMCHECK_EXPORT __declspec(dllexport)
#else
#define NORMCHECK_EXPORT __attribute__((visibility("default")))
#endif

/* To be exported: the kernel's description, never null. Called once, before any call. */
NORMCHECK_EXPORT const normcheck_kernel* normcheck_describe_kernel(void);

/* To be exported: runs a call. On an error `why`, of `why_bytes` bytes, may receive text that ends in a null.
   Called by one thread of a process of its own; a crash, exit() or hang ends that process, and is a finding. */
NORMCHECK_EXPORT int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* NORMCHECK_KERNEL_H_ */

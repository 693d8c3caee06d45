/* oneDNN's LayerNorm (inference, f32 and bf16) as a kernel for normcheck, over the public headers of both and nothing else. */
#include "normcheck/kernel.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>

/* x and y in f32 or bf16; gamma and beta are f32 there. Dense rows: oneDNN 2 takes pitched ones, and treats them as dense. */
static const normcheck_formats kFormats[] = {{NORMCHECK_F32, NORMCHECK_F32, NORMCHECK_F32}, {NORMCHECK_BF16, NORMCHECK_F32, NORMCHECK_BF16}};

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

/* It states no error bound: the contract is left to normcheck's default. */
static const normcheck_kernel kDescription = {
    .version = NORMCHECK_KERNEL_VERSION,
    .kernel_bytes = sizeof(normcheck_kernel),
    .call_bytes = sizeof(normcheck_kernel_call),
    .ops = NORMCHECK_TAKES_LAYER_NORM,
    .supports = NORMCHECK_IN_PLACE | NORMCHECK_ABSENT_GAMMA_BETA,
    .epsilon_format = NORMCHECK_EPSILON_F32,
    .name = "onednn_layer_norm",
    .release = VERSION_TEXT(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH),
    .contract = NULL,
    .formats = kFormats,
    .format_count = 2,
};

const normcheck_kernel* normcheck_describe_kernel(void) { return &kDescription; }

typedef struct {
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_desc_t description;
  dnnl_primitive_t primitive;
  dnnl_memory_t memory[4]; /* x, y, gamma, beta */
} work;

static dnnl_status_t describe_rows(dnnl_memory_desc_t* rows, const normcheck_kernel_call* call) {
  const dnnl_dims_t sizes = {(dnnl_dim_t)call->rows, (dnnl_dim_t)call->width};
  const dnnl_dims_t strides = {(dnnl_dim_t)call->x_pitch, 1};
  return dnnl_memory_desc_init_by_strides(rows, 2, sizes, call->x_format == NORMCHECK_BF16 ? dnnl_bf16 : dnnl_f32, strides);
}

static dnnl_status_t prepare(work* w, const normcheck_kernel_call* call, dnnl_memory_desc_t* rows) {
  const unsigned flags = (call->gamma ? dnnl_use_scale : 0u) | (call->beta ? dnnl_use_shift : 0u);
  dnnl_layer_normalization_desc_t layer;
  dnnl_status_t status = dnnl_engine_create(&w->engine, dnnl_cpu, 0);
  if (!status) status = dnnl_stream_create(&w->stream, w->engine, dnnl_stream_default_flags);
  if (!status) status = describe_rows(rows, call);
  if (!status) status = dnnl_layer_normalization_forward_desc_init(&layer, dnnl_forward_inference, rows, NULL, (float)call->epsilon, flags);
  if (!status) status = dnnl_primitive_desc_create(&w->description, &layer, NULL, w->engine, NULL);
  if (!status) status = dnnl_primitive_create(&w->primitive, w->description);
  return status;
}

static dnnl_status_t execute(work* w, const normcheck_kernel_call* call, const dnnl_memory_desc_t* rows) {
  const dnnl_dims_t width = {(dnnl_dim_t)call->width};
  dnnl_memory_desc_t parameters;
  dnnl_status_t status = dnnl_memory_desc_init_by_tag(&parameters, 1, width, dnnl_f32, dnnl_a);
  const dnnl_memory_desc_t* descriptions[] = {rows, rows, &parameters, &parameters};
  void* const pointers[] = {(void*)call->x, call->y, (void*)call->gamma, (void*)call->beta};
  const int names[] = {DNNL_ARG_SRC, DNNL_ARG_DST, DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
  dnnl_exec_arg_t arguments[4];
  int count = 0;
  for (int i = 0; i < 4 && !status; ++i) {
    if (!pointers[i]) continue;
    status = dnnl_memory_create(&w->memory[i], descriptions[i], w->engine, pointers[i]);
    arguments[count].arg = names[i];
    arguments[count++].memory = w->memory[i];
  }
  if (!status) status = dnnl_primitive_execute(w->primitive, w->stream, count, arguments);
  return status ? status : dnnl_stream_wait(w->stream);
}

static void release(work* w) {
  for (int i = 0; i < 4; ++i)
    if (w->memory[i]) dnnl_memory_destroy(w->memory[i]);
  if (w->primitive) dnnl_primitive_destroy(w->primitive);
  if (w->description) dnnl_primitive_desc_destroy(w->description);
  if (w->stream) dnnl_stream_destroy(w->stream);
  if (w->engine) dnnl_engine_destroy(w->engine);
}

int normcheck_run_kernel(const normcheck_kernel_call* call, char* why, size_t why_bytes) {
  if (call->rows == 0 || call->width == 0) return NORMCHECK_OK;
  work w = {0};
  dnnl_memory_desc_t rows;
  dnnl_status_t status = prepare(&w, call, &rows);
  const int prepared = !status;
  if (prepared) status = execute(&w, call, &rows);
  release(&w);
  if (status) snprintf(why, why_bytes, "oneDNN status %d", (int)status);
  if (!prepared && status == dnnl_unimplemented) return NORMCHECK_UNSUPPORTED;
  return status ? NORMCHECK_BAD_ARGUMENT : NORMCHECK_OK;
}

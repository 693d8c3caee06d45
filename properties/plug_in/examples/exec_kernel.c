/* LayerNorm in plain C as a program for normcheck (PROTOCOL.md): cc -O2 exec_kernel.c -o mine -lm; --kernel exec:./mine */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct request {
  char magic[4];
  uint32_t number;
  uint8_t op, x_format, param_format, y_format, flags, zero[3];
  uint64_t rows, width;
  double epsilon;
  uint64_t bytes;
};

struct reply {
  char magic[4];
  uint32_t number, status, zero;
  uint64_t bytes;
};

/* Two passes in double, rounded once. */
static void normalize(const float* x, const float* gamma, const float* beta, size_t width, double epsilon, float* y, float* mean_out,
                      float* inv_std_dev_out) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < width; ++i) sum += x[i];
  const double mean = sum / (double)width;
  for (size_t i = 0; i < width; ++i) squares += (x[i] - mean) * (x[i] - mean);
  const double inv_std_dev = 1 / sqrt(squares / (double)width + epsilon);
  for (size_t i = 0; i < width; ++i)
    y[i] = (float)((gamma ? gamma[i] : 1.0) * ((x[i] - mean) * inv_std_dev) + (beta ? beta[i] : 0.0));
  *mean_out = (float)mean;
  *inv_std_dev_out = (float)inv_std_dev;
}

int main(void) {
  struct request ask;
  printf("normcheck 1\nname exec_layer_norm\nrelease 1.0\nops layer_norm\nformats f32\ncontract row-ulp:1\n"
         "supports absent-gamma-beta statistics\n\n");
  fflush(stdout);
  while (fread(&ask, sizeof ask, 1, stdin) == 1) {
    const size_t width = ask.width, rows = ask.rows, elements = rows * width;
    float* in = malloc(ask.bytes + 1);
    float* out = malloc((elements + 2 * rows + 1) * sizeof(float));
    if (!in || !out || fread(in, 1, ask.bytes, stdin) != ask.bytes) return 1;
    const float* gamma = ask.flags & 1 ? in + elements : NULL;
    const float* beta = ask.flags & 2 ? in + elements + (gamma ? width : 0) : NULL;
    float* mean = out + elements;
    float* inv_std_dev = ask.flags & 4 ? mean + rows : mean;
    for (size_t row = 0; row < rows; ++row) {
      float unwanted;
      normalize(in + row * width, gamma, beta, width, ask.epsilon, out + row * width, ask.flags & 4 ? mean + row : &unwanted,
                inv_std_dev + row); /* not sent where not wanted */
    }
    const size_t statistics = (ask.flags & 4 ? rows : 0) + (ask.flags & 8 ? rows : 0);
    const struct reply answer = {{'N', 'C', 'R', 'P'}, ask.number, 0, 0, (elements + statistics) * sizeof(float)};
    fwrite(&answer, sizeof answer, 1, stdout);
    fwrite(out, 1, answer.bytes, stdout);
    fflush(stdout);
    free(in), free(out);
  }
  return 0;
}

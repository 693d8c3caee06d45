/* A program that speaks PROTOCOL.md until argv[1] says otherwise; rows of 13 elements are where it goes wrong. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void say(const char* text) { fputs(text, stdout), fflush(stdout); }

static void answer(struct reply header, const void* data, size_t sent) {
  fwrite(&header, sizeof header, 1, stdout);
  fwrite(data, 1, sent, stdout);
  fflush(stdout);
}

static void wait_for_ever(void) {
  for (;;) pause();
}

static void spin(void) {
  for (volatile int turns = 0;; turns = !turns) {
  }
}

/* For a second and a half, until its own child wakes it. */
static void stop(void) {
  const pid_t waker = fork();
  if (waker == 0) usleep(1500000), kill(getppid(), SIGCONT), _exit(0);
  raise(SIGSTOP);
  waitpid(waker, NULL, 0);
}

static void go_wrong(const char* fault, struct reply header, const char* zeros) {
  if (!strcmp(fault, "garbage")) say("Traceback (most recent call last): this is no reply at all");
  else if (!strcmp(fault, "number")) ++header.number, answer(header, zeros, header.bytes);
  else if (!strcmp(fault, "size")) header.bytes -= 1, answer(header, zeros, header.bytes);
  else if (!strcmp(fault, "huge")) header.bytes = UINT64_MAX, answer(header, zeros, 0);
  else if (!strcmp(fault, "short")) answer(header, zeros, 5), exit(3);
  else if (!strcmp(fault, "stall")) answer(header, zeros, 5), wait_for_ever();
  else if (!strcmp(fault, "exit")) exit(0);
  else if (!strcmp(fault, "kill-group")) kill(0, SIGKILL);
  else if (!strcmp(fault, "silence")) wait_for_ever();
  else if (!strcmp(fault, "spin")) spin();
  else if (!strcmp(fault, "stop")) stop(), answer(header, zeros, header.bytes);
  else if (!strcmp(fault, "error")) header.status = 2, header.bytes = 8, answer(header, "no\nrows!", 8);
  else answer(header, zeros, header.bytes);
}

/* Zeros everywhere: that they are wrong is not what is tested here. */
static void serve(const char* fault) {
  struct request ask;
  while (fread(&ask, sizeof ask, 1, stdin) == 1) {
    const size_t out = (ask.rows * ask.width + (ask.flags & 4 ? ask.rows : 0) + (ask.flags & 8 ? ask.rows : 0)) * sizeof(float);
    char* const in = malloc(ask.bytes + 1);
    char* const zeros = calloc(1, out + 1);
    if (!in || !zeros || fread(in, 1, ask.bytes, stdin) != ask.bytes) exit(1);
    const struct reply header = {{'N', 'C', 'R', 'P'}, ask.number, 0, 0, out};
    go_wrong(ask.width == 13 ? fault : "", header, zeros);
    free(in), free(zeros);
  }
}

int main(int argc, char** argv) {
  const char* const fault = argc > 1 ? argv[1] : "";
  if (!strcmp(fault, "start-garbage")) say("hello, world\n\n");
  else if (!strcmp(fault, "start-exit")) return 3;
  else if (!strcmp(fault, "start-silence")) wait_for_ever();
  else if (!strcmp(fault, "start-endless")) for (;;) say("normcheck 1 ");
  else if (!strcmp(fault, "start-op")) say("normcheck 1\nname n\nops batch_norm\nformats f32\n\n");
  else say("normcheck 1\nname zeros\nops layer_norm\nformats f32\ncontract row-ulp:1000000000\nsupports absent-gamma-beta\n\n");
  serve(fault);
  return 0;
}

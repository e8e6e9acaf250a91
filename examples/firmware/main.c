/* main.c - runs any generated module on a board: recorded inputs from a file of
 * the host, outputs compared with a second file, then what it cost.
 *
 * The module has the prefix `model`. The last case runs three times: for the
 * stack (painted before, no interrupts), for instructions of the whole, for
 * instructions of each operator. */
#include "counter.h"
#include "model.h"
#include "semihost.h"
#include "start.h"

#ifdef MODEL_CORES /* --cores */
#include "cores.h"
#endif

enum { PATH_BYTES = 200, OPS_MAX = 256, PAINT = 0x5A5A5A5A };

static model_context ctx;

/* ---- files --------------------------------------------------------------- */

#ifdef MODEL_FED_COUNT
/* The rows of the only input arrive while the model runs (--feed). */
#if MODEL_INPUT_COUNT != 1
#error "the file has one input after the other, not their rows in turns"
#endif
static int rows_file;

static int fill(void *user, uint32_t input, uint32_t row, void *to) {
  (void)user, (void)input, (void)row;
  return sh_read(rows_file, to, MODEL_INPUT_0_ROW_BYTES) !=
         MODEL_INPUT_0_ROW_BYTES;
}

static int read_inputs(int file) {
  rows_file = file;
  ctx.fill = fill;
  return 1;
}

static void skip_inputs(int file) {
  static uint8_t row[MODEL_INPUT_0_ROW_BYTES];
  for (uint32_t i = 0; i < MODEL_INPUT_0_ROWS; i++)
    (void)sh_read(file, row, sizeof row);
}
#else
/* False at the end of the file. */
static int read_inputs(int file) {
  for (uint32_t i = 0; i < MODEL_INPUT_COUNT; i++) {
    const model_tensor t = model_input(&ctx, i);
    if (sh_read(file, t.data, t.bytes) != t.bytes)
      return 0;
  }
  return 1;
}

static void skip_inputs(int file) {
  (void)read_inputs(file);
}
#endif

/* The last case again. */
static void read_case(const char *path, uint32_t number) {
  const int file = sh_open(path);
  for (uint32_t i = 0; i < number; i++)
    skip_inputs(file);
  (void)read_inputs(file);
}

static uint32_t count_errors(int file) {
  uint32_t errors = 0;
  for (uint32_t i = 0; i < MODEL_OUTPUT_COUNT; i++) {
    const model_tensor t = model_output(&ctx, i);
    const uint8_t *got = t.data;
    uint8_t want[64];
    for (uint32_t at = 0; at < t.bytes; at += sizeof want) {
      const uint32_t n =
          t.bytes - at < sizeof want ? t.bytes - at : (uint32_t)sizeof want;
      errors += sh_read(file, want, n) != n;
      for (uint32_t k = 0; k < n; k++)
        errors += got[at + k] != want[k];
    }
  }
  return errors;
}

/* ---- measuring ----------------------------------------------------------- */

/* Runs once; returns the bytes of stack that this used. */
static __attribute__((noinline)) uint32_t run_on_painted_stack(int *status) {
  uint32_t *const top = stack_pointer();
  for (volatile uint32_t *p = __stack_limit; p < top; p++)
    *p = PAINT;
  *status = model_run(&ctx);
  const volatile uint32_t *p = __stack_limit;
  while (p < top && *p == PAINT)
    p++;
  return (uint32_t)((uintptr_t)top - (uintptr_t)p);
}

static uint64_t begin, total[OPS_MAX];

static void at_operator(void *user, uint32_t op, int done) {
  (void)user;
  if (!done)
    begin = counter_read();
  else if (op < OPS_MAX)
    total[op] += counter_read() - begin;
}

/* Reading the counter costs instructions too: the time of an empty operator is
 * taken off each. */
static uint64_t cost_of_reading(void) {
  at_operator(0, 0, 0);
  at_operator(0, 0, 1);
  const uint64_t cost = total[0];
  total[0] = 0;
  return cost;
}

static void say(const char *what, uint64_t number) {
  sh_text(what);
  sh_number(number);
  sh_text("\n");
}

static int measure(const char *path, uint32_t skip) {
  int status = 0;
  read_case(path, skip);
  say("stack ", run_on_painted_stack(&status));

  read_case(path, skip);
  counter_start();
  status |= model_run(&ctx);
  say("instructions ", counter_read());

  read_case(path, skip);
  const uint64_t cost = cost_of_reading();
  ctx.callback = at_operator;
  status |= model_run(&ctx);
  counter_stop();
  for (uint32_t op = 0; op < OPS_MAX; op++)
    if (total[op] != 0) {
      sh_text("op ");
      sh_number(op);
      say(" ", total[op] - cost);
    }
  return status;
}

int main(void) {
  char in_path[PATH_BYTES], want_path[PATH_BYTES];
  uint32_t cases = 0, errors = 0;
  sh_argument(1, in_path, sizeof in_path);
  sh_argument(2, want_path, sizeof want_path);
  const int in = sh_open(in_path), want = sh_open(want_path);
  if (in < 0 || want < 0)
    return 2;
  if (model_init(&ctx) != MODEL_OK)
    return 3;
#ifdef MODEL_CORES
  ctx.cores = cores_start(MODEL_CORES);
#endif
  for (; read_inputs(in); cases++) {
    const int status = model_run(&ctx);
#ifdef MODEL_FED_COUNT
    if (status == MODEL_WANTS_ROW) /* the end of the file */
      break;
#endif
    if (status != MODEL_OK)
      return 4;
    errors += count_errors(want);
  }
  say("cases ", cases);
  say("errors ", errors);
  if (cases == 0 || measure(in_path, cases - 1) != MODEL_OK)
    return 5;
  return errors != 0;
}

/* steps.c - runs any module that has <prefix>_step, in the way that the first
 * argument names: inputs from standard input, case after case until it ends,
 * outputs to standard output. Compiled with MODEL, MODEL_UPPER and
 * MODEL_HEADER; FED and DRAINED where rows of input 0 arrive, of output 0
 * leave. */
#include MODEL_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GLUE2(a, b) a##b
#define GLUE(a, b)  GLUE2(a, b)
#define LOWER(name) GLUE(MODEL, name)
#define UPPER(name) GLUE(MODEL_UPPER, name)

enum { ARENA = 1 << 22, ENDS = 8 };

/* One case: the bytes of all inputs, and of all outputs. */
typedef struct record {
  uint8_t *in[ENDS], *out[ENDS];
  uint32_t rows;    /* that left */
  int asked;        /* how often a row was asked for */
  int begun, ended; /* operators, or some rows of them */
} record;

static void check(int good, const char *what) {
  if (good)
    return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(4);
}

static void *room(size_t bytes) {
  void *p = calloc(bytes ? bytes : 1, 1);
  check(p != NULL, "memory");
  return p;
}

static void at_operator(void *user, uint32_t op, int done) {
  record *r = user;
  r->begun += !done;
  r->ended += done;
  check(op < UPPER(_STEP_COUNT) && r->begun == r->ended + !done,
        "the callback of a layer");
}

static int read_case(const LOWER(_context) * ctx, record *r) {
  for (uint32_t i = 0; i < UPPER(_INPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_input)(ctx, i);
    if (!r->in[i])
      r->in[i] = room(t.bytes);
    if (fread(r->in[i], 1, t.bytes, stdin) != t.bytes)
      return 0;
  }
  r->rows = 0;
  return 1;
}

static void give(const LOWER(_context) * ctx, const record *r) {
  for (uint32_t i = 0; i < UPPER(_INPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_input)(ctx, i);
    if (t.data)
      memcpy(t.data, r->in[i], t.bytes);
  }
}

/* Outputs that do not leave row by row. */
static void take(const LOWER(_context) * ctx, record *r) {
  for (uint32_t i = 0; i < UPPER(_OUTPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_output)(ctx, i);
    if (!r->out[i])
      r->out[i] = room(t.bytes);
    if (t.data)
      memcpy(r->out[i], t.data, t.bytes);
  }
}

static void write_case(const LOWER(_context) * ctx, const record *r) {
  for (uint32_t i = 0; i < UPPER(_OUTPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_output)(ctx, i);
    check(fwrite(r->out[i], 1, t.bytes, stdout) == t.bytes, "output");
  }
}

#ifdef FED
/* Every other time the row is not there yet. */
static int fill(void *user, uint32_t input, uint32_t row, void *to) {
  record *r = user;
  if (++r->asked % 2)
    return 1;
  check(input == 0 && row < UPPER(_INPUT_0_ROWS), "a row of another input");
  memcpy(to, r->in[0] + row * UPPER(_INPUT_0_ROW_BYTES),
         UPPER(_INPUT_0_ROW_BYTES));
  return 0;
}

static void push(LOWER(_context) * ctx, const record *r) {
  int status = UPPER(_MORE);
  check(LOWER(_push_row)(ctx, 0, NULL) == UPPER(_NULL_BUFFER), "null row");
  for (uint32_t row = 0; row < UPPER(_INPUT_0_ROWS); row++) {
    check(status == UPPER(_MORE), "the run ends too early");
    check(LOWER(_push_row)(ctx, 99, r->in[0]) == UPPER(_NOT_WANTED),
          "a row that is not wanted");
    check(LOWER(_wanted)(ctx) == 0, "input 0 is wanted");
    check(LOWER(_step)(ctx) == UPPER(_WANTS_ROW), "a step without its row");
    status =
        LOWER(_push_row)(ctx, 0, r->in[0] + row * UPPER(_INPUT_0_ROW_BYTES));
  }
  check(status == UPPER(_OK), "the last row ends the run");
}
#endif

#ifdef DRAINED
static void drain(void *user, uint32_t output, uint32_t row,
                  const void *bytes) {
  record *r = user;
  check(output == 0 && row == r->rows, "rows leave in order");
  if (!r->out[0])
    r->out[0] = room(UPPER(_OUTPUT_0_BYTES));
  memcpy(r->out[0] + row * UPPER(_OUTPUT_0_ROW_BYTES), bytes,
         UPPER(_OUTPUT_0_ROW_BYTES));
  r->rows++;
}
#endif

static void open_context(LOWER(_context) * ctx, record *r, int own) {
  memset(ctx, 0, sizeof *ctx);
  check(LOWER(_step)(ctx) == UPPER(_NOT_INITIALISED), "step before init");
  check(LOWER(_restart)(ctx) == UPPER(_NOT_INITIALISED), "restart before init");
  for (uint32_t i = 0; own && i < UPPER(_REGION_COUNT); i++)
    LOWER(_bind_arena)(ctx, i, aligned_alloc(4096, ARENA), ARENA);
  check(LOWER(_init)(ctx) == UPPER(_OK), "init");
  ctx->user = r;
#ifdef DRAINED
  check(LOWER(_step)(ctx) == UPPER(_DRAIN_MISSING), "no drain");
  ctx->drain = drain;
#endif
#ifdef FED
  ctx->fill = fill;
  check(LOWER(_input)(ctx, 0).row_bytes == UPPER(_INPUT_0_ROW_BYTES) &&
            !LOWER(_input)(ctx, 0).data,
        "the view of a fed input");
#endif
}

/* One step; 1: the run is over. */
static int step(LOWER(_context) * ctx, uint32_t *count) {
  int status = LOWER(_step)(ctx);
#ifdef FED
  if (status == UPPER(_WANTS_ROW)) /* not yet, but then */
    status = LOWER(_step)(ctx);
#endif
  check(status == UPPER(_OK) || status == UPPER(_MORE), "step");
  ++*count;
  return status == UPPER(_OK);
}

/* The context is somewhere else at every step: it holds all there is. */
static void run_steps(LOWER(_context) * ctx, record *r) {
  uint32_t count = 0;
  give(ctx, r);
  ctx->callback = at_operator;
  r->begun = r->ended = 0;
  for (;;) {
    LOWER(_context) *other = room(sizeof *other);
    memcpy(other, ctx, sizeof *ctx);
    memset(ctx, 0xa5, sizeof *ctx);
    const int done = step(other, &count);
    memcpy(ctx, other, sizeof *ctx);
    free(other);
    if (done)
      break;
  }
  check(count == UPPER(_RUN_STEPS), "RUN_STEPS");
  check(r->ended > 0 && (uint32_t)r->ended <= count, "callbacks");
  take(ctx, r);
}

static void run(LOWER(_context) * ctx, record *r) {
  give(ctx, r);
#ifdef FED
  ctx->fill = NULL;
  check(LOWER(_run)(ctx) == UPPER(_WANTS_ROW), "run without rows");
  push(ctx, r);
  ctx->fill = fill;
#else
  check(LOWER(_run)(ctx) == UPPER(_OK), "run");
#endif
  take(ctx, r);
}

/* Gives up after some steps, in three ways. */
static void run_restarted(LOWER(_context) * ctx, record *r) {
  uint32_t count = 0;
  const uint32_t some = UPPER(_RUN_STEPS) * 2 / 3;
  for (int way = 0; way < 3; way++) {
    give(ctx, r);
    while (count < some)
      step(ctx, &count);
    if (way == 0)
      check(LOWER(_restart)(ctx) == UPPER(_OK), "restart");
    else if (way == 1)
      check(LOWER(_reset)(ctx) == UPPER(_OK), "reset");
    count = 0;
    r->rows = 0;
    if (way < 2) {
      give(ctx, r);
      while (!step(ctx, &count))
        ;
      check(count == UPPER(_RUN_STEPS), "all steps");
    } else {
      run(ctx, r);
    }
    r->rows = 0;
    count = 0;
  }
  take(ctx, r);
}

/* Two instances take turns, one a case behind the other. */
static void run_two(LOWER(_context) * a, record *ra, LOWER(_context) * b,
                    record *rb) {
  uint32_t count_a = 0, count_b = 0;
  int done_a = 0, done_b = 0;
  b->user = rb;
  give(a, ra);
  give(b, rb);
  rb->rows = 0;
  while (!done_a || !done_b) {
    if (!done_a)
      done_a = step(a, &count_a);
    if (!done_b && (count_a > 3 || done_a))
      done_b = step(b, &count_b);
  }
  record again = *rb;
  memset(again.out, 0, sizeof again.out);
  take(a, ra);
  take(b, &again);
  for (uint32_t i = 0; i < UPPER(_OUTPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_output)(b, i);
    check(!t.data || memcmp(again.out[i], rb->out[i], t.bytes) == 0,
          "the second instance gave something else");
  }
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "run";
  LOWER(_context) a, b;
  record records[2];
  memset(records, 0, sizeof records);
  open_context(&a, &records[0], strcmp(how, "two") == 0);
  open_context(&b, &records[1], 1);
  for (int n = 0; read_case(&a, &records[n % 2]); n++) {
    record *const r = &records[n % 2];
    a.user = r;
    if (strcmp(how, "step") == 0)
      run_steps(&a, r);
    else if (strcmp(how, "restart") == 0)
      run_restarted(&a, r);
    else if (strcmp(how, "two") == 0 && n > 0)
      run_two(&a, r, &b, &records[1 - n % 2]);
    else
      run(&a, r);
    write_case(&a, r);
  }
  return 0;
}

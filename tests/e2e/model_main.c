/* model_main.c - runs any generated module: inputs from standard input, case
 * after case until it ends, outputs to standard output. Compiled with MODEL,
 * MODEL_UPPER and MODEL_HEADER defined. */
#include MODEL_HEADER

#include <stdio.h>

#define GLUE2(a, b) a##b
#define GLUE(a, b)  GLUE2(a, b)
#define LOWER(name) GLUE(MODEL, name)
#define UPPER(name) GLUE(MODEL_UPPER, name)

static LOWER(_context) ctx;

static int read_inputs(void) {
  for (uint32_t i = 0; i < UPPER(_INPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_input)(&ctx, i);
    if (fread(t.data, 1, t.bytes, stdin) != t.bytes)
      return 0;
  }
  return 1;
}

static int write_outputs(void) {
  for (uint32_t i = 0; i < UPPER(_OUTPUT_COUNT); i++) {
    const LOWER(_tensor) t = LOWER(_output)(&ctx, i);
    if (fwrite(t.data, 1, t.bytes, stdout) != t.bytes)
      return 0;
  }
  return 1;
}

int main(void) {
#ifdef MODEL_BEFORE_INIT
  MODEL_BEFORE_INIT
#endif
  if (LOWER(_init)(&ctx) != UPPER(_OK))
    return 2;
  while (read_inputs())
    if (LOWER(_run)(&ctx) != UPPER(_OK) || !write_outputs())
      return 3;
  return 0;
}

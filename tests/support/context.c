/* context.c - see context.h. */
#include "context.h"

#include "check.h"

ash_ctx *new_ctx(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  return ctx;
}

void print_newest(const ash_ctx *ctx) {
  size_t count;
  char buf[300];
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  if (count) {
    (void)ash_diag_format(buf, sizeof buf, &d[count - 1]);
    fprintf(stderr, "%s\n", buf);
  }
}

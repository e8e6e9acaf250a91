/* run_net.h - runs a net (net.h) in the reference interpreter and compares. */
#ifndef ASH_TESTS_RUN_NET_H
#define ASH_TESTS_RUN_NET_H

#include "net.h"
#include "ref/ref.h"

#include <math.h>

static inline void print_newest(const ash_ctx *ctx) {
  size_t count;
  char buf[300];
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  if (count) {
    (void)ash_diag_format(buf, sizeof buf, &d[count - 1]);
    fprintf(stderr, "%s\n", buf);
  }
}

/* Runs a net with up to two inputs; the output goes to `out`. */
static inline void net_run(const net *n, const void *a, const void *b,
                           void *out) {
  const void *inputs[2] = {a, b};
  void *outputs[1] = {out};
  const ash_status status = ash_ref_run(n->ctx, n->g, inputs, outputs);
  if (status != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(status, ASH_OK);
}

static inline void gives_bytes(net *n, const void *a, const void *b,
                               size_t count, const void *want) {
  int8_t got[64];
  net_run(n, a, b, got);
  for (size_t i = 0; i < count; i++)
    CHECK_EQ(got[i], ((const int8_t *)want)[i]);
  net_free(n);
}

static inline void gives_floats(net *n, const void *a, const void *b,
                                size_t count, const void *want) {
  float got[64];
  net_run(n, a, b, got);
  for (size_t i = 0; i < count; i++)
    CHECK(fabsf(got[i] - ((const float *)want)[i]) <= 1e-6f);
  net_free(n);
}

#endif

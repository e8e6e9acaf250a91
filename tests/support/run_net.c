/* run_net.c - see run_net.h. */
#include "run_net.h"

#include <math.h>

void net_run(const net *n, const void *a, const void *b, void *out) {
  const void *inputs[2] = {a, b};
  void *outputs[1] = {out};
  const ash_status status = ash_ref_run(n->ctx, n->g, inputs, outputs);
  if (status != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(status, ASH_OK);
}

void gives_bytes(net *n, const void *a, const void *b, size_t count,
                 const void *want) {
  int8_t got[64];
  net_run(n, a, b, got);
  for (size_t i = 0; i < count; i++)
    CHECK_EQ(got[i], ((const int8_t *)want)[i]);
  net_free(n);
}

void gives_floats(net *n, const void *a, const void *b, size_t count,
                  const void *want) {
  float got[64];
  net_run(n, a, b, got);
  for (size_t i = 0; i < count; i++)
    CHECK(fabsf(got[i] - ((const float *)want)[i]) <= 1e-6f);
  net_free(n);
}

/* tile_net.h - small models on a device with three memories, for tests of the
 * tiler. */
#ifndef ASH_TESTS_TILE_NET_H
#define ASH_TESTS_TILE_NET_H

#include "ashlar/plan.h"
#include "plan_net.h"

/* L3 (only DMA) - L2 - L1 (kernels), alignment 4. */
const ash_device *tile_device(net *n, unsigned l1, unsigned l2,
                              const char *home);

/* [batch, m, k] x [batch, k, n], floats. */
net matmul_net(int32_t batch, int32_t m, int32_t k, int32_t n);

/* A 3 x 3 window over [1, h, w, c]. */
net pool_net(int32_t h, int32_t w, int32_t c, int32_t stride);
void tell_diags(const net *n);

/* Tilings, and the plan with them. */
const ash_plan *must_tile(net *n, const ash_device *device,
                          const ash_tile_options *options);

#endif

/* net.h - small graphs for tests, written in a few lines:
 *
 *   net n = net_new();
 *   const uint32_t x = net_input(&n, ASH_INT8, NET_DIMS(1, 4, 4, 1), 0.5f, 0);
 *   const uint32_t y = net_result(&n, ASH_INT8, NET_DIMS(1, 4, 4, 1), 0.5f, 0);
 *   net_op(&n, ASH_FN_ROW(relu), NET_IDS(x), y);
 *
 * A scale of 0 means "not quantised". Everything dies with net_free. */
#ifndef ASH_TESTS_NET_H
#define ASH_TESTS_NET_H

#include "check.h"
#include "context.h"
#include "op/functions.h"

typedef struct net {
  ash_ctx *ctx;
  ash_graph *g;
} net;

typedef struct net_ids {
  uint32_t count;
  uint32_t at[24];
} net_ids;

#define NET_COUNT(...) (sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t))
#define NET_DIMS(...)  ((ash_shape){NET_COUNT(__VA_ARGS__), {__VA_ARGS__}})
#define NET_SCALAR     ((ash_shape){0, {0}})
#define NET_IDS(...)                                                           \
  ((net_ids){sizeof((uint32_t[]){__VA_ARGS__}) / 4, {__VA_ARGS__}})
#define NET_BYTES(...)  ((const void *)(const int8_t[]){__VA_ARGS__})
#define NET_INTS(...)   ((const void *)(const int32_t[]){__VA_ARGS__})
#define NET_FLOATS(...) ((const void *)(const float[]){__VA_ARGS__})

net net_new(void);
void net_free(net *n);
uint32_t net_tensor(net *n, ash_tensor t, float scale, int32_t zero);
uint32_t net_input(net *n, ash_type type, ash_shape shape, float scale,
                   int32_t zero);
uint32_t net_result(net *n, ash_type type, ash_shape shape, float scale,
                    int32_t zero);
uint32_t net_constant(net *n, ash_type type, ash_shape shape, const void *data,
                      float scale, int32_t zero);
/* Has these values before the first inference. */
uint32_t net_variable(net *n, ash_type type, ash_shape shape, const void *data,
                      float scale, int32_t zero);

/* One scale per channel, zero points 0. */
void net_channels(net *n, uint32_t tensor, int32_t axis, const float *scales,
                  uint32_t count);
/* By its row: ASH_OP_conv_2d, ASH_FN_ROW(relu). */
uint32_t net_op(net *n, uint32_t row, net_ids in, uint32_t out);
void net_int(net *n, uint32_t op, const char *name, int64_t value);
void net_float(net *n, uint32_t op, const char *name, double value);
void net_ints(net *n, uint32_t op, const char *name, const int64_t *v,
              uint32_t count);
void net_string(net *n, uint32_t op, const char *name, const char *value);
/* y = elements of x at steps, one per dimension; y = x with axis perm[i] as
 * axis i. */
uint32_t net_strided(net *n, uint32_t x, uint32_t y, ash_shape dims,
                     const int64_t *step, int64_t offset);
uint32_t net_transpose(net *n, uint32_t x, uint32_t y, const int32_t *perm);
/* y = the fold of x over some axes. */
uint32_t net_fold(net *n, const char *fn, uint32_t x, uint32_t y,
                  const int64_t *axes, uint32_t count);

#endif

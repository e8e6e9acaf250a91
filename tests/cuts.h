/* cuts.h - random operators for the tests of tile rules: nets of one operator,
 * and the check that all ways to cut it agree (pieces.h). */
#ifndef ASH_TESTS_CUTS_H
#define ASH_TESTS_CUTS_H

#include "pass/pass.h"
#include "pieces.h"

enum { CUT_ROUNDS = 3 };

static ash_rng rng;

static inline int32_t pick(int32_t low, int32_t high) {
  return low + (int32_t)ash_rng_below(&rng, (uint64_t)(high - low + 1));
}

static inline float scale_of(ash_type type) {
  return type == ASH_INT8 || type == ASH_UINT8 ? 0.0625f
         : type == ASH_INT16                   ? 0.001f
                                               : 0.0f;
}

/* int16 has no zero point, uint8 none below zero. */
static inline int32_t zero_of(ash_type type, int32_t zero) {
  return type == ASH_UINT8 ? 128 + zero : type == ASH_INT8 ? zero : 0;
}

static inline uint32_t input(net *n, ash_type type, ash_shape shape) {
  return net_input(n, type, shape, scale_of(type), zero_of(type, 3));
}

static inline uint32_t constant(net *n, ash_type type, ash_shape shape) {
  const ash_tensor t = {.type = type, .shape = shape};
  static uint64_t data[4096];
  pieces_fill(&rng, &t, data);
  return net_constant(n, type, shape, data, scale_of(type), zero_of(type, 0));
}

/* A constant vector. */
static inline uint32_t vector(net *n, const int32_t *values, uint32_t count) {
  return net_constant(n, ASH_INT32, NET_DIMS((int32_t)count), values, 0, 0);
}

/* The shape is a placeholder: pieces_shape finds it. */
static inline uint32_t result(net *n, ash_type type) {
  return net_result(n, type, NET_DIMS(1), scale_of(type), zero_of(type, -5));
}

static inline void set_ints(net *n, uint32_t op, const char *name,
                            const int64_t *v, uint32_t count) {
  const ash_attr a = {
      .name = name, .kind = ASH_ATTR_INTS, .ints = v, .count = count};
  CHECK_EQ(ash_graph_set_attr(n->g, op, a), ASH_OK);
}

/* What is done with each operator. */
static uint32_t cut_by_reference(net *n, uint32_t op) {
  return pieces_agree(n->ctx, n->g, op, &rng, CUT_ROUNDS);
}
static uint32_t (*cut_sink)(net *n, uint32_t op) = cut_by_reference;

/* Shapes are found, the operator lowered, cut at random and dropped. Returns
 * how many axes could be cut. */
static inline uint32_t agree(net *n, uint32_t op) {
  pieces_shape(n, op);
  if (ash_pass_lower(n->ctx, n->g) != ASH_OK)
    print_newest(n->ctx);
  if (ash_graph_verify(n->ctx, n->g) != ASH_OK)
    print_newest(n->ctx);
  CHECK_EQ(ash_graph_verify(n->ctx, n->g), ASH_OK);
  const uint32_t axes = cut_sink(n, op);
  net_free(n);
  return axes;
}

static inline ash_shape some_shape_of(uint32_t rank, int32_t most) {
  ash_shape s = {.rank = rank};
  for (uint32_t i = 0; i < s.rank; i++)
    s.dim[i] = pick(1, most);
  return s;
}

static inline ash_shape some_shape(void) {
  return some_shape_of((uint32_t)pick(1, 4), 5);
}

/* A shape that broadcasts to `s`. */
static inline ash_shape narrower(ash_shape s) {
  const uint32_t drop = (uint32_t)pick(0, (int32_t)s.rank);
  ash_shape t = {.rank = s.rank - drop};
  for (uint32_t i = 0; i < t.rank; i++)
    t.dim[i] = pick(0, 2) ? s.dim[i + drop] : 1;
  return t;
}

#endif

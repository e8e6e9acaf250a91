/* onnx_ops_attention.c - attention of ONNX and of com.microsoft: softmax(Q K' +
 * masks) V, head by head, taken apart into products, sums and a softmax, which
 * the pass `attention` joins again where that saves memory. */
#include "read/onnx/onnx_import.h"

#include <math.h>
#include <string.h>

/* Tensors are [batch, heads, length, depth]. */
typedef struct heads {
  uint32_t q, k, v;
  int32_t batch, count;
  int32_t length, past; /* of the queries, and keys before the first */
  double filter;        /* what is added where a mask says no */
} heads;

/* [batch, length, heads * depth], head by head. */
static uint32_t by_head(ash_ox *m, const heads *h, uint32_t x) {
  static const uint32_t order[] = {0, 2, 1, 3};
  const ash_shape s = *ash_ox_shape(m, x);
  if (m->status != ASH_OK)
    return x;
  if (s.rank != 3 || h->count < 1 || s.dim[2] % h->count) {
    ash_ox_refuse(m, "a query, key or value that does not divide into heads");
    return x;
  }
  const ash_shape wide = {4,
                          {s.dim[0], s.dim[1], h->count, s.dim[2] / h->count}};
  return ash_ox_transpose(m, ash_ox_reshape(m, x, wide), order);
}

static uint32_t joined(ash_ox *m, uint32_t past, uint32_t now) {
  const uint32_t both[] = {past, now};
  return ash_ox_join(m, both, 2, 2);
}

/* filter where `keep` is false, else 0. */
static uint32_t penalty(ash_ox *m, uint32_t keep, double filter) {
  return ash_ox_map3(m, ASH_FN_select, keep, ash_ox_scalar(m, ASH_FLOAT32, 0),
                     ash_ox_scalar(m, ASH_FLOAT32, filter));
}

/* A mask of lengths: [batch] ends, or ends and then starts. */
static uint32_t keep_lengths(ash_ox *m, uint32_t mask, int32_t batch,
                             int32_t total) {
  const ash_shape column = {4, {batch, 1, 1, 1}};
  const uint32_t at = ash_ox_iota(m, ASH_INT32, total, 4, 3);
  const uint32_t ends = ash_ox_slice(m, mask, 0, 0, 1, batch);
  uint32_t keep =
      ash_ox_map2(m, ASH_FN_less, at, ash_ox_reshape(m, ends, column));
  if (ash_ox_dim(m, mask, 0) == batch)
    return keep;
  const uint32_t starts = ash_ox_slice(m, mask, 0, batch, 1, batch);
  return ash_ox_map2(m, ASH_FN_logical_and, keep,
                     ash_ox_map2(m, ASH_FN_greater_equal, at,
                                 ash_ox_reshape(m, starts, column)));
}

/* Input `at` of the node says which keys count. */
static uint32_t masked(ash_ox *m, const heads *h, uint32_t scores,
                       uint32_t at) {
  if (!ash_ox_has(m, at))
    return scores;
  const uint32_t mask = ash_ox_cast(m, ash_ox_in(m, at), ASH_INT32);
  const ash_shape s = *ash_ox_shape(m, mask);
  const int32_t total = ash_ox_dim(m, scores, 3);
  const uint64_t rows = s.rank == 3 ? (uint64_t)h->length : 1;
  const uint64_t all = ash_shape_elements(&s);
  uint32_t keep;
  if (s.rank == 1 &&
      (all == (uint64_t)h->batch || all == 2u * (uint64_t)h->batch)) {
    keep = keep_lengths(m, mask, h->batch, total);
  } else if ((s.rank == 2 || s.rank == 3) &&
             all == (uint64_t)h->batch * rows * (uint64_t)total) {
    const ash_shape wide = {4, {h->batch, 1, (int32_t)rows, total}};
    keep = ash_ox_with(m, ASH_FN_greater, ash_ox_reshape(m, mask, wide), 0);
  } else {
    ash_ox_refuse(m, "a mask of this shape");
    return scores;
  }
  return ash_ox_map2(m, ASH_FN_add, scores, penalty(m, keep, h->filter));
}

/* No query sees keys after its own. */
static uint32_t causal(ash_ox *m, const heads *h, uint32_t scores) {
  const int32_t total = ash_ox_dim(m, scores, 3);
  if (!ash_ox_int(m, "unidirectional", 0))
    return scores;
  if (total != h->past + h->length)
    ash_ox_refuse(m, "an order of queries and keys that differ in number");
  const uint32_t key = ash_ox_iota(m, ASH_INT32, total, 4, 3);
  const uint32_t query = ash_ox_with(
      m, ASH_FN_add, ash_ox_iota(m, ASH_INT32, h->length, 4, 2), h->past);
  return ash_ox_map3(m, ASH_FN_select,
                     ash_ox_map2(m, ASH_FN_less_equal, key, query), scores,
                     ash_ox_scalar(m, ASH_FLOAT32, -3.402823466385288598e38));
}

/* Inputs `mask` and `bias` of the node belong to the scores. */
static void attend(ash_ox *m, const heads *h, uint32_t mask, uint32_t bias) {
  static const uint32_t order[] = {0, 2, 1, 3};
  const double given = ash_ox_float(m, "scale", 0);
  const double scale =
      given != 0 ? given : 1 / sqrt((double)ash_ox_dim(m, h->q, 3));
  uint32_t scores = ash_ox_add_op(
      m, &(ash_ox_op){.kind = ASH_OP_matmul,
                      .inputs = {ash_ox_with(m, ASH_FN_mul, h->q, scale), h->k},
                      .input_count = 2,
                      .attrs = {ASH_INT_ATTR("transpose_b", 1)},
                      .attr_count = 1,
                      .type = ASH_FLOAT32});
  if (ash_ox_has(m, bias))
    scores = ash_ox_map2(m, ASH_FN_add, scores, ash_ox_in(m, bias));
  scores = causal(m, h, masked(m, h, scores, mask));
  if (m->status != ASH_OK)
    return;
  const uint32_t y = ash_ox_transpose(
      m, ash_ox_matmul(m, ash_ox_softmax(m, scores, 8), h->v), order);
  const ash_shape s = *ash_ox_shape(m, y);
  ash_ox_out(
      m, 0,
      ash_ox_reshape(
          m, y, (ash_shape){3, {s.dim[0], s.dim[1], s.dim[2] * s.dim[3]}}));
}

static heads open_heads(ash_ox *m, uint32_t x) {
  heads h = {.count = (int32_t)ash_ox_int(m, "num_heads", 0),
             .filter = ash_ox_float(m, "mask_filter_value", -10000),
             .batch = ash_ox_dim(m, x, 0),
             .length = ash_ox_dim(m, x, 1)};
  if (ash_ox_type(m, x) != ASH_FLOAT32)
    ash_ox_refuse(m, "another type than float32");
  if (ash_ox_int(m, "do_rotary", 0))
    ash_ox_refuse(m, "a rotary embedding");
  return h;
}

/* Keys and values before, [2, batch, heads, past, depth], come first. */
static void prepend(ash_ox *m, heads *h, uint32_t at) {
  const ash_shape one = *ash_ox_shape(m, h->k);
  if (ash_ox_has(m, at)) {
    const uint32_t past = ash_ox_in(m, at);
    ash_shape s = *ash_ox_shape(m, past);
    if (s.rank != 5 || s.dim[0] != 2) {
      ash_ox_bad(m, "the past needs keys and values");
      return;
    }
    const ash_shape part = {4, {s.dim[1], s.dim[2], s.dim[3], s.dim[4]}};
    h->past = s.dim[3];
    h->k = joined(m, ash_ox_reshape(m, ash_ox_slice(m, past, 0, 0, 1, 1), part),
                  h->k);
    h->v = joined(m, ash_ox_reshape(m, ash_ox_slice(m, past, 0, 1, 1, 1), part),
                  h->v);
  }
  if (!ash_ox_wants(m, 1))
    return;
  const ash_shape wide = {
      5, {1, one.dim[0], one.dim[1], one.dim[2] + h->past, one.dim[3]}};
  const uint32_t both[] = {ash_ox_reshape(m, h->k, wide),
                           ash_ox_reshape(m, h->v, wide)};
  ash_ox_out(m, 1, ash_ox_join(m, both, 2, 0));
}

/* The projection [batch, length, q + k + v], cut and split. */
static void cut(ash_ox *m, heads *h, uint32_t all) {
  const int64_t whole = ash_ox_dim(m, all, 2);
  int64_t sizes[3];
  ash_ox_fill(m, "qkv_hidden_sizes", sizes, 3, whole / 3);
  if (sizes[0] < 1 || sizes[0] != sizes[1] || sizes[2] < 1 ||
      sizes[0] + sizes[1] + sizes[2] != whole) {
    ash_ox_bad(m, "sizes of queries, keys and values do not fit the weights");
    return;
  }
  h->q = by_head(m, h, ash_ox_slice(m, all, 2, 0, 1, sizes[0]));
  h->k = by_head(m, h, ash_ox_slice(m, all, 2, sizes[0], 1, sizes[1]));
  h->v =
      by_head(m, h, ash_ox_slice(m, all, 2, sizes[0] + sizes[1], 1, sizes[2]));
}

static void read_attention(ash_ox *m) {
  const uint32_t x = ash_ox_in(m, 0);
  heads h = open_heads(m, x);
  const uint32_t in[] = {x, ash_ox_in(m, 1)};
  uint32_t all = ash_ox_run_as(m, "MatMul", in, 2);
  if (ash_ox_has(m, 2))
    all = ash_ox_map2(m, ASH_FN_add, all, ash_ox_in(m, 2));
  if (ash_ox_rank(m, all) != 3 && m->status == ASH_OK)
    ash_ox_bad(m, "the input needs batch, length and depth");
  if (m->status == ASH_OK)
    cut(m, &h, all);
  if (m->status == ASH_OK)
    prepend(m, &h, 4);
  attend(m, &h, 3, 5);
}

/* Codes in the place of input and weights; scales and zero points follow. */
static void read_quantised_attention(ash_ox *m) {
  const uint32_t codes[] = {ash_ox_in(m, 0), ash_ox_in(m, 1),
                            ash_ox_in_or(m, 6, ASH_NO_ID),
                            ash_ox_in_or(m, 7, ASH_NO_ID)};
  const uint32_t sum = ash_ox_run_as(m, "MatMulInteger", codes, 4);
  const uint32_t scale =
      ash_ox_map2(m, ASH_FN_mul, ash_ox_in(m, 3), ash_ox_in(m, 4));
  const uint32_t all = ash_ox_map2(
      m, ASH_FN_add,
      ash_ox_map2(m, ASH_FN_mul, ash_ox_cast(m, sum, ASH_FLOAT32), scale),
      ash_ox_in(m, 2));
  if (ash_ox_rank(m, all) != 3 && m->status == ASH_OK)
    ash_ox_bad(m, "the input needs batch, length and depth");
  heads h = open_heads(m, all);
  if (m->status == ASH_OK)
    cut(m, &h, all);
  if (m->status == ASH_OK)
    prepend(m, &h, 8);
  attend(m, &h, 5, UINT32_MAX);
}

/* One of query, key and value, with its part of the bias from `from` on; key
 * and value may come head by head already. */
static uint32_t operand(ash_ox *m, const heads *h, uint32_t k, int64_t *from) {
  uint32_t x = ash_ox_in(m, k);
  if (ash_ox_rank(m, x) == 4)
    return x;
  const int32_t depth = ash_ox_dim(m, x, 2);
  if (ash_ox_has(m, 3))
    x = ash_ox_map2(m, ASH_FN_add, x,
                    ash_ox_slice(m, ash_ox_in(m, 3), 0, *from, 1, depth));
  *from += depth;
  return by_head(m, h, x);
}

static void read_multi_head(ash_ox *m) {
  heads h = open_heads(m, ash_ox_in(m, 0));
  int64_t from = 0;
  if (!ash_ox_has(m, 1) || !ash_ox_has(m, 2) ||
      ash_ox_rank(m, ash_ox_in(m, 0)) != 3) {
    ash_ox_refuse(m, "queries, keys and values in one tensor");
    return;
  }
  h.q = operand(m, &h, 0, &from);
  h.k = operand(m, &h, 1, &from);
  h.v = operand(m, &h, 2, &from);
  if (ash_ox_has(m, 6) && ash_ox_has(m, 7)) {
    h.past = ash_ox_dim(m, ash_ox_in(m, 6), 2);
    h.k = joined(m, ash_ox_in(m, 6), h.k);
    h.v = joined(m, ash_ox_in(m, 7), h.v);
  }
  ash_ox_out(m, 1, h.k);
  ash_ox_out(m, 2, h.v);
  attend(m, &h, 4, 5);
}

/* ---- ONNX's own ---------------------------------------------------------- */

/* [batch, heads, length, depth], or [batch, length, heads * depth]. */
static uint32_t onnx_heads(ash_ox *m, uint32_t k, const char *count) {
  const uint32_t x = ash_ox_in(m, k);
  const heads h = {.count = (int32_t)ash_ox_int(m, count, 0)};
  if (ash_ox_rank(m, x) == 4 || m->status != ASH_OK)
    return x;
  return by_head(m, &h, x);
}

/* Each head serves as many neighbours as the queries have more heads. */
static uint32_t for_queries(ash_ox *m, uint32_t q, uint32_t x) {
  const int32_t all = ash_ox_dim(m, q, 1), some = ash_ox_dim(m, x, 1);
  if (m->status != ASH_OK || all == some)
    return x;
  if (some < 1 || all % some) {
    ash_ox_bad(m, "heads of keys that do not divide those of queries");
    return x;
  }
  const ash_shape s = *ash_ox_shape(m, x);
  const ash_shape one = {5, {s.dim[0], some, 1, s.dim[2], s.dim[3]}};
  const ash_shape wide = {5, {s.dim[0], some, all / some, s.dim[2], s.dim[3]}};
  const ash_shape flat = {4, {s.dim[0], all, s.dim[2], s.dim[3]}};
  return ash_ox_reshape(m, ash_ox_expand(m, ash_ox_reshape(m, x, one), &wide),
                        flat);
}

/* The mask (input 3) is an addend, or says which scores count; with is_causal
 * only keys up to the query's own do, which comes after those of the past. */
static uint32_t onnx_masked(ash_ox *m, const heads *h, uint32_t scores) {
  const uint32_t none = ash_ox_scalar(m, ASH_FLOAT32, (double)-INFINITY);
  const int32_t total = ash_ox_dim(m, scores, 3);
  if (ash_ox_has(m, 3)) {
    const uint32_t mask = ash_ox_in(m, 3);
    const uint32_t rank = ash_ox_rank(m, mask);
    if (rank > 0 && m->status == ASH_OK &&
        ash_ox_dim(m, mask, rank - 1) != total)
      ash_ox_refuse(m, "a mask of fewer keys than there are");
    scores = ash_ox_type(m, mask) == ASH_BOOL
                 ? ash_ox_map3(m, ASH_FN_select, mask, scores, none)
                 : ash_ox_map2(m, ASH_FN_add, scores, mask);
  }
  if (!ash_ox_int(m, "is_causal", 0))
    return scores;
  const uint32_t key = ash_ox_iota(m, ASH_INT32, total, 4, 3);
  const uint32_t query = ash_ox_with(
      m, ASH_FN_add, ash_ox_iota(m, ASH_INT32, h->length, 4, 2), h->past);
  return ash_ox_map3(m, ASH_FN_select,
                     ash_ox_map2(m, ASH_FN_less_equal, key, query), scores,
                     none);
}

static void onnx_attend(ash_ox *m, const heads *h) {
  static const uint32_t turn[] = {0, 1, 3, 2}, order[] = {0, 2, 1, 3};
  const double scale =
      ash_ox_float(m, "scale", 1 / sqrt((double)ash_ox_dim(m, h->q, 3)));
  const uint32_t k = ash_ox_transpose(m, for_queries(m, h->q, h->k), turn);
  if (m->status != ASH_OK)
    return;
  uint32_t scores =
      ash_ox_with(m, ASH_FN_mul, ash_ox_matmul(m, h->q, k), scale);
  scores = onnx_masked(m, h, scores);
  if (m->status != ASH_OK)
    return;
  uint32_t y = ash_ox_matmul(m, ash_ox_softmax(m, scores, 8),
                             for_queries(m, h->q, h->v));
  if (m->status == ASH_OK && ash_ox_rank(m, ash_ox_in(m, 0)) == 3) {
    y = ash_ox_transpose(m, y, order);
    const ash_shape s = *ash_ox_shape(m, y);
    y = ash_ox_reshape(
        m, y, (ash_shape){3, {s.dim[0], s.dim[1], s.dim[2] * s.dim[3]}});
  }
  ash_ox_out(m, 0, y);
}

static void read_onnx_attention(ash_ox *m) {
  heads h = {.q = onnx_heads(m, 0, "q_num_heads"),
             .k = onnx_heads(m, 1, "kv_num_heads"),
             .v = onnx_heads(m, 2, "kv_num_heads")};
  if (m->status != ASH_OK)
    return;
  if (ash_ox_type(m, h.q) != ASH_FLOAT32)
    ash_ox_refuse(m, "another type than float32");
  else if (ash_ox_float(m, "softcap", 0) != 0)
    ash_ox_refuse(m, "a softcap");
  else if (ash_ox_wants(m, 3))
    ash_ox_refuse(m, "the scores as an output");
  else if (ash_ox_has(m, 6))
    ash_ox_refuse(m, "lengths of keys that are given at run time");
  else if (ash_ox_rank(m, h.q) != 4 || ash_ox_rank(m, h.k) != 4 ||
           ash_ox_rank(m, h.v) != 4)
    ash_ox_bad(m, "queries, keys and values need batch, heads and length");
  if (m->status != ASH_OK)
    return;
  h.length = ash_ox_dim(m, h.q, 2);
  if (ash_ox_has(m, 4) && ash_ox_has(m, 5)) {
    h.past = ash_ox_dim(m, ash_ox_in(m, 4), 2);
    h.k = joined(m, ash_ox_in(m, 4), h.k);
    h.v = joined(m, ash_ox_in(m, 5), h.v);
  }
  if (ash_ox_wants(m, 1))
    ash_ox_out(m, 1, h.k);
  if (ash_ox_wants(m, 2))
    ash_ox_out(m, 2, h.v);
  onnx_attend(m, &h);
}

const ash_ox_handler ash_ox_onnx_attention[] = {
    {"Attention", read_onnx_attention},
    {NULL, NULL},
};

const ash_ox_handler ash_ox_attention[] = {
    {"Attention", read_attention},
    {"QAttention", read_quantised_attention},
    {"MultiHeadAttention", read_multi_head},
    {NULL, NULL},
};

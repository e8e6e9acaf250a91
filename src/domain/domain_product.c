/* domain_product.c - products of matrices: rows `m`, columns `n`, and the depth
 * `k` that is summed; batches broadcast. Attention, two products with a softmax
 * between them, is cut between queries only. */
#include "domain/domain.h"

#include "op/attention.h"

/* The first of the input's dimensions that together make rows of `depth`; the
 * rank if they do not end at one. */
static uint32_t row_from(const ash_shape *s, int64_t depth) {
  ASH_ASSERT(depth > 0);
  uint32_t d = s->rank;
  int64_t n = 1;
  while (d > 0 && n < depth)
    n *= s->dim[--d];
  return n == depth ? d : s->rank;
}

/* With keep_num_dims the output has the input's rows; otherwise one index
 * counts them. */
const char *ash_domain_dense(ash_domain_build *b) {
  ash_tile_operand *x = ash_domain_in(b, 0), *w = ash_domain_in(b, 1);
  ash_tile_operand *y = ash_domain_out(b, 0);
  const ash_shape *in = ash_domain_shape(b, x), *out = ash_domain_shape(b, y);
  const int32_t *filter = ash_domain_shape(b, w)->dim;
  const bool keeps = ash_attr_int(b->op, "keep_num_dims", 0) != 0;
  const uint32_t row = keeps ? in->rank - 1 : row_from(in, filter[1]);
  if (row == in->rank && filter[1] != 1)
    return "rows end inside a dimension of the input";
  if (keeps) {
    for (uint32_t d = 0; d < row; d++) {
      ash_domain_follow(y, d,
                        ash_domain_axis(b, ash_domain_name(d), out->dim[d]));
      ash_domain_follow(x, d, d);
    }
  } else {
    const uint32_t n = ash_domain_axis(b, "n", out->dim[0]);
    ash_domain_follow(y, 0, n);
    ash_domain_flat(b, x, 0, row, n);
  }
  const uint32_t c = ash_domain_axis(b, "c", filter[0]);
  ash_domain_follow(y, out->rank - 1, c);
  ash_domain_follow(w, 0, c);
  for (uint32_t k = 2; k < b->op->input_count; k++)
    ash_domain_table(b, k, c);
  const uint32_t k = ash_domain_sum(b, "k", filter[1]);
  ash_domain_follow(w, 1, k);
  ash_domain_flat(b, x, row, in->rank, k);
  ash_domain_likes(b, c, 4, 2);
  ash_domain_likes(b, k, 4, 1);
  return NULL;
}

/* Leading dimensions of an operand, broadcast to the output's. */
static void follow_batches(const ash_domain_build *b, ash_tile_operand *o) {
  const ash_shape *s = ash_domain_shape(b, o);
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  const uint32_t missing = out->rank - s->rank;
  for (uint32_t d = 0; d + 2 < s->rank; d++)
    if (s->dim[d] == out->dim[d + missing])
      ash_domain_follow(o, d, d + missing);
}

const char *ash_domain_matmul(ash_domain_build *b) {
  ash_tile_operand *x = ash_domain_in(b, 0), *w = ash_domain_in(b, 1);
  ash_tile_operand *y = ash_domain_out(b, 0);
  const uint32_t ta = ash_attr_int(b->op, "transpose_a", 0) != 0;
  const uint32_t tb = ash_attr_int(b->op, "transpose_b", 0) != 0;
  const ash_shape *out = ash_domain_shape(b, y);
  const int64_t depth = ash_domain_shape(b, x)->dim[x->rank - 1 - ta];
  for (uint32_t d = 0; d + 2 < out->rank; d++)
    ash_domain_follow(y, d,
                      ash_domain_axis(b, ash_domain_name(d), out->dim[d]));
  follow_batches(b, x);
  follow_batches(b, w);
  const uint32_t m = ash_domain_axis(b, "m", out->dim[out->rank - 2]);
  const uint32_t n = ash_domain_axis(b, "n", out->dim[out->rank - 1]);
  const uint32_t k = ash_domain_sum(b, "k", depth);
  ash_domain_follow(y, y->rank - 2, m);
  ash_domain_follow(y, y->rank - 1, n);
  ash_domain_follow(x, x->rank - 2 + ta, m);
  ash_domain_follow(x, x->rank - 1 - ta, k);
  ash_domain_follow(w, w->rank - 2 + tb, k);
  ash_domain_follow(w, w->rank - 1 - tb, n);
  for (uint32_t i = 2; i < b->op->input_count; i++)
    ash_domain_table(b, i, n); /* scales of columns */
  ash_domain_likes(b, n, 4, 2);
  ash_domain_likes(b, k, 4, 1);
  b->space->work = ash_shape_elements(out) * (uint64_t)depth;
  return NULL;
}

/* Keys and values: heads that serve a group are not cut from it. */
static void follow_heads(ash_domain_build *b, uint32_t k,
                         const ash_attention *a) {
  ash_tile_operand *o = ash_domain_in(b, k);
  const ash_shape *s = ash_domain_shape(b, o);
  for (uint32_t d = 0; d < a->axes; d++) {
    if (s->dim[d] == 1)
      continue;
    ash_domain_follow(o, d, d);
    if (d + 1 == a->axes)
      o->dim[d].divide = b->space->axes[d].granule = a->group;
  }
}

/* What is added to scores, or masks them: broadcast. */
static void follow_scores(const ash_domain_build *b, uint32_t k,
                          const ash_attention *a) {
  ash_tile_operand *o = ash_domain_in(b, k);
  if (!o)
    return;
  const uint32_t missing = a->axes + 2 - o->rank;
  for (uint32_t d = 0; d + 1 < o->rank; d++)
    if (ash_domain_shape(b, o)->dim[d] > 1)
      ash_domain_follow(o, d, d + missing);
}

/* The smallest piece is one query, with all keys and values of its head. */
const char *ash_domain_attention(ash_domain_build *b) {
  const ash_attention a = ash_attention_of(b->g, b->op);
  ash_tile_operand *q = ash_domain_in(b, ASH_ATTENTION_Q);
  ash_tile_operand *y = ash_domain_out(b, 0);
  const ash_shape *out = ash_domain_shape(b, y);
  for (uint32_t d = 0; d <= a.axes; d++) {
    const char *name = d == a.axes ? "m" : ash_domain_name(d);
    const uint32_t axis = ash_domain_axis(b, name, out->dim[d]);
    ash_domain_follow(q, d, axis);
    ash_domain_follow(y, d, axis);
  }
  follow_heads(b, ASH_ATTENTION_K, &a);
  follow_heads(b, ASH_ATTENTION_V, &a);
  follow_scores(b, ASH_ATTENTION_BIAS, &a);
  follow_scores(b, ASH_ATTENTION_KEEP, &a);
  return NULL;
}

/* ref_pick.c - elements moved by position or by index, whatever they are.
 * Negative indices count from the back; others outside the axis are moved to
 * its nearest end, so that no input can read or write elsewhere. */
#include "ref/ref_any.h"

#include <string.h>

static void move(const ash_ref_call *c, uint32_t from_input, uint64_t from,
                 uint64_t to) {
  const size_t width = ash_type_bits(ash_ref_out(c, 0)->type) / 8;
  memcpy((uint8_t *)ash_ref_write(c, 0) + to * width,
         (const uint8_t *)ash_ref_read(c, from_input) + from * width, width);
}

/* Entry i of the indices, for an axis of `size`. */
static uint64_t index_at(const ash_ref_call *c, uint64_t i, int64_t size) {
  int64_t at = ash_ref_get(ash_ref_in(c, 1), ash_ref_read(c, 1), i);
  at = at < 0 ? at + size : at;
  return (uint64_t)(at < 0 ? 0 : at >= size ? size - 1 : at);
}

ash_status ash_ref_strided(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_shape_elements(out); i++) {
    int64_t from = ash_attr_int(c->op, "offset", 0);
    for (uint32_t k = 0; k < out->rank; k++)
      from += at[k] * ash_op_ints(c->op, "step", k, 0);
    move(c, 0, (uint64_t)from, i);
    ash_ref_next(out, at);
  }
  return ASH_OK;
}

static uint32_t axis_of(const ash_ref_call *c, const ash_shape *s) {
  const int64_t given = ash_attr_int(c->op, "axis", 0);
  return (uint32_t)(given < 0 ? given + s->rank : given);
}

static uint64_t product(const ash_shape *s, uint32_t first, uint32_t end) {
  uint64_t n = 1;
  for (uint32_t i = first; i < end; i++)
    n *= (uint64_t)s->dim[i];
  return n;
}

ash_status ash_ref_gather(const ash_ref_call *c) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_shape *indices = &ash_ref_in(c, 1)->shape;
  const uint32_t axis = axis_of(c, in);
  const int64_t dims = ash_attr_int(c->op, "batch_dims", 0);
  const uint32_t batch = (uint32_t)(dims < 0 ? dims + indices->rank : dims);
  const uint64_t outer = product(in, batch, axis);
  const uint64_t inner = product(in, axis + 1, in->rank);
  const uint64_t picks = product(indices, batch, indices->rank);
  const uint64_t length = (uint64_t)in->dim[axis];
  for (uint64_t o = 0; o < product(in, 0, axis); o++)
    for (uint64_t k = 0; k < picks; k++) {
      const uint64_t row = index_at(c, o / outer * picks + k, (int64_t)length);
      for (uint64_t i = 0; i < inner; i++)
        move(c, 0, (o * length + row) * inner + i, (o * picks + k) * inner + i);
    }
  return ASH_OK;
}

/* Place in the data of entry i of the indices, which is at `at`. */
static uint64_t element_of(const ash_ref_call *c, const int32_t *at,
                           uint64_t i) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const uint32_t axis = axis_of(c, in);
  uint64_t place = 0;
  for (uint32_t k = 0; k < in->rank; k++)
    place = place * (uint64_t)in->dim[k] +
            (k == axis ? index_at(c, i, in->dim[axis]) : (uint64_t)at[k]);
  return place;
}

ash_status ash_ref_gather_elements(const ash_ref_call *c) {
  const ash_shape *out = &ash_ref_out(c, 0)->shape;
  int32_t at[ASH_RANK_MAX] = {0};
  for (uint64_t i = 0; i < ash_shape_elements(out); i++, ash_ref_next(out, at))
    move(c, 0, element_of(c, at, i), i);
  return ASH_OK;
}

/* Element `from` of the updates goes to place `to`. */
static void put(const ash_ref_call *c, uint64_t from, uint64_t to) {
  const char *fn = ash_attr_string(c->op, "fn", "set");
  const ash_tensor *t = ash_ref_out(c, 0);
  const ash_number o[3] = {
      ash_ref_number_get(t, ash_ref_write(c, 0), to),
      ash_ref_number_get(ash_ref_in(c, 2), ash_ref_read(c, 2), from)};
  const ash_fn how = strcmp(fn, "add") == 0   ? ASH_FN_add
                     : strcmp(fn, "mul") == 0 ? ASH_FN_mul
                     : strcmp(fn, "min") == 0 ? ASH_FN_minimum
                                              : ASH_FN_maximum;
  ash_ref_number_put(t, ash_ref_write(c, 0), to,
                     strcmp(fn, "set") == 0 ? o[1]
                                            : ash_ref_number_apply(how, o));
}

static void copy_data(const ash_ref_call *c) {
  memcpy(ash_ref_write(c, 0), ash_ref_read(c, 0),
         (size_t)ash_ref_out(c, 0)->bytes);
}

ash_status ash_ref_scatter_elements(const ash_ref_call *c) {
  const ash_shape *part = &ash_ref_in(c, 1)->shape;
  int32_t at[ASH_RANK_MAX] = {0};
  copy_data(c);
  for (uint64_t i = 0; i < ash_shape_elements(part);
       i++, ash_ref_next(part, at))
    put(c, i, element_of(c, at, i));
  return ASH_OK;
}

/* Index tuples: `depth` parts each, for the axes of the data from `first`. */
typedef struct tuples {
  uint64_t count, inner;
  uint32_t first, depth;
} tuples;

static tuples tuples_of(const ash_ref_call *c, uint32_t first) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  const ash_shape *at = &ash_ref_in(c, 1)->shape;
  tuples t = {1, 1, first, (uint32_t)at->dim[at->rank - 1]};
  t.count = ash_shape_elements(at) / t.depth;
  for (uint32_t i = first + t.depth; i < in->rank; i++)
    t.inner *= (uint64_t)in->dim[i];
  return t;
}

/* Where tuple k points, in runs of `inner`, with its batch in front. */
static uint64_t run_of(const ash_ref_call *c, const tuples *t, uint64_t k) {
  const ash_shape *in = &ash_ref_in(c, 0)->shape;
  uint64_t batches = 1;
  for (uint32_t i = 0; i < t->first; i++)
    batches *= (uint64_t)in->dim[i];
  uint64_t place = k / (t->count / batches);
  for (uint32_t i = 0; i < t->depth; i++)
    place = place * (uint64_t)in->dim[t->first + i] +
            index_at(c, k * t->depth + i, in->dim[t->first + i]);
  return place;
}

ash_status ash_ref_gather_nd(const ash_ref_call *c) {
  const tuples t = tuples_of(c, (uint32_t)ash_attr_int(c->op, "batch_dims", 0));
  for (uint64_t k = 0; k < t.count; k++)
    for (uint64_t i = 0; i < t.inner; i++)
      move(c, 0, run_of(c, &t, k) * t.inner + i, k * t.inner + i);
  return ASH_OK;
}

ash_status ash_ref_scatter_nd(const ash_ref_call *c) {
  const tuples t = tuples_of(c, 0);
  copy_data(c);
  for (uint64_t k = 0; k < t.count; k++)
    for (uint64_t i = 0; i < t.inner; i++)
      put(c, k * t.inner + i, run_of(c, &t, k) * t.inner + i);
  return ASH_OK;
}

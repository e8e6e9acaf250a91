/* domain_pick.c - elements picked by index: any index may come, so the picked
 * dimensions of the data are whole; indices and results are cut freely. */
#include "domain/domain.h"

static uint32_t place(const ash_domain_build *b, uint32_t rank) {
  const int64_t axis = ash_attr_int(b->op, "axis", 0);
  return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* Every dimension of the output is an axis of the same number. */
static void add_output(ash_domain_build *b) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, out);
  for (uint32_t d = 0; d < s->rank; d++)
    ash_domain_follow(out, d,
                      ash_domain_axis(b, ash_domain_name(d), s->dim[d]));
}

/* data[.., index, ..]. */
const char *ash_domain_gather(ash_domain_build *b) {
  ash_tile_operand *data = ash_domain_in(b, 0), *at = ash_domain_in(b, 1);
  const uint32_t axis = place(b, data->rank);
  const int64_t given = ash_attr_int(b->op, "batch_dims", 0);
  const uint32_t batch = (uint32_t)(given < 0 ? given + at->rank : given);
  add_output(b);
  for (uint32_t d = 0; d < data->rank; d++)
    if (d != axis)
      ash_domain_follow(data, d, d < axis ? d : d - 1 + at->rank - batch);
  for (uint32_t d = 0; d < at->rank; d++)
    ash_domain_follow(at, d, d < batch ? d : axis + d - batch);
  return NULL;
}

const char *ash_domain_gather_elements(ash_domain_build *b) {
  ash_tile_operand *data = ash_domain_in(b, 0), *at = ash_domain_in(b, 1);
  const uint32_t axis = place(b, data->rank);
  add_output(b);
  for (uint32_t d = 0; d < data->rank; d++) {
    ash_domain_follow(at, d, d);
    if (d != axis)
      ash_domain_follow(data, d, d);
  }
  return NULL;
}

/* The last dimension of the indices is one position. */
const char *ash_domain_gather_nd(ash_domain_build *b) {
  ash_tile_operand *data = ash_domain_in(b, 0), *at = ash_domain_in(b, 1);
  const uint32_t depth = (uint32_t)ash_domain_shape(b, at)->dim[at->rank - 1];
  const uint32_t batch = (uint32_t)ash_attr_int(b->op, "batch_dims", 0);
  add_output(b);
  for (uint32_t d = 0; d + 1 < at->rank; d++)
    ash_domain_follow(at, d, d);
  for (uint32_t d = 0; d < data->rank; d++)
    if (d < batch)
      ash_domain_follow(data, d, d);
    else if (d >= batch + depth)
      ash_domain_follow(data, d, at->rank - 1 + d - batch - depth);
  return NULL;
}

/* Any update may go anywhere along the axis. Dimensions in which the updates
 * are shorter than the data stay whole. */
const char *ash_domain_scatter_elements(ash_domain_build *b) {
  ash_tile_operand *data = ash_domain_in(b, 0), *at = ash_domain_in(b, 1);
  ash_tile_operand *updates = ash_domain_in(b, 2), *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, data);
  const uint32_t axis = place(b, data->rank);
  for (uint32_t d = 0; d < data->rank; d++) {
    if (d == axis || ash_domain_shape(b, at)->dim[d] != s->dim[d])
      continue;
    const uint32_t a = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
    ash_domain_follow(data, d, a);
    ash_domain_follow(at, d, a);
    ash_domain_follow(updates, d, a);
    ash_domain_follow(out, d, a);
  }
  return NULL;
}

const char *ash_domain_scatter_nd(ash_domain_build *b) {
  ash_tile_operand *data = ash_domain_in(b, 0), *at = ash_domain_in(b, 1);
  ash_tile_operand *updates = ash_domain_in(b, 2), *out = ash_domain_out(b, 0);
  const uint32_t depth = (uint32_t)ash_domain_shape(b, at)->dim[at->rank - 1];
  for (uint32_t d = depth; d < data->rank; d++) {
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d),
                                          ash_domain_shape(b, data)->dim[d]);
    ash_domain_follow(data, d, axis);
    ash_domain_follow(updates, at->rank - 1 + d - depth, axis);
    ash_domain_follow(out, d, axis);
  }
  return NULL;
}

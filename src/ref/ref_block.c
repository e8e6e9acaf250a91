/* ref_block.c - operators that say for each position of the output which
 * element of the input comes there. */
#include "op/functions.h"
#include "ref/ref_call.h"

static const ash_shape *in_shape(const ash_ref_call *c) {
  return &ash_ref_in(c, 0)->shape;
}

static uint64_t tiled(const ash_ref_call *c, const int32_t *at) {
  int32_t from[ASH_RANK_MAX];
  for (uint32_t i = 0; i < in_shape(c)->rank; i++)
    from[i] = at[i] % in_shape(c)->dim[i];
  return ash_ref_offset(in_shape(c), from);
}

ash_status ash_ref_tile(const ash_ref_call *c) {
  return ash_ref_move_all(c, tiled);
}

/* ---- blocks ------------------------------------------------------------- */

static uint64_t to_depth(const ash_ref_call *c, const int32_t *at) {
  const int32_t block = (int32_t)ash_attr_int(c->op, "block", 1);
  const int32_t channels = in_shape(c)->dim[3], group = at[3] / channels;
  const int32_t from[4] = {at[0], at[1] * block + group / block,
                           at[2] * block + group % block, at[3] % channels};
  return ash_ref_offset(in_shape(c), from);
}

ash_status ash_ref_space_to_depth(const ash_ref_call *c) {
  return ash_ref_move_all(c, to_depth);
}

static uint64_t to_space(const ash_ref_call *c, const int32_t *at) {
  const int32_t block = (int32_t)ash_attr_int(c->op, "block", 1);
  const int32_t channels = ash_ref_out(c, 0)->shape.dim[3];
  const int32_t group = at[1] % block * block + at[2] % block;
  const int32_t from[4] = {at[0], at[1] / block, at[2] / block,
                           group * channels + at[3]};
  return ash_ref_offset(in_shape(c), from);
}

ash_status ash_ref_depth_to_space(const ash_ref_call *c) {
  return ash_ref_move_all(c, to_space);
}

/* The batch axis counts places in a block, then batches. */
static uint64_t from_space(const ash_ref_call *c, const int32_t *at) {
  const ash_shape *in = in_shape(c);
  int32_t from[ASH_RANK_MAX] = {at[0] % in->dim[0]};
  int32_t place = at[0] / in->dim[0];
  from[in->rank - 1] = at[in->rank - 1];
  for (uint32_t i = in->rank - 2; i >= 1; i--) {
    const int32_t block = (int32_t)ash_op_ints(c->op, "block", i - 1, 1);
    const int32_t pad = (int32_t)ash_op_ints(c->op, "before", i - 1, 0);
    from[i] = at[i] * block + place % block - pad;
    place /= block;
    if (from[i] < 0 || from[i] >= in->dim[i])
      return ASH_REF_NOWHERE;
  }
  return ash_ref_offset(in, from);
}

ash_status ash_ref_space_to_batch_nd(const ash_ref_call *c) {
  return ash_ref_move_all(c, from_space);
}

static uint64_t from_batch(const ash_ref_call *c, const int32_t *at) {
  const ash_shape *in = in_shape(c);
  const int32_t batches = ash_ref_out(c, 0)->shape.dim[0];
  int32_t from[ASH_RANK_MAX] = {0};
  int32_t place = 0;
  from[in->rank - 1] = at[in->rank - 1];
  for (uint32_t i = 1; i + 1 < in->rank; i++) {
    const int32_t block = (int32_t)ash_op_ints(c->op, "block", i - 1, 1);
    const int32_t crop = (int32_t)ash_op_ints(c->op, "before", i - 1, 0);
    from[i] = (at[i] + crop) / block;
    place = place * block + (at[i] + crop) % block;
  }
  from[0] = place * batches + at[0];
  return ash_ref_offset(in, from);
}

ash_status ash_ref_batch_to_space_nd(const ash_ref_call *c) {
  return ash_ref_move_all(c, from_batch);
}

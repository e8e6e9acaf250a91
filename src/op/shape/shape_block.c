/* shape_block.c - operators that regroup an image in blocks or make it larger
 * or smaller. */
#include "op/functions.h"
#include "op/shape/shape_rule.h"

#include <inttypes.h>
#include <string.h>

static ash_status bad_block(const ash_rule *r) {
  char buf[ASH_SHAPE_TEXT];
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                       "shape %s does not divide into the blocks",
                       ash_shape_text(buf, &ash_op_in(r->g, r->op, 0)->shape));
}

static ash_status check_image(const ash_rule *r, int64_t *block) {
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(ash_rule_int(r, "block", 0, 1, block));
  return *block < 1 << 15 ? ASH_OK : bad_block(r);
}

ash_status ash_op_shape_space_to_depth(const ash_rule *r) {
  int64_t block;
  ASH_TRY(check_image(r, &block));
  const int32_t *in = ash_op_in(r->g, r->op, 0)->shape.dim;
  const int64_t channels = in[3] * block * block;
  if (in[1] % block || in[2] % block || channels > INT32_MAX)
    return bad_block(r);
  *r->out = (ash_shape){4,
                        {in[0], (int32_t)(in[1] / block),
                         (int32_t)(in[2] / block), (int32_t)channels}};
  return ASH_OK;
}

ash_status ash_op_shape_depth_to_space(const ash_rule *r) {
  int64_t block;
  ASH_TRY(check_image(r, &block));
  const int32_t *in = ash_op_in(r->g, r->op, 0)->shape.dim;
  if (in[3] % (block * block) || in[1] * block > INT32_MAX ||
      in[2] * block > INT32_MAX)
    return bad_block(r);
  *r->out =
      (ash_shape){4,
                  {in[0], (int32_t)(in[1] * block), (int32_t)(in[2] * block),
                   (int32_t)(in[3] / (block * block))}};
  return ASH_OK;
}

/* ---- blocks in the batch axis ------------------------------------------- */

/* Block lengths, and what is before and after, for each axis between the batch
 * and the channels. */
static ash_status read_blocks(const ash_rule *r, int64_t *product) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, 4));
  *product = 1;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t block = ash_op_ints(r->op, "block", i, 0);
    const int64_t before = ash_op_ints(r->op, "before", i, -1);
    const int64_t after = ash_op_ints(r->op, "after", i, -1);
    if (block < 1 || block > 1 << 15 || before < 0 || after < 0 ||
        before > INT32_MAX || after > INT32_MAX)
      return bad_block(r);
    *product *= block;
  }
  return ASH_OK;
}

static int64_t edges_of(const ash_rule *r, uint32_t i) {
  return ash_op_ints(r->op, "before", i, 0) + ash_op_ints(r->op, "after", i, 0);
}

ash_status ash_op_shape_space_to_batch_nd(const ash_rule *r) {
  int64_t product;
  ASH_TRY(read_blocks(r, &product));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  *r->out = *in;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t block = ash_op_ints(r->op, "block", i, 1);
    const int64_t size = in->dim[i + 1] + edges_of(r, i);
    if (size % block || size > INT32_MAX)
      return bad_block(r);
    r->out->dim[i + 1] = (int32_t)(size / block);
  }
  if (in->dim[0] * product > INT32_MAX)
    return bad_block(r);
  r->out->dim[0] = (int32_t)(in->dim[0] * product);
  return ASH_OK;
}

ash_status ash_op_shape_batch_to_space_nd(const ash_rule *r) {
  int64_t product;
  ASH_TRY(read_blocks(r, &product));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  *r->out = *in;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t size =
        in->dim[i + 1] * ash_op_ints(r->op, "block", i, 1) - edges_of(r, i);
    if (size < 1 || size > INT32_MAX)
      return bad_block(r);
    r->out->dim[i + 1] = (int32_t)size;
  }
  if (in->dim[0] % product)
    return bad_block(r);
  r->out->dim[0] = (int32_t)(in->dim[0] / product);
  return ASH_OK;
}

/* ---- resizing ----------------------------------------------------------- */

ash_status ash_op_shape_resize(const ash_rule *r) {
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  for (uint32_t i = 0; i < 2; i++) {
    const int64_t n = ash_op_ints(r->op, "size", i, 0);
    if (n < 1 || n > 1 << 20 || r->out->dim[i + 1] > 1 << 20)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[0],
                           "a side of %" PRId64, n);
    r->out->dim[i + 1] = (int32_t)n;
  }
  if (!ash_attr_int(r->op, "align_corners", 0) ||
      !ash_attr_int(r->op, "half_pixel_centers", 0) ||
      r->op->kind == ASH_OP_resize_nearest_neighbor)
    return ASH_OK;
  return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                       "align_corners and half_pixel_centers exclude each "
                       "other");
}

/* Tables [out, taps] of positions and of weights. */
ash_status ash_op_shape_resample(const ash_rule *r) {
  const ash_tensor *at, *weights;
  uint32_t axis;
  ASH_TRY(ash_rule_one_type(r, 1));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_axis(r, r->op->inputs[0], ash_attr_int(r->op, "axis", 0),
                        r->out->rank, &axis));
  ASH_TRY(ash_rule_constant(r, 1, "positions", ASH_T(INT32), &at));
  ASH_TRY(ash_rule_constant(r, 2, "weights", ASH_T(FLOAT32), &weights));
  if (at->shape.rank != 2 || !ash_shape_equal(&at->shape, &weights->shape))
    return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                         "positions and weights must be tables of one shape");
  for (uint64_t i = 0; i < ash_shape_elements(&at->shape); i++)
    if (ash_tensor_int(at, i) < 0 || ash_tensor_int(at, i) >= r->out->dim[axis])
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, ASH_NO_ID,
                           "a position is outside the axis");
  r->out->dim[axis] = at->shape.dim[0];
  return ASH_OK;
}

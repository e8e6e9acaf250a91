/* shape_block.c - operators that regroup an image in blocks or make it larger
 * or smaller, and mirrored padding. */
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

/* Block lengths and [before, after] pairs for each axis between the batch and
 * the channels. */
static ash_status read_blocks(const ash_rule *r, const ash_tensor **blocks,
                              const ash_tensor **edges, int64_t *product) {
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 3, 4));
  ASH_TRY(ash_rule_constant(r, 1, "blocks", ASH_T(INT32), blocks));
  ASH_TRY(ash_rule_constant(r, 2, "edges", ASH_T(INT32), edges));
  const uint32_t axes = in->rank - 2;
  if (ash_shape_elements(&(*blocks)->shape) != axes ||
      ash_shape_elements(&(*edges)->shape) != 2ull * axes)
    return bad_block(r);
  *product = 1;
  for (uint32_t i = 0; i < axes; i++) {
    const int64_t block = ash_tensor_int(*blocks, i);
    if (block < 1 || block > 1 << 15 || ash_tensor_int(*edges, 2ull * i) < 0 ||
        ash_tensor_int(*edges, 2ull * i + 1) < 0)
      return bad_block(r);
    *product *= block;
  }
  return ASH_OK;
}

ash_status ash_op_shape_space_to_batch_nd(const ash_rule *r) {
  const ash_tensor *blocks, *pads;
  int64_t product;
  ASH_TRY(read_blocks(r, &blocks, &pads, &product));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  *r->out = *in;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t block = ash_tensor_int(blocks, i);
    const int64_t size = in->dim[i + 1] + ash_tensor_int(pads, 2ull * i) +
                         ash_tensor_int(pads, 2ull * i + 1);
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
  const ash_tensor *blocks, *crops;
  int64_t product;
  ASH_TRY(read_blocks(r, &blocks, &crops, &product));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  *r->out = *in;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t size = in->dim[i + 1] * ash_tensor_int(blocks, i) -
                         ash_tensor_int(crops, 2ull * i) -
                         ash_tensor_int(crops, 2ull * i + 1);
    if (size < 1 || size > INT32_MAX)
      return bad_block(r);
    r->out->dim[i + 1] = (int32_t)size;
  }
  if (in->dim[0] % product)
    return bad_block(r);
  r->out->dim[0] = (int32_t)(in->dim[0] / product);
  return ASH_OK;
}

/* ---- mirrored padding --------------------------------------------------- */

/* The padding repeats the input backwards, with its edge (symmetric) or
 * without (reflect), so it is at most as long as that. */
ash_status ash_op_shape_mirror_pad(const ash_rule *r) {
  const char *mode = ash_attr_string(r->op, "mode", "reflect");
  const bool symmetric = strcmp(mode, "symmetric") == 0;
  if (!symmetric && strcmp(mode, "reflect") != 0)
    return ASH_RULE_FAIL(r, ASH_UNSUPPORTED, attr, ASH_NO_ID,
                         "mode %s, expected reflect or symmetric", mode);
  ASH_TRY(ash_op_shape_pad(r));
  const ash_shape *in = &ash_op_in(r->g, r->op, 0)->shape;
  const ash_tensor *pads = ash_op_in(r->g, r->op, 1);
  for (uint32_t i = 0; i < 2 * in->rank; i++)
    if (ash_tensor_int(pads, i) > in->dim[i / 2] - !symmetric)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
                           "a padding of %" PRId64 " mirrors an axis of "
                           "%" PRId32,
                           ash_tensor_int(pads, i), in->dim[i / 2]);
  return ASH_OK;
}

/* ---- resizing ----------------------------------------------------------- */

ash_status ash_op_shape_resize(const ash_rule *r) {
  const ash_tensor *size;
  ASH_TRY(ash_rule_one_type(r, 1));
  ASH_TRY(ash_rule_rank(r, r->op->inputs[0], 4, 4));
  ASH_TRY(ash_rule_constant(r, 1, "size", ASH_T_INDEX, &size));
  *r->out = ash_op_in(r->g, r->op, 0)->shape;
  if (ash_shape_elements(&size->shape) != 2)
    return ASH_RULE_FAIL(r, ASH_MALFORMED, rank, r->op->inputs[1],
                         "%" PRIu64 " sizes, expected height and width",
                         ash_shape_elements(&size->shape));
  for (uint32_t i = 0; i < 2; i++) {
    const int64_t n = ash_tensor_int(size, i);
    if (n < 1 || n > 1 << 20 || r->out->dim[i + 1] > 1 << 20)
      return ASH_RULE_FAIL(r, ASH_MALFORMED, attr, r->op->inputs[1],
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

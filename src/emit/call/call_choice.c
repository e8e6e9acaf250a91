/* call_choice.c - choices among candidates. */
#include "emit/call/call_write.h"

void ash_call_non_max_suppression(const ash_call *c) {
  ASH_ASSERT(ash_call_in(c, 1)->shape.rank == 3);
  const ash_op *op = ash_call_op(c);
  const ash_shape *scores = &ash_call_in(c, 1)->shape;
  const double sigma = ash_attr_float(op, "sigma", 0);
  ash_call_open(c, "non_max_suppression");
  ash_call_int(c, "batches", scores->dim[0]);
  ash_call_int(c, "classes", scores->dim[1]);
  ash_call_int(c, "boxes", scores->dim[2]);
  ash_call_int(c, "k", ash_attr_int(op, "k", 1));
  ash_call_int(c, "centre", ash_attr_int(op, "centre", 0));
  ash_call_float(c, "iou", (float)ash_attr_float(op, "iou", 0));
  ash_call_float(c, "least", (float)ash_attr_float(op, "least", 0));
  ash_call_float(c, "decay", sigma > 0 ? (float)(-0.5 / sigma) : 0);
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_decode_poses(const ash_call *c) {
  const ash_op *op = ash_call_op(c);
  const ash_shape *maps = &ash_call_in(c, 0)->shape;
  ASH_ASSERT(maps->rank == 4);
  ash_call_open(c, "decode_poses");
  ash_call_int(c, "height", maps->dim[1]);
  ash_call_int(c, "width", maps->dim[2]);
  ash_call_int(c, "k", ash_attr_int(op, "k", 1));
  ash_call_float(c, "logit", (float)ash_attr_float(op, "logit", 0));
  ash_call_float(c, "least", (float)ash_attr_float(op, "least", 0));
  ash_call_float(c, "radius", (float)ash_attr_float(op, "radius", 0));
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_pose_masks(const ash_call *c) {
  const ash_shape *masks = &ash_call_out(c)->shape;
  ASH_ASSERT(masks->rank == 3);
  ash_call_open(c, "decode_poses");
  ash_call_int(c, "height", masks->dim[1]);
  ash_call_int(c, "width", masks->dim[2]);
  ash_call_int(c, "k", masks->dim[0]);
  ash_call_float(c, "logit", 0);
  ash_call_float(c, "least", 0);
  ash_call_float(c, "radius", 0);
  ash_call_close(c);
  ash_call_invoke(c);
}

void ash_call_pairwise_coupling(const ash_call *c) {
  ASH_ASSERT(ash_call_out(c)->shape.rank == 2);
  const ash_shape *out = &ash_call_out(c)->shape;
  ash_call_open(c, "pairwise_coupling");
  ash_call_int(c, "rows", out->dim[0]);
  ash_call_int(c, "classes", out->dim[1]);
  ash_call_close(c);
  ash_call_invoke(c);
}

/* domain_blocks.c - elements moved in blocks: joined, split, padded, repeated,
 * regrouped. */
#include "domain/domain.h"

#include "op/functions.h"
#include "op/slice.h"

static uint32_t place(int64_t axis, uint32_t rank) {
  ASH_ASSERT(-(int64_t)rank <= axis && axis < rank);
  return (uint32_t)(axis < 0 ? axis + rank : axis);
}

/* ---- joined and split ---------------------------------------------------- */

/* Parts stand one behind the other along dimension `dim`: a piece has nothing
 * of those that it does not meet. */
static void follow_in_line(ash_domain_build *b, ash_tile_operand *big,
                           uint32_t dim, uint32_t axis) {
  ASH_ASSERT(dim < big->rank);
  int64_t before = 0;
  ash_domain_follow(big, dim, axis);
  for (uint32_t i = 0; i < b->space->operand_count; i++) {
    ash_tile_operand *part = &b->operands[i];
    if (part == big)
      continue;
    ash_domain_slide(part, dim, axis, 1, 1, before);
    before += ash_domain_shape(b, part)->dim[dim];
  }
}

/* Dimensions of the one big tensor are axes; the parts follow. Parts that lack
 * dimension `line`, along which they stand, are all there or not at all: it
 * stays whole. */
static void follow_parts(ash_domain_build *b, ash_tile_operand *big,
                         uint32_t line) {
  ASH_ASSERT(line < big->rank && b->space->operand_count > 1);
  const ash_shape *s = ash_domain_shape(b, big);
  const ash_tile_operand *other =
      big == b->operands ? &b->operands[1] : b->operands;
  const bool lack = other->rank < s->rank;
  for (uint32_t d = 0; d < s->rank; d++) {
    if (d == line && lack)
      continue;
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
    if (d == line) {
      follow_in_line(b, big, d, axis);
      continue;
    }
    ash_domain_follow(big, d, axis);
    for (uint32_t i = 0; i < b->space->operand_count; i++)
      if (&b->operands[i] != big)
        ash_domain_follow(&b->operands[i], lack && d > line ? d - 1 : d, axis);
  }
}

const char *ash_domain_join(ash_domain_build *b) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  follow_parts(b, out, place(ash_attr_int(b->op, "axis", 0), out->rank));
  return NULL;
}

const char *ash_domain_split(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0);
  follow_parts(b, in, place(ash_op_split_axis(b->g, b->op), in->rank));
  return NULL;
}

/* ---- padded -------------------------------------------------------------- */

static int64_t pad_of(const ash_graph *g, const ash_op *op, uint32_t dim,
                      bool after) {
  if (op->kind == ASH_OP_fill_pad)
    return ash_op_ints(op, after ? "after" : "before", dim, 0);
  return ash_tensor_int(ash_op_in(g, op, 1), 2 * dim + after);
}

const char *ash_domain_pad(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, out);
  const bool mirrors = b->op->kind == ASH_OP_mirror_pad;
  for (uint32_t d = 0; d < s->rank; d++) {
    const int64_t before = pad_of(b->g, b->op, d, false);
    const int64_t after = pad_of(b->g, b->op, d, true);
    ASH_ASSERT(before >= 0 && after >= 0);
    if (mirrors && before + after > 0)
      continue;
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
    ash_domain_follow(out, d, axis);
    ash_domain_slide(in, d, axis, 1, 1, before);
    if (axis != ASH_NO_AXIS && before + after > 0)
      b->space->axes[axis].granule =
          ash_domain_granule(s->dim[d], before, after);
  }
  return NULL;
}

void ash_local_pad(ash_domain_local *l) {
  const ash_box in = ash_local_in(l, 0), out = ash_local_out(l, 0);
  int64_t both[2 * ASH_RANK_MAX], before[ASH_RANK_MAX], after[ASH_RANK_MAX];
  for (uint32_t d = 0; d < in.rank; d++) {
    const int64_t lead = pad_of(l->g, l->op, d, false);
    int64_t *pair = both + 2 * (size_t)d;
    pair[0] = before[d] = in.start[d] + lead - out.start[d];
    pair[1] = after[d] = out.size[d] - in.size[d] - before[d];
  }
  if (l->op->kind == ASH_OP_fill_pad) {
    ash_local_ints(l, "before", before, in.rank);
    ash_local_ints(l, "after", after, in.rank);
  } else if (l->op->kind == ASH_OP_pad) {
    ash_local_constant(l, 1, both, 2 * in.rank);
  }
}

/* ---- repeated ------------------------------------------------------------ */

/* A dimension that repeats is cut between repetitions. */
const char *ash_domain_tile(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *from = ash_domain_shape(b, in);
  const ash_shape *to = ash_domain_shape(b, out);
  for (uint32_t d = 0; d < to->rank; d++) {
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), to->dim[d]);
    ash_domain_follow(out, d, axis);
    if (from->dim[d] == to->dim[d])
      ash_domain_follow(in, d, axis);
    else if (axis != ASH_NO_AXIS)
      b->space->axes[axis].granule = from->dim[d];
  }
  return NULL;
}

void ash_local_tile(ash_domain_local *l) {
  const ash_box in = ash_local_in(l, 0), out = ash_local_out(l, 0);
  int64_t times[ASH_RANK_MAX];
  for (uint32_t d = 0; d < in.rank; d++) {
    ASH_ASSERT(in.size[d] > 0 && out.size[d] % in.size[d] == 0);
    times[d] = out.size[d] / in.size[d];
  }
  ash_local_constant(l, 1, times, in.rank);
}

void ash_local_broadcast(ash_domain_local *l) {
  const ash_box out = ash_local_out(l, 0);
  ash_local_constant(l, l->op->kind == ASH_OP_fill ? 0 : 1, out.size, out.rank);
}

const char *ash_domain_fill(ash_domain_build *b) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, out);
  for (uint32_t d = 0; d < s->rank; d++)
    ash_domain_follow(out, d,
                      ash_domain_axis(b, ash_domain_name(d), s->dim[d]));
  return NULL;
}

const char *ash_domain_whole(ash_domain_build *b) {
  (void)b;
  return NULL;
}

/* ---- regrouped ----------------------------------------------------------- */

static void add_image(ash_domain_build *b, int64_t in_block,
                      int64_t out_block) {
  ASH_ASSERT(in_block > 0 && out_block > 0);
  static const char *const names[] = {"n", "h", "w"};
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  for (uint32_t d = 0; d < 3; d++) {
    const int64_t large = d ? in_block : 1, small = d ? out_block : 1;
    const uint32_t axis =
        ash_domain_axis(b, names[d], ash_domain_shape(b, out)->dim[d]);
    ash_domain_follow(out, d, axis);
    ash_domain_slide(in, d, axis, large, large, 0);
    in->dim[d].divide = small;
    b->space->axes[axis].granule = small;
  }
}

const char *ash_domain_space_to_depth(ash_domain_build *b) {
  add_image(b, ash_attr_int(b->op, "block", 1), 1);
  return NULL;
}

const char *ash_domain_depth_to_space(ash_domain_build *b) {
  add_image(b, 1, ash_attr_int(b->op, "block", 1));
  return NULL;
}

/* Blocks change places between batch and image: only channels are free. */
const char *ash_domain_batches(ash_domain_build *b) {
  ASH_ASSERT(ash_domain_in(b, 0)->rank == ash_domain_out(b, 0)->rank);
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const uint32_t last = out->rank - 1;
  const uint32_t c =
      ash_domain_axis(b, "c", ash_domain_shape(b, out)->dim[last]);
  ash_domain_follow(in, last, c);
  ash_domain_follow(out, last, c);
  return NULL;
}

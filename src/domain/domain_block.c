/* domain_block.c - elements moved in blocks: joined, split, padded, repeated,
 * regrouped. */
#include "domain/domain.h"

#include "op/functions.h"

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

/* Dimensions of the one big tensor are axes; the parts, which lie along
 * dimension `line`, follow. */
static void follow_parts(ash_domain_build *b, ash_tile_operand *big,
                         uint32_t line) {
  ASH_ASSERT(line < big->rank && b->space->operand_count > 1);
  const ash_shape *s = ash_domain_shape(b, big);
  for (uint32_t d = 0; d < s->rank; d++) {
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
    if (d == line) {
      follow_in_line(b, big, d, axis);
      continue;
    }
    ash_domain_follow(big, d, axis);
    for (uint32_t i = 0; i < b->space->operand_count; i++)
      if (&b->operands[i] != big)
        ash_domain_follow(&b->operands[i], d, axis);
  }
}

const char *ash_domain_concatenation(ash_domain_build *b) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  follow_parts(b, out, place(ash_attr_int(b->op, "axis", 0), out->rank));
  return NULL;
}

const char *ash_domain_split(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0);
  follow_parts(b, in, place(ash_attr_int(b->op, "axis", 0), in->rank));
  return NULL;
}

/* ---- padded -------------------------------------------------------------- */

const char *ash_domain_pad(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  const ash_shape *s = ash_domain_shape(b, out);
  const bool mirrors = b->op->kind == ASH_OP_mirror_pad;
  for (uint32_t d = 0; d < s->rank; d++) {
    const int64_t before = ash_op_ints(b->op, "before", d, 0);
    const int64_t after = ash_op_ints(b->op, "after", d, 0);
    ASH_ASSERT(before >= 0 && after >= 0);
    if (mirrors && before + after > 0)
      continue;
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), s->dim[d]);
    ash_domain_follow(out, d, axis);
    ash_domain_slide(in, d, axis, 1, 1, before);
    if (axis != ASH_NO_AXIS && before + after > 0 && !b->is_for_rows)
      b->space->axes[axis].granule =
          ash_domain_granule(s->dim[d], before, after);
  }
  return NULL;
}

void ash_local_pad(ash_domain_local *l) {
  const ash_box in = ash_local_in(l, 0), out = ash_local_out(l, 0);
  int64_t before[ASH_RANK_MAX], after[ASH_RANK_MAX];
  for (uint32_t d = 0; d < in.rank; d++) {
    const int64_t lead = ash_op_ints(l->op, "before", d, 0);
    before[d] = in.size[d] > 0 ? in.start[d] + lead - out.start[d]
                               : out.size[d]; /* nothing but padding */
    after[d] = out.size[d] - in.size[d] - before[d];
  }
  ash_local_ints(l, "before", before, in.rank);
  ash_local_ints(l, "after", after, in.rank);
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
  ash_local_ints(l, "times", times, in.rank);
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

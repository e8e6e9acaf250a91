/* domain_row.c - operators that work along one axis, which stays whole; every
 * other dimension is an axis of the space: rows (softmax and its kin), running
 * sums, the largest k, resampling. */
#include "domain/domain.h"

/* Every dimension of the output becomes an axis, except `whole`; inputs 0 and
 * outputs of the same rank follow it. */
static void follow_but(ash_domain_build *b, uint32_t whole) {
  ash_tile_operand *in = ash_domain_in(b, 0);
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  for (uint32_t d = 0; d < out->rank; d++) {
    if (d == whole)
      continue;
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d), out->dim[d]);
    ash_domain_follow(in, d, axis);
    for (uint32_t k = 0; k < b->op->output_count; k++)
      ash_domain_follow(ash_domain_out(b, k), d, axis);
  }
}

static uint32_t place(int64_t axis, uint32_t rank) {
  return (uint32_t)(axis < 0 ? axis + rank : axis);
}

static uint32_t rank_of(const ash_domain_build *b) {
  return ash_op_in(b->g, b->op, 0)->shape.rank;
}

const char *ash_domain_rows(ash_domain_build *b) {
  follow_but(b, rank_of(b) - 1);
  return NULL;
}

const char *ash_domain_along(ash_domain_build *b) {
  follow_but(b, place(ash_attr_int(b->op, "axis", 0), rank_of(b)));
  return NULL;
}

/* Positions of rows and columns are those of the whole image, so its sides are
 * not cut; for rows, rows.c knows which line takes which. */
const char *ash_domain_resize(ash_domain_build *b) {
  static const uint32_t dims[] = {0, 3};
  static const char *const names[] = {"n", "c"};
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  for (uint32_t i = 0; i < 2; i++) {
    const uint32_t axis =
        ash_domain_axis(b, names[i], ash_domain_shape(b, out)->dim[dims[i]]);
    ash_domain_follow(in, dims[i], axis);
    ash_domain_follow(out, dims[i], axis);
  }
  if (b->is_for_rows) {
    const int64_t lines = ash_domain_shape(b, out)->dim[1];
    const uint32_t axis = ash_domain_axis(b, "h", lines);
    ash_domain_slide(in, 1, axis, 1, ash_domain_shape(b, in)->dim[1] + lines,
                     lines);
    ash_domain_follow(out, 1, axis);
  }
  return NULL;
}

/* Fourier transforms of images: every image by itself. */
const char *ash_domain_images(ash_domain_build *b) {
  ash_tile_operand *in = ash_domain_in(b, 0), *out = ash_domain_out(b, 0);
  for (uint32_t d = 0; d + 2 < out->rank; d++) {
    const uint32_t axis = ash_domain_axis(b, ash_domain_name(d),
                                          ash_domain_shape(b, out)->dim[d]);
    ash_domain_follow(in, d, axis);
    ash_domain_follow(out, d, axis);
  }
  return NULL;
}

/* Here the tables have a row for each position of the output. */
const char *ash_domain_resample(ash_domain_build *b) {
  const uint32_t dim = place(ash_attr_int(b->op, "axis", 0), rank_of(b));
  ash_tile_operand *out = ash_domain_out(b, 0);
  follow_but(b, dim);
  const uint32_t axis = ash_domain_axis(b, ash_domain_name(dim),
                                        ash_domain_shape(b, out)->dim[dim]);
  ash_domain_follow(out, dim, axis);
  ash_domain_follow(ash_domain_in(b, 1), 0, axis);
  ash_domain_follow(ash_domain_in(b, 2), 0, axis);
  return NULL;
}

/* lower_resize.c - where the rows and columns of a resized image come from.
 *
 *   resize_nearest_neighbor(x)  ->  ..., <id>_from
 *   resize_bilinear(x)          ->  ..., <id>_from, <id>_part
 *
 * One entry (the nearest) or two (the neighbours) for each output row, then for
 * each column; the part of the upper neighbour is a float, or in 1/1024 for
 * int8. The float arithmetic is LiteRT's, operation by operation. */
#include "pass/lower/lower_append.h"

#include <math.h>
#include <string.h>

typedef struct axis {
  bool corners, centres;
  int32_t in, out;
} axis;

static float scale_of(const axis *a) {
  return a->corners && a->out > 1 ? (float)(a->in - 1) / (float)(a->out - 1)
                                  : (float)a->in / (float)a->out;
}

static int32_t nearest(const axis *a, int32_t i) {
  const float at = ((float)i + (a->centres ? 0.5f : 0.0f)) * scale_of(a);
  const int32_t found = (int32_t)(a->corners ? roundf(at) : floorf(at));
  return found < a->in - 1 ? found : a->in - 1;
}

typedef struct between {
  int32_t lower, upper;
  float part;
  int32_t part_10;
} between;

static int32_t inside(const axis *a, int64_t i) {
  return i < 0 ? 0 : i >= a->in ? a->in - 1 : (int32_t)i;
}

static between real_between(const axis *a, int32_t i) {
  const float scale = scale_of(a);
  const float at =
      a->centres ? ((float)i + 0.5f) * scale - 0.5f : (float)i * scale;
  between b = {inside(a, (int64_t)floorf(at)), inside(a, (int64_t)ceilf(at)),
               0.0f, 0};
  b.part = at - (float)b.lower;
  return b;
}

/* Past the last element both neighbours are that one, and parts do not
 * matter. */
static between fixed_between(const axis *a, int32_t i) {
  const bool corners = a->corners && a->out > 1;
  const int64_t from = corners ? a->in - 1 : a->in;
  const int64_t to = corners ? a->out - 1 : a->out;
  const int64_t scale = (1024 * from + to / 2) / to;
  const int64_t at = a->centres ? i * scale + scale / 2 - 512 : i * scale;
  between b = {inside(a, at / 1024), inside(a, (at + 1023) / 1024), 0.0f, 0};
  const int64_t part = at - 1024 * (int64_t)b.lower;
  b.part_10 = part > 1024 ? 0 : (int32_t)part;
  return b;
}

static void put_float(uint8_t *to, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  ash_lower_put_int(to, bits, 4);
}

/* Tables are filled from `first` on. */
static void fill_nearest(const axis *a, uint8_t *from, size_t first) {
  for (int32_t i = 0; i < a->out; i++)
    ash_lower_put_int(from + 4 * (first + (size_t)i), nearest(a, i), 4);
}

static void fill_between(const axis *a, bool fixed, uint8_t *from,
                         uint8_t *part, size_t first) {
  for (int32_t i = 0; i < a->out; i++) {
    const size_t at = first + (size_t)i;
    const between b = fixed ? fixed_between(a, i) : real_between(a, i);
    ash_lower_put_int(from + 8 * at, b.lower, 4);
    ash_lower_put_int(from + 8 * at + 4, b.upper, 4);
    if (fixed)
      ash_lower_put_int(part + 4 * at, b.part_10, 4);
    else
      put_float(part + 4 * at, b.part);
  }
}

ash_status ash_lower_resize(ash_ctx *ctx, ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0), *out = ash_op_out(g, o, 0);
  const bool fixed = in->type == ASH_INT8 || in->type == ASH_INT16;
  const bool mixed = o->kind == ASH_OP_resize_bilinear;
  const axis rows = {ash_attr_int(o, "align_corners", 0) != 0,
                     ash_attr_int(o, "half_pixel_centers", 0) != 0,
                     in->shape.dim[1], out->shape.dim[1]};
  const axis columns = {rows.corners, rows.centres, in->shape.dim[2],
                        out->shape.dim[2]};
  const size_t high = (size_t)rows.out, count = high + (size_t)columns.out;
  uint8_t *from = ASH_NEW_ARRAY(&g->zone, uint8_t, 8 * count);
  uint8_t *part = ASH_NEW_ARRAY(&g->zone, uint8_t, 4 * count);
  ASH_TRY(ash_zone_check(ctx, &g->zone));
  if (!mixed) {
    fill_nearest(&rows, from, 0);
    fill_nearest(&columns, from, high);
    return ash_lower_append(g, op, "from", ASH_INT32, (uint32_t)count, from);
  }
  fill_between(&rows, fixed, from, part, 0);
  fill_between(&columns, fixed, from, part, high);
  ASH_TRY(
      ash_lower_append(g, op, "from", ASH_INT32, 2 * (uint32_t)count, from));
  return ash_lower_append(g, op, "part", fixed ? ASH_INT32 : ASH_FLOAT32,
                          (uint32_t)count, part);
}

/* call_blocks.c - blocks of pixels to channels or batches and back, and padding
 * by mirror or value, as boxes (call_box.h).
 *
 * Where padding or cropping does not end at a block, an axis is cut into up to
 * three segments, and there is a box for each combination of segments. */
#include "emit/call/call_box.h"

#include <string.h>

/* ---- depth -------------------------------------------------------------- */

/* Walks n, y, x, then rows, columns and channels of a block. */
ash_status ash_call_depth(ash_ctx *ctx, const ash_call *c) {
  const bool deepen = ash_call_op(c)->kind == ASH_OP_space_to_depth;
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  const ash_shape *wide = deepen ? &in->shape : &out->shape;
  const ash_shape *deep = deepen ? &out->shape : &in->shape;
  const ash_box_steps w = ash_box_steps_of(wide), d = ash_box_steps_of(deep);
  const int64_t block = ash_attr_int(ash_call_op(c), "block", 1);
  const int64_t channels = wide->dim[3];
  const int64_t dims[6] = {deep->dim[0], deep->dim[1], deep->dim[2],
                           block,        block,        channels};
  const int64_t in_wide[6] = {w.at[0], w.at[1] * block, w.at[2] * block,
                              w.at[1], w.at[2],         1};
  const int64_t in_deep[6] = {d.at[0],          d.at[1],  d.at[2],
                              block * channels, channels, 1};
  ash_call_box b = {0};
  for (uint32_t i = 0; i < 6; i++)
    ash_emit_box_axis(&b, dims[i], deepen ? in_wide[i] : in_deep[i],
                      deepen ? in_deep[i] : in_wide[i]);
  return ash_emit_box_put(ctx, c, b, 0, 0);
}

/* ---- segments ----------------------------------------------------------- */

typedef struct segment {
  int64_t at;            /* first element along the axis                 */
  int64_t block, blocks; /* first block, and how many                    */
  int64_t place, places; /* first place in the block, and how many       */
} segment;

enum { SEGMENTS = 3 };

/* Elements 0 to length - 1 of an axis, of which element 0 is at `start` of the
 * blocks of `size`. */
static uint32_t cut_axis(segment *s, int64_t start, int64_t length,
                         int64_t size) {
  uint32_t n = 0;
  for (int64_t at = 0; at < length;) {
    const int64_t block = (start + at) / size, place = (start + at) % size;
    const int64_t whole = (length - at) / size;
    const int64_t room = size - place, left = length - at;
    segment *next = &s[n++];
    *next = (segment){at, block, 1, place, left < room ? left : room};
    if (place == 0 && whole > 0)
      *next = (segment){at, block, whole, 0, size};
    at += next->blocks * next->places;
  }
  return n;
}

/* Counts through all combinations; false at the end. */
static bool next_choice(uint32_t *choice, const uint32_t *counts, uint32_t n) {
  for (uint32_t i = n; i-- > 0;) {
    if (++choice[i] < counts[i])
      return true;
    choice[i] = 0;
  }
  return false;
}

/* ---- batches ------------------------------------------------------------ */

typedef struct batches {
  const ash_shape *wide, *many; /* the image, the batches of places */
  ash_box_steps in_wide, in_many;
  int64_t size[ASH_RANK_MAX];       /* of blocks, by axis */
  int64_t place_step[ASH_RANK_MAX]; /* in `many` */
  segment segments[ASH_RANK_MAX][SEGMENTS];
  uint32_t counts[ASH_RANK_MAX];
} batches;

static batches batches_of(const ash_call *c, bool spread) {
  const ash_tensor *in = ash_call_in(c, 0), *out = ash_call_out(c);
  batches k = {.wide = spread ? &in->shape : &out->shape,
               .many = spread ? &out->shape : &in->shape};
  k.in_wide = ash_box_steps_of(k.wide);
  k.in_many = ash_box_steps_of(k.many);
  int64_t step = k.wide->dim[0] * k.in_many.at[0];
  for (uint32_t i = k.wide->rank - 2; i >= 1; i--) {
    k.size[i] = ash_tensor_int(ash_call_in(c, 1), i - 1);
    k.place_step[i] = step;
    step *= k.size[i];
    k.counts[i] =
        cut_axis(k.segments[i], ash_tensor_int(ash_call_in(c, 2), 2 * i - 2),
                 k.wide->dim[i], k.size[i]);
  }
  return k;
}

static ash_call_box box_of(const batches *k, const uint32_t *choice,
                           bool spread) {
  const uint32_t last = k->wide->rank - 1;
  int64_t wide = 0, many = 0;
  ash_call_box b = {0};
  ash_emit_box_axis(&b, k->wide->dim[0], k->in_wide.at[0], k->in_many.at[0]);
  for (uint32_t i = 1; i < last; i++) {
    const segment *s = &k->segments[i][choice[i]];
    wide += s->at * k->in_wide.at[i];
    many += s->block * k->in_many.at[i] + s->place * k->place_step[i];
    ash_emit_box_axis(&b, s->blocks, k->in_wide.at[i] * k->size[i],
                      k->in_many.at[i]);
    ash_emit_box_axis(&b, s->places, k->in_wide.at[i], k->place_step[i]);
  }
  ash_emit_box_axis(&b, k->wide->dim[last], 1, 1);
  b.from = spread ? wide : many;
  b.to = spread ? many : wide;
  for (uint32_t i = 0; i < b.rank && !spread; i++) {
    const int64_t step = b.from_step[i];
    b.from_step[i] = b.to_step[i];
    b.to_step[i] = step;
  }
  return b;
}

ash_status ash_call_batches(ash_ctx *ctx, const ash_call *c) {
  const bool spread = ash_call_op(c)->kind == ASH_OP_space_to_batch_nd;
  const batches k = batches_of(c, spread);
  const bool padded =
      ash_call_in(c, 0)->bytes < ash_call_out(c)->bytes && spread;
  uint32_t choice[ASH_RANK_MAX] = {0};
  if (padded) {
    uint8_t zero[8];
    ash_emit_box_zero(c, zero);
    ash_emit_box_fill(c, zero);
  }
  do
    ASH_TRY(ash_emit_box_put(ctx, c, box_of(&k, choice, spread), 0, 0));
  while (next_choice(choice + 1, k.counts + 1, k.wide->rank - 2));
  return ASH_OK;
}

/* ---- mirrors ------------------------------------------------------------ */

/* The runs of an output axis: elements [to, to + count) come from element
 * `from` on, forwards or backwards. */
typedef struct run {
  int64_t to, count, from, step;
} run;

static uint32_t mirror_axis(run *r, int64_t length, int64_t before,
                            int64_t after, int64_t edge) {
  uint32_t n = 0;
  if (before > 0)
    r[n++] = (run){0, before, before - edge, -1};
  r[n++] = (run){before, length, 0, 1};
  if (after > 0)
    r[n++] = (run){before + length, after, length - 2 + edge, -1};
  return n;
}

ash_status ash_call_mirror_pad(ash_ctx *ctx, const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_box_steps from = ash_box_steps_of(in);
  const ash_box_steps to = ash_box_steps_of(&ash_call_out(c)->shape);
  const char *mode = ash_attr_string(ash_call_op(c), "mode", "reflect");
  const ash_tensor *pads = ash_call_in(c, 1);
  run runs[ASH_RANK_MAX][SEGMENTS];
  uint32_t counts[ASH_RANK_MAX], choice[ASH_RANK_MAX] = {0};
  for (uint32_t i = 0; i < in->rank; i++)
    counts[i] = mirror_axis(runs[i], in->dim[i], ash_tensor_int(pads, 2ull * i),
                            ash_tensor_int(pads, 2ull * i + 1),
                            strcmp(mode, "symmetric") == 0);
  do {
    ash_call_box b = {0};
    for (uint32_t i = 0; i < in->rank; i++) {
      const run *r = &runs[i][choice[i]];
      b.from += r->from * from.at[i];
      b.to += r->to * to.at[i];
      ash_emit_box_axis(&b, r->count, r->step * from.at[i], to.at[i]);
    }
    ASH_TRY(ash_emit_box_put(ctx, c, b, 0, 0));
  } while (next_choice(choice, counts, in->rank));
  return ASH_OK;
}

/* ---- a value around ----------------------------------------------------- */

/* For types without a kernel of their own. */
ash_status ash_call_padding(ash_ctx *ctx, const ash_call *c) {
  const ash_shape *in = &ash_call_in(c, 0)->shape;
  const ash_box_steps from = ash_box_steps_of(in);
  const ash_box_steps to = ash_box_steps_of(&ash_call_out(c)->shape);
  const ash_tensor *value = ash_call_in(c, 2);
  uint8_t zero[8];
  ash_call_box b = {0};
  ash_emit_box_zero(c, zero);
  ash_emit_box_fill(c, value ? value->data : zero);
  for (uint32_t i = 0; i < in->rank; i++) {
    b.to += ash_tensor_int(ash_call_in(c, 1), 2ull * i) * to.at[i];
    ash_emit_box_axis(&b, in->dim[i], from.at[i], to.at[i]);
  }
  return ash_emit_box_put(ctx, c, b, 0, 0);
}

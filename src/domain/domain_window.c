/* domain_window.c - windows that move over an image: convolutions and pools,
 * channels last and channels first.
 *
 * Height and width of the input follow those of the output with the stride and
 * the reach of the window; what lies outside is padding, so it appears only at
 * the true edges. Filters are whole in height and width. */
#include "domain/domain.h"

#include "op/functions.h"

typedef struct walk {
  int64_t stride, reach, before, in, out;
  int64_t counted; /* positions that count: taps behind do not, 0: all do */
} walk;

/* Does the last window reach behind the padding that a mean counts? A piece
 * cannot say so. */
static bool ends_early(const walk *w) {
  const int64_t last = (w->out - 1) * w->stride - w->before;
  return w->counted && last + w->reach > w->counted;
}

/* Positions at the start and at the end that see nothing but padding: none of
 * the pieces may be made of them alone. */
static int64_t granule_of(const walk *w) {
  ASH_ASSERT(w->stride > 0 && w->reach > 0 && w->in > 0 && w->out > 0);
  const int64_t lead = w->before - w->reach + w->stride;
  const int64_t seen = (w->in + w->before + w->stride - 1) / w->stride;
  return ash_domain_granule(w->out, lead > 0 ? lead / w->stride : 0,
                            w->out > seen ? w->out - seen : 0);
}

/* Dimension `dim` of input 0 and of the output. */
static void slide(ash_domain_build *b, const char *name, uint32_t dim,
                  const walk *w) {
  if (ends_early(w))
    return;
  const uint32_t axis = ash_domain_axis(b, name, w->out);
  ash_domain_follow(ash_domain_out(b, 0), dim, axis);
  ash_domain_slide(ash_domain_in(b, 0), dim, axis, w->stride, w->reach,
                   w->before);
  if (axis != ASH_NO_AXIS)
    b->space->axes[axis].granule = granule_of(w);
}

static void slide_2d(ash_domain_build *b, int64_t filter_h, int64_t filter_w) {
  ASH_ASSERT(filter_h > 0 && filter_w > 0);
  const int32_t *in = ash_domain_shape(b, ash_domain_in(b, 0))->dim;
  const int32_t *out = ash_domain_shape(b, ash_domain_out(b, 0))->dim;
  const walk h = {ash_attr_int(b->op, "stride_h", 1),
                  (filter_h - 1) * ash_attr_int(b->op, "dilation_h", 1) + 1,
                  ash_attr_int(b->op, "pad_top", 0),
                  in[1],
                  out[1],
                  0};
  const walk w = {ash_attr_int(b->op, "stride_w", 1),
                  (filter_w - 1) * ash_attr_int(b->op, "dilation_w", 1) + 1,
                  ash_attr_int(b->op, "pad_left", 0),
                  in[2],
                  out[2],
                  0};
  slide(b, "h", 1, &h);
  slide(b, "w", 2, &w);
}

/* Batch `n` of input 0 and of the output. */
static void add_batch(ash_domain_build *b) {
  ash_tile_operand *out = ash_domain_out(b, 0);
  const uint32_t n = ash_domain_axis(b, "n", ash_domain_shape(b, out)->dim[0]);
  ash_domain_follow(out, 0, n);
  ash_domain_follow(ash_domain_in(b, 0), 0, n);
}

/* Float activations that become int8 with a scale of the whole image: it is
 * not cut. */
static bool is_hybrid(const ash_domain_build *b) {
  return ash_op_in(b->g, b->op, 0)->type == ASH_FLOAT32 &&
         ash_op_in(b->g, b->op, 1)->type == ASH_INT8;
}

/* Output channels `c`, at dimension `dim` of the output and the input's
 * channels, for `groups` that have nothing to do with each other: cut between
 * groups only. One group needs all input channels, which are summed: axis `k`,
 * at dimension `depth` of the weights. */
static void add_channels(ash_domain_build *b, uint32_t dim, uint32_t depth,
                         int64_t groups) {
  ASH_ASSERT(groups > 0);
  ash_tile_operand *x = ash_domain_in(b, 0), *w = ash_domain_in(b, 1);
  ash_tile_operand *y = ash_domain_out(b, 0);
  const int64_t out = ash_domain_shape(b, y)->dim[dim];
  const int64_t in = ash_domain_shape(b, x)->dim[dim];
  const uint32_t c = ash_domain_axis(b, "c", out);
  ASH_ASSERT(in % groups == 0 && out % groups == 0);
  ash_domain_follow(y, dim, c);
  ash_domain_follow(w, 0, c);
  for (uint32_t k = 2; k < b->op->input_count; k++)
    ash_domain_table(b, k, c);
  if (is_hybrid(b)) {
    /* One scale a channel says how activations are quantised, and a piece of
     * one channel would look as if it had none. */
    b->space->axes[c].granule = groups > 1 ? out
                                : ash_op_in(b->g, b->op, 1)->quant.count > 1
                                    ? ash_domain_granule(out, 1, 1)
                                    : 1;
  } else if (groups == 1) {
    const uint32_t k = ash_domain_sum(b, "k", in);
    ash_domain_follow(x, dim, k);
    ash_domain_follow(w, depth, k);
  } else {
    x->dim[dim] = (ash_tile_dim){c, in / groups, in / groups, 0, out / groups};
    b->space->axes[c].granule = out / groups;
  }
  ash_domain_likes(b, c, 8, 2);
}

const char *ash_domain_conv(ash_domain_build *b) {
  const int32_t *w = ash_domain_shape(b, ash_domain_in(b, 1))->dim;
  const int32_t *in = ash_domain_shape(b, ash_domain_in(b, 0))->dim;
  add_batch(b);
  if (!is_hybrid(b))
    slide_2d(b, w[1], w[2]);
  add_channels(b, 3, 3, in[3] / w[3]);
  return NULL;
}

/* Channel c of the output comes from channel c / multiplier of the input. */
const char *ash_domain_depthwise(ash_domain_build *b) {
  const int32_t *w = ash_domain_shape(b, ash_domain_in(b, 1))->dim;
  const int64_t each = ash_attr_int(b->op, "multiplier", 1);
  add_batch(b);
  if (is_hybrid(b))
    return NULL;
  slide_2d(b, w[1], w[2]);
  const uint32_t c = ash_domain_axis(b, "c", w[3]);
  ash_domain_follow(ash_domain_out(b, 0), 3, c);
  ash_domain_follow(ash_domain_in(b, 1), 3, c);
  ash_domain_follow(ash_domain_in(b, 0), 3, c);
  ash_domain_in(b, 0)->dim[3].divide = each;
  b->space->axes[c].granule = each;
  for (uint32_t k = 2; k < b->op->input_count; k++)
    ash_domain_table(b, k, c);
  ash_domain_likes(b, c, 4, 2);
  return NULL;
}

const char *ash_domain_pool(ash_domain_build *b) {
  const int64_t h = ash_attr_int(b->op, "filter_h", 1);
  const int64_t w = ash_attr_int(b->op, "filter_w", 1);
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  add_batch(b);
  slide_2d(b, h, w);
  const uint32_t c = ash_domain_axis(b, "c", out->dim[3]);
  ash_domain_follow(ash_domain_out(b, 0), 3, c);
  ash_domain_follow(ash_domain_in(b, 0), 3, c);
  ash_domain_likes(b, c, 4, 2);
  b->space->work = ash_shape_elements(out) * (uint64_t)(h * w);
  return NULL;
}

/* Output position y gets something from inputs i with y = i * stride + tap -
 * pad: the smallest one is (y + pad - reach + 1) / stride, rounded up. */
static void spread(ash_domain_build *b, const char *name, uint32_t dim,
                   const walk *w) {
  ASH_ASSERT(w->stride > 0 && w->reach > 0);
  if (w->reach < w->stride ||
      w->out > (w->in - 1) * w->stride + w->reach - w->before)
    return;
  ash_tile_operand *in = ash_domain_in(b, 0);
  const uint32_t axis = ash_domain_axis(b, name, w->out);
  ash_domain_follow(ash_domain_out(b, 0), dim, axis);
  in->dim[dim] = (ash_tile_dim){axis, 1, w->reach - w->stride + 1,
                                w->reach - w->before - w->stride, w->stride};
}

const char *ash_domain_transpose_conv(ash_domain_build *b) {
  const int32_t *in = ash_domain_shape(b, ash_domain_in(b, 0))->dim;
  const int32_t *out = ash_domain_shape(b, ash_domain_out(b, 0))->dim;
  const int32_t *filter = ash_domain_shape(b, ash_domain_in(b, 1))->dim;
  const walk h = {ash_attr_int(b->op, "stride_h", 1),
                  filter[1],
                  ash_attr_int(b->op, "pad_top", 0),
                  in[1],
                  out[1],
                  0};
  const walk w = {ash_attr_int(b->op, "stride_w", 1),
                  filter[2],
                  ash_attr_int(b->op, "pad_left", 0),
                  in[2],
                  out[2],
                  0};
  add_batch(b);
  spread(b, "h", 1, &h);
  spread(b, "w", 2, &w);
  add_channels(b, 3, 3, 1);
  return NULL;
}

/* ---- channels first, any number of axes ---------------------------------- */

static int64_t slide_nd(ash_domain_build *b, const int64_t *filter) {
  static const char *const names[] = {"y0", "y1", "y2", "y3", "y4", "y5"};
  const ash_shape *in = ash_domain_shape(b, ash_domain_in(b, 0));
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  const bool counts = ash_attr_int(b->op, "count_pad", 0) != 0;
  int64_t taps = 1;
  for (uint32_t i = 0; i + 2 < in->rank; i++) {
    const int64_t dilation = ash_op_ints(b->op, "dilation", i, 1);
    const int64_t after = ash_op_ints(b->op, "pad", i + in->rank - 2, 0);
    const walk w = {ash_op_ints(b->op, "stride", i, 1),
                    (filter[i] - 1) * dilation + 1,
                    ash_op_ints(b->op, "pad", i, 0),
                    in->dim[i + 2],
                    out->dim[i + 2],
                    counts ? in->dim[i + 2] + after : 0};
    slide(b, in->rank == 4 ? (i ? "w" : "h") : names[i], i + 2, &w);
    taps *= filter[i];
  }
  return taps;
}

const char *ash_domain_conv_nd(ash_domain_build *b) {
  const ash_shape *w = ash_domain_shape(b, ash_domain_in(b, 1));
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  int64_t filter[ASH_RANK_MAX];
  ASH_ASSERT(w->rank > 2 && w->rank == out->rank);
  for (uint32_t i = 2; i < w->rank; i++)
    filter[i - 2] = w->dim[i];
  add_batch(b);
  add_channels(b, 1, 1, ash_attr_int(b->op, "groups", 1));
  const int64_t taps = slide_nd(b, filter);
  b->space->work =
      ash_shape_elements(out) * (uint64_t)(taps * (int64_t)w->dim[1]);
  return NULL;
}

const char *ash_domain_pool_nd(ash_domain_build *b) {
  const ash_shape *out = ash_domain_shape(b, ash_domain_out(b, 0));
  int64_t filter[ASH_RANK_MAX];
  for (uint32_t i = 0; i + 2 < out->rank; i++)
    filter[i] = ash_op_ints(b->op, "kernel", i, 1);
  add_batch(b);
  const uint32_t c = ash_domain_axis(b, "c", out->dim[1]);
  ash_domain_follow(ash_domain_out(b, 0), 1, c);
  ash_domain_follow(ash_domain_in(b, 0), 1, c);
  const int64_t taps = slide_nd(b, filter);
  b->space->work = ash_shape_elements(out) * (uint64_t)taps;
  return NULL;
}

/* ---- pieces -------------------------------------------------------------- */

void ash_local_pads(const ash_domain_local *l, uint32_t dim, int64_t *before,
                    int64_t *after) {
  ASH_ASSERT(l->space->operands[0].dim[dim].axis < l->space->axis_count);
  const ash_tile_operand *o = l->space->operands;
  const ash_tile_dim *d = &o->dim[dim];
  const ash_box box = ash_local_in(l, 0);
  const int64_t lo = l->at[d->axis] * d->stride - d->before;
  const int64_t hi =
      (l->at[d->axis] + l->n[d->axis] - 1) * d->stride - d->before + d->window;
  *before = box.start[dim] - lo;
  *after = hi - (box.start[dim] + box.size[dim]);
  ASH_ASSERT(*before >= 0);
}

static bool is_cut(const ash_domain_local *l, uint32_t dim) {
  ASH_ASSERT(l->space->operand_count > 0 && dim < l->space->operands[0].rank);
  return l->space->operands[0].dim[dim].axis != ASH_NO_AXIS;
}

void ash_local_window(ash_domain_local *l) {
  static const char *const names[][2] = {{"pad_top", "pad_bottom"},
                                         {"pad_left", "pad_right"}};
  for (uint32_t i = 0; i < 2; i++) {
    int64_t before, after;
    if (!is_cut(l, i + 1))
      continue;
    ash_local_pads(l, i + 1, &before, &after);
    ash_local_int(l, names[i][0], before);
    ash_local_int(l, names[i][1], after);
  }
}

/* The convolution from the piece of the output to the piece of the input. */
void ash_local_transpose_conv(ash_domain_local *l) {
  static const char *const names[][3] = {{"pad_top", "pad_bottom", "stride_h"},
                                         {"pad_left", "pad_right", "stride_w"}};
  const ash_box in = ash_local_in(l, 0), out = ash_local_out(l, 0);
  for (uint32_t i = 0; i < 2; i++) {
    if (!is_cut(l, i + 1))
      continue;
    const int64_t stride = ash_attr_int(l->op, names[i][2], 1);
    const int64_t before = ash_attr_int(l->op, names[i][0], 0) +
                           out.start[i + 1] - in.start[i + 1] * stride;
    const int64_t filter = ash_op_in(l->g, l->op, 1)->shape.dim[i + 1];
    const int64_t after =
        (in.size[i + 1] - 1) * stride + filter - before - out.size[i + 1];
    ash_local_int(l, names[i][0], before);
    ash_local_int(l, names[i][1], after > 0 ? after : 0);
  }
}

static void put_pads(ash_domain_local *l) {
  ASH_ASSERT(l->space->operands[0].rank > 2);
  const uint32_t axes = l->space->operands[0].rank - 2;
  int64_t pads[2 * ASH_RANK_MAX];
  for (uint32_t i = 0; i < axes; i++) {
    pads[i] = ash_op_ints(l->op, "pad", i, 0);
    pads[i + axes] = ash_op_ints(l->op, "pad", i + axes, 0);
    if (is_cut(l, i + 2))
      ash_local_pads(l, i + 2, &pads[i], &pads[i + axes]);
  }
  ash_local_ints(l, "pad", pads, 2 * axes);
}

static int64_t group_size(const ash_domain_local *l) {
  return ash_op_in(l->g, l->op, 1)->shape.dim[1];
}

void ash_local_conv_nd(ash_domain_local *l) {
  put_pads(l);
  if (ash_attr_int(l->op, "groups", 1) > 1)
    ash_local_int(l, "groups", ash_local_in(l, 0).size[1] / group_size(l));
}

void ash_local_pool_nd(ash_domain_local *l) {
  ASH_ASSERT(l->space->operands[0].rank > 2);
  const uint32_t axes = l->space->operands[0].rank - 2;
  int64_t size[ASH_RANK_MAX];
  for (uint32_t i = 0; i < axes; i++)
    size[i] = ash_local_out(l, 0).size[i + 2];
  put_pads(l);
  ash_local_ints(l, "size", size, axes);
}

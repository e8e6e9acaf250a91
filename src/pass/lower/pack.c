/* pack.c - prepares layers for kernels that use a processor's own instructions.
 *
 *   conv_2d(x, w, b, m, s) -> conv_2d(x, w, b, m, s, <id>_multipliers,
 *                                     <id>_shifts, <id>_folded, <id>_packed)
 *
 * What the input's zero point adds to each sum is known and becomes part of the
 * bias; weights are put into the order in which the inner loop reads them. The
 * model's own weights and scales stay, for the reference interpreter and for
 * the portable kernel where the variant's work memory finds no room; what is
 * not read takes no room on the device (op/reads.h). A layer that a variant
 * cannot compute exactly stays as it is and gets the portable kernel. */
#include "pass/pass.h"

#include "base/checked.h"
#include "kernel/kernel.h"
#include "kernel/quant.h"
#include "op/reads.h"
#include "op/sums.h"
#include "pass/lower/lower_append.h"
#include "pass/lower/pack_scale.h"

#include <string.h>

enum {
  RVV_GROUP = 32,  /* ASH_RT_RVV_GROUP  */
  SIMD_GROUP = 16, /* ASH_RT_SIMD_GROUP */
  WIDE_SHIFT_MAX = 22
};

typedef struct layer {
  ash_ctx *ctx;
  ash_graph *g;
  uint32_t op;
  ash_op_kind kind;
  bool dsp, mve, rvv, simd, pie, scalar;
  /* A grouped or a transposed convolution is several plain ones, its parts
   * (runtime/ash_rt_parts.h). Its channels are those of all parts, of each
   * filled up to a multiple of four. */
  bool parted;
  uint32_t parts, made, pitch; /* channels of a part, before and after that */
  uint32_t stride_h, stride_w; /* of a transposed convolution */
  uint32_t channels, taps;
  const int8_t *weights;
  int64_t bound; /* of the absolute value of any sum */
  /* By channel. */
  int64_t *folded, *reach; /* sums are within `reach` of `folded` */
  int64_t *sum;            /* of the weights */
  bool *constant;          /* its output never changes: it is in `folded` */
} layer;

static const ash_op *op_of(const layer *l) {
  return &l->g->ops.items[l->op];
}

static const ash_tensor *in_of(const layer *l, uint32_t k) {
  return ash_op_in(l->g, op_of(l), k);
}

/* Does it fill up a part? */
static bool is_absent(const layer *l, uint32_t channel) {
  return l->parted && channel % l->pitch >= l->made;
}

/* The channel of the model. */
static uint32_t source(const layer *l, uint32_t channel) {
  if (!l->parted)
    return channel;
  return l->kind == ASH_OP_transpose_conv
             ? channel % l->pitch
             : channel / l->pitch * l->made + channel % l->pitch;
}

/* ---- transposed: every stride-th tap, from the last to the first --------- */

static uint32_t phase_h(const layer *l, uint32_t channel) {
  return channel / l->pitch / l->stride_w;
}

static uint32_t phase_w(const layer *l, uint32_t channel) {
  return channel / l->pitch % l->stride_w;
}

static uint32_t phase_taps(uint32_t filter, uint32_t phase, uint32_t stride) {
  return filter > phase ? (filter - phase + stride - 1) / stride : 1;
}

/* Of an output channel; of a part they are all the same. */
static uint32_t taps_of(const layer *l, uint32_t channel) {
  const int32_t *w = in_of(l, 1)->shape.dim;
  if (l->kind != ASH_OP_transpose_conv)
    return l->taps;
  return phase_taps((uint32_t)w[1], phase_h(l, channel), l->stride_h) *
         phase_taps((uint32_t)w[2], phase_w(l, channel), l->stride_w) *
         (uint32_t)w[3];
}

static int8_t turned_weight(const layer *l, uint32_t channel, uint32_t tap) {
  const int32_t *w = in_of(l, 1)->shape.dim;
  const uint32_t filter_h = (uint32_t)w[1], filter_w = (uint32_t)w[2],
                 depth = (uint32_t)w[3];
  const uint32_t h = l->stride_h, v = l->stride_w;
  const uint32_t rows = phase_taps(filter_h, phase_h(l, channel), h);
  const uint32_t columns = phase_taps(filter_w, phase_w(l, channel), v);
  const uint32_t y =
      phase_h(l, channel) + h * (rows - 1 - tap / depth / columns);
  const uint32_t x =
      phase_w(l, channel) + v * (columns - 1 - tap / depth % columns);
  if (y >= filter_h || x >= filter_w)
    return 0;
  return l
      ->weights[(((size_t)source(l, channel) * filter_h + y) * filter_w + x) *
                    depth +
                tap % depth];
}

static int8_t weight(const layer *l, uint32_t channel, uint32_t tap) {
  if (l->kind == ASH_OP_transpose_conv)
    return turned_weight(l, channel, tap);
  return l->weights[l->kind == ASH_OP_depthwise_conv_2d
                        ? (size_t)tap * l->channels + channel
                        : (size_t)source(l, channel) * l->taps + tap];
}

/* The depthwise kernel for Helium sums up even and odd channels apart. */
static bool is_split(const layer *l) {
  return l->mve && l->kind == ASH_OP_depthwise_conv_2d;
}

/* How many entries biases, multipliers and shifts have. */
static uint32_t entries(const layer *l) {
  return (uint32_t)ash_align_up(l->channels, l->simd       ? SIMD_GROUP
                                             : is_split(l) ? 8
                                                           : 4);
}

/* Where the one of channel c is. */
static uint32_t entry(const layer *l, uint32_t c) {
  return is_split(l) ? c / 8 * 8 + c % 2 * 4 + c % 8 / 2 : c;
}

/* Its shifts are what it shifts by: to the right, but for the last bit. */
static bool is_dsp(const layer *l) {
  return !l->mve && !l->rvv && !l->simd;
}

static uint8_t *room(const layer *l, size_t bytes) {
  return ASH_NEW_ARRAY(&l->g->zone, uint8_t, bytes);
}

/* ---- bias ---------------------------------------------------------------- */

/* Bias plus in_offset * sum of weights, for each channel. */
static ash_status fold_bias(layer *l) {
  const int64_t offset = -(int64_t)ash_quant_zero(in_of(l, 0));
  const ash_tensor *bias = in_of(l, 2);
  const uint32_t room_for = entries(l);
  l->folded = ASH_NEW_ARRAY(&l->ctx->scratch, int64_t, room_for);
  l->reach = ASH_NEW_ARRAY(&l->ctx->scratch, int64_t, room_for);
  l->constant = ASH_NEW_ARRAY(&l->ctx->scratch, bool, room_for);
  l->sum = ASH_NEW_ARRAY(&l->ctx->scratch, int64_t, room_for);
  ASH_TRY(ash_zone_check(l->ctx, &l->ctx->scratch));
  for (uint32_t c = 0; c < l->channels; c++) {
    int64_t sum = 0, most = 0;
    l->constant[c] = is_absent(l, c);
    for (uint32_t t = 0; t < taps_of(l, c) && !l->constant[c]; t++) {
      const int64_t w = weight(l, c, t);
      sum += w;
      most += w < 0 ? -w : w;
    }
    l->folded[c] = offset * sum;
    if (bias && !l->constant[c])
      l->folded[c] += ash_tensor_int(bias, source(l, c));
    l->reach[c] = 128 * most;
    l->sum[c] = sum;
  }
  for (uint32_t c = l->channels; c < room_for; c++)
    l->constant[c] = true;
  return ASH_OK;
}

static int64_t farthest(const layer *l, uint32_t c) {
  const int64_t x = l->folded[c];
  return (x < 0 ? -x : x) + l->reach[c];
}

/* False: sums of some channel do not stay within `limit`. */
static bool find_bound(layer *l, int64_t limit) {
  for (uint32_t c = 0; c < l->channels; c++)
    if (!l->constant[c] && farthest(l, c) > l->bound)
      l->bound = farthest(l, c);
  return l->bound < limit;
}

/* Vectors of x86-64 may multiply inputs with 128 added: a second bias for all
 * channels is without what that adds. */
static int64_t folded_for_unsigned(const layer *l, uint32_t c) {
  return l->folded[c] - (l->constant[c] ? 0 : 128 * l->sum[c]);
}

static ash_status append_bias(const layer *l) {
  const uint32_t one = entries(l), count = l->simd ? 2 * one : one;
  uint8_t *out = room(l, (size_t)count * 4);
  for (uint32_t c = 0; out && c < one; c++)
    ash_lower_put_int(out + (size_t)entry(l, c) * 4, l->folded[c], 4);
  for (uint32_t c = 0; out && l->simd && c < one; c++)
    ash_lower_put_int(out + (size_t)(one + c) * 4, folded_for_unsigned(l, c),
                      4);
  return ash_lower_append(l->g, l->op, "folded", ASH_INT32, count, out);
}

/* ---- scales -------------------------------------------------------------- */

/* Finds channels whose output is the same for every input: training leaves
 * many of them in some models. */
static bool find_constants(layer *l) {
  const ash_tensor *m = in_of(l, 3), *s = in_of(l, 4);
  const uint64_t n = ash_shape_elements(&m->shape);
  const ash_tensor *out = ash_op_out(l->g, op_of(l), 0);
  const ash_int_range range =
      ash_quant_range(out, ash_attr_string(op_of(l), "act", "none"));
  const int64_t zero = ash_quant_zero(out);
  for (uint32_t c = 0; c < l->channels; c++) {
    if (l->constant[c])
      continue;
    const int64_t multiplier = ash_tensor_int(m, n == 1 ? 0 : source(l, c));
    const int64_t shift = ash_tensor_int(s, n == 1 ? 0 : source(l, c));
    if (shift <= 0 && farthest(l, c) <= INT32_MAX && !l->parted) {
      const ash_scaling scaling = {(int32_t)multiplier, (int32_t)shift};
      const int64_t low =
          ash_quant_rescale(l->folded[c] - l->reach[c], scaling) + zero;
      const int64_t high =
          ash_quant_rescale(l->folded[c] + l->reach[c], scaling) + zero;
      l->constant[c] =
          l->kind != ASH_OP_depthwise_conv_2d &&
          ash_quant_limit(low, range) == ash_quant_limit(high, range);
      if (l->constant[c])
        l->folded[c] = ash_quant_limit(low, range);
    }
    if (!l->constant[c] && shift >= (l->simd ? 1 : 0))
      return false;
  }
  return true;
}

/* Too few rows to widen the input for: it is read as it is. */
static bool is_few(const layer *l) {
  return is_dsp(l) && !l->scalar && !l->pie &&
         l->kind == ASH_OP_fully_connected && l->channels <= 2;
}

static uint32_t group_of(const layer *l) {
  if (l->simd)
    return SIMD_GROUP;
  return l->mve || l->pie || l->scalar ||
                 (l->kind == ASH_OP_fully_connected && !is_few(l))
             ? 4
             : 2;
}

/* All channels from c on, as many as the kernel takes at once, are constant. */
static bool is_constant_group(const layer *l, uint32_t c) {
  const uint32_t group = group_of(l);
  if (l->rvv)
    return false; /* its groups are of all channels there are */
  for (uint32_t i = 0; i < group; i++)
    if (!l->constant[c / group * group + i])
      return false;
  return true;
}

enum { CONSTANT_SHIFT = 1, SINGLE_MULTIPLIER = 1 << 30, SINGLE_SHIFT = -1 };

/* An entry for each channel, and on to a multiple of four. A group of constant
 * channels is marked by its shift; a single one has the sum, multiplier and
 * shift that give its output. */
static ash_status spread_scales(const layer *l) {
  const ash_tensor *m = in_of(l, 3), *s = in_of(l, 4);
  const int64_t zero = ash_quant_zero(ash_op_out(l->g, op_of(l), 0));
  const uint64_t n = ash_shape_elements(&m->shape);
  const uint32_t padded = entries(l);
  uint8_t *multipliers = room(l, (size_t)padded * 4);
  uint8_t *shifts = room(l, padded);
  ASH_TRY(ash_zone_check(l->ctx, &l->g->zone));
  for (uint32_t c = 0; c < padded; c++) {
    const uint64_t from = n == 1 ? 0 : source(l, c);
    int64_t multiplier = SINGLE_MULTIPLIER, shift = SINGLE_SHIFT;
    if (!l->constant[c]) {
      multiplier = ash_tensor_int(m, from);
      shift = ash_tensor_int(s, from);
    } else if (is_constant_group(l, c)) {
      shift = CONSTANT_SHIFT;
    } else if (c < l->channels) {
      l->folded[c] = 4 * (l->folded[c] - zero);
    }
    ash_lower_put_int(multipliers + (size_t)entry(l, c) * 4, multiplier, 4);
    shifts[entry(l, c)] = (uint8_t)(is_dsp(l) ? -shift - 1 : shift);
  }
  ASH_TRY(ash_lower_append(l->g, l->op, "multipliers", ASH_INT32, padded,
                           multipliers));
  return ash_lower_append(l->g, l->op, "shifts", ASH_INT8, padded, shifts);
}

/* Four numbers each. False: cannot be proved for one of them. */
static bool put_short_scales(const layer *l, uint8_t *to) {
  const ash_op *o = op_of(l);
  const ash_tensor *in = in_of(l, 0), *w = in_of(l, 1);
  const ash_tensor *out = ash_op_out(l->g, o, 0);
  const ash_int_range range =
      ash_quant_range(out, ash_attr_string(o, "act", "none"));
  for (uint32_t i = 0; i < w->quant.count; i++, to += 16) {
    ash_long_scaling exact;
    ash_packed_scale s;
    if (!ash_quant_fully_connected(&exact, in, w, out, i) ||
        !ash_lower_pack_scale(&s, &exact, ash_quant_zero(out), range, l->bound))
      return false;
    ash_lower_put_int(to, s.m, 4);
    ash_lower_put_int(to + 4, s.c, 4);
    ash_lower_put_int(to + 8, s.f, 4);
    ash_lower_put_int(to + 12, s.k, 4);
  }
  return true;
}

/* All 53 bits of the multiplier: exact, with two products for each output. The
 * shift must leave the upper half of 64 bits, with room for the zero point.
 * What pads the last group is shifted too. */
static bool put_wide_scales(const layer *l, uint8_t *to, uint32_t padded) {
  const ash_tensor *in = in_of(l, 0), *w = in_of(l, 1);
  const ash_tensor *out = ash_op_out(l->g, op_of(l), 0);
  for (uint32_t i = 0; i < padded; i++, to += 16) {
    ash_long_scaling exact = {.shift = 33};
    if (i < w->quant.count && !ash_quant_fully_connected(&exact, in, w, out, i))
      return false;
    const int32_t shift = exact.shift - 32;
    if (shift < 1 || shift > WIDE_SHIFT_MAX)
      return false;
    const int64_t zero = ash_quant_zero(out) * (INT64_C(1) << shift);
    ash_lower_put_int(to, exact.multiplier >> 22, 4);
    ash_lower_put_int(to + 4, exact.multiplier & 0x3fffff, 4);
    ash_lower_put_int(to + 8, zero + (INT64_C(1) << (shift - 1)), 4);
    ash_lower_put_int(to + 12, -shift, 4);
  }
  return true;
}

/* Four numbers a channel -> for each group, its channels' first numbers, then
 * their second ones and so on. */
static uint8_t *dense_groups(const layer *l, const uint8_t *from, uint32_t n,
                             uint32_t *count) {
  const uint32_t padded = entries(l);
  uint8_t *to = room(l, (size_t)padded * 16);
  *count = 4 * padded;
  for (uint32_t c = 0; to && c < padded; c++)
    for (uint32_t k = 0; k < 4; k++)
      memcpy(to + (size_t)4 * (c / SIMD_GROUP * 4 * SIMD_GROUP +
                               k * SIMD_GROUP + c % SIMD_GROUP),
             from + (size_t)4 * ((n > 1 && c < l->channels ? c : 0) * 4 + k),
             4);
  return to;
}

/* For the layer, or for each channel; NULL: they are out of proportion. */
static uint8_t *dense_scale(const layer *l, uint32_t *count) {
  const uint32_t n = in_of(l, 1)->quant.count;
  const uint32_t padded = n > 1 ? (uint32_t)ash_align_up(n, 4) : 1;
  uint8_t *bytes = room(l, (size_t)padded * 16);
  *count = 4 * padded;
  if (bytes && !put_short_scales(l, bytes) &&
      !put_wide_scales(l, bytes, padded))
    return NULL;
  return bytes && l->simd ? dense_groups(l, bytes, n, count) : bytes;
}

/* ---- weights ------------------------------------------------------------- */

/* Channels whose weights of a block are side by side: those that are summed up
 * at once. */
static uint32_t side_by_side(const layer *l) {
  if (l->pie)
    return 1;
  return l->kind != ASH_OP_fully_connected && !l->simd ? 2 : group_of(l);
}

/* Bytes of these channels from c on, block after block; absent ones are 0. */
static uint8_t *put_blocks(const layer *l, uint8_t *to, uint32_t c,
                           uint32_t step, uint32_t taps) {
  const uint32_t block = l->mve || l->pie ? 16 : 4,
                 end = c + step * side_by_side(l);
  for (uint32_t t = 0; t < taps; t += block)
    for (uint32_t i = c; i < end; i += step)
      for (uint32_t k = 0; k < block; k++, to++)
        if (i < l->channels && !l->constant[i] && t + k < taps_of(l, i))
          *to = (uint8_t)weight(l, i, t + k);
  return to;
}

/* Bytes of one group of channels; Helium's convolutions take the first and the
 * third of four, then the second and the fourth. */
static void put_group(const layer *l, uint8_t *to, uint32_t c, uint32_t taps) {
  const uint32_t pairs = group_of(l) / side_by_side(l);
  const uint32_t step = l->mve ? pairs : 1, next = l->mve ? 1 : side_by_side(l);
  for (uint32_t i = 0; i < pairs; i++)
    to = put_blocks(l, to, c + i * next, step, taps);
}

/* The weight of channel i, 0 where there is none. */
static uint8_t live_weight(const layer *l, uint32_t i, uint32_t t) {
  if (i >= l->channels || l->constant[i] || t >= taps_of(l, i))
    return 0;
  return (uint8_t)weight(l, i, t);
}

/* How many weights a channel has in its group. */
static uint32_t filled_taps(const layer *l, uint32_t channel) {
  const bool dense = l->kind == ASH_OP_fully_connected;
  const uint32_t block = l->mve || l->pie ? 16
                         : l->simd        ? 4
                         : !l->scalar     ? 8
                         : dense          ? 1
                                          : 4;
  return (uint32_t)ash_align_up(taps_of(l, channel), block);
}

/* Groups of four channels side by side, tap by tap; constant ones have none. */
static ash_status append_quads(const layer *l) {
  const uint32_t group = group_of(l);
  uint64_t bytes = 0;
  for (uint32_t c = 0; c < l->channels; c += group)
    bytes += is_constant_group(l, c) ? 0 : (uint64_t)group * filled_taps(l, c);
  bytes = bytes ? bytes : 1;
  uint8_t *out = bytes > INT32_MAX ? NULL : room(l, (size_t)bytes);
  uint8_t *to = out;
  if (!out)
    return ash_nomem(l->ctx);
  for (uint32_t c = 0; c < l->channels; c += group)
    for (uint32_t t = 0; t < filled_taps(l, c) && !is_constant_group(l, c); t++)
      for (uint32_t i = c; i < c + group; i++)
        *to++ = live_weight(l, i, t);
  return ash_lower_append(l->g, l->op, "packed", ASH_INT8, (uint32_t)bytes,
                          out);
}

/* Groups of channels side by side, tap by tap; the last may be smaller. */
static ash_status append_columns(const layer *l) {
  const uint64_t bytes = (uint64_t)l->channels * l->taps;
  uint8_t *out = bytes > INT32_MAX ? NULL : room(l, (size_t)bytes);
  uint8_t *to = out;
  if (!out)
    return ash_nomem(l->ctx);
  for (uint32_t c = 0; c < l->channels; c += RVV_GROUP)
    for (uint32_t t = 0; t < l->taps; t++)
      for (uint32_t i = c; i < c + RVV_GROUP && i < l->channels; i++)
        *to++ = l->constant[i] ? 0 : (uint8_t)weight(l, i, t);
  return ash_lower_append(l->g, l->op, "packed", ASH_INT8, (uint32_t)bytes,
                          out);
}

/* Constant groups have no weights. */
static ash_status append_weights(const layer *l) {
  if (l->rvv || l->scalar)
    return l->rvv ? append_columns(l) : append_quads(l);
  const uint32_t group = group_of(l);
  size_t at = 0;
  for (uint32_t c = 0; c < l->channels; c += group)
    at += is_constant_group(l, c) ? 0 : (size_t)group * filled_taps(l, c);
  const size_t bytes = at ? at : 1;
  uint8_t *out = bytes > INT32_MAX ? NULL : room(l, bytes);
  if (!out)
    return ash_nomem(l->ctx);
  at = 0;
  for (uint32_t c = 0; c < l->channels; c += group)
    if (!is_constant_group(l, c)) {
      put_group(l, out + at, c, filled_taps(l, c));
      at += (size_t)group * filled_taps(l, c);
    }
  return ash_lower_append(l->g, l->op, "packed", ASH_INT8, (uint32_t)bytes,
                          out);
}

/* ---- layers -------------------------------------------------------------- */

static bool is_plain_int8(const layer *l) {
  const ash_tensor *in = in_of(l, 0), *w = in_of(l, 1), *bias = in_of(l, 2);
  return in->type == ASH_INT8 && w && w->type == ASH_INT8 && w->data &&
         !ash_op_is_integer_layer(l->g, op_of(l)) && (!bias || bias->data) &&
         ash_op_out(l->g, op_of(l), 0)->type == ASH_INT8 &&
         op_of(l)->input_count == ASH_IN_PREPARED;
}

/* Between taps that are far apart lie parts without any. */
static bool is_sparse(const layer *l) {
  const int32_t *w = in_of(l, 1)->shape.dim;
  return l->stride_h > (uint32_t)w[1] || l->stride_w > (uint32_t)w[2];
}

/* Parts are for processors whose kernels know them. */
static bool measure_parts(layer *l) {
  const bool turned = l->kind == ASH_OP_transpose_conv;
  l->stride_h = (uint32_t)ash_attr_int(op_of(l), "stride_h", 1);
  l->stride_w = (uint32_t)ash_attr_int(op_of(l), "stride_w", 1);
  const int32_t depth = in_of(l, 1)->shape.dim[3];
  if (turned && is_sparse(l))
    return false;
  l->parts = turned
                 ? l->stride_h * l->stride_w
                 : (uint32_t)(in_of(l, 0)->shape.dim[3] / (depth ? depth : 1));
  l->parted = turned || l->parts > 1;
  if (!l->parted)
    return true;
  l->made = turned ? l->channels : l->channels / l->parts;
  l->pitch = (uint32_t)ash_align_up(l->made, 4);
  l->channels = l->parts * l->pitch;
  return l->mve || l->dsp || l->scalar;
}

/* Shapes that the variants know. */
static bool measure(layer *l) {
  const ash_tensor *in = in_of(l, 0), *w = in_of(l, 1);
  const uint64_t elements = ash_shape_elements(&w->shape);
  const bool deep = l->kind == ASH_OP_depthwise_conv_2d;
  l->channels = (uint32_t)w->shape.dim[deep ? 3 : 0];
  l->taps = (uint32_t)(elements / l->channels);
  l->weights = (const int8_t *)w->data;
  if (deep)
    return l->mve || (w->shape.dim[3] == in->shape.dim[3] &&
                      l->taps <= ASH_KERNEL_DEPTHWISE_TAPS);
  if (l->kind == ASH_OP_conv_2d || l->kind == ASH_OP_transpose_conv)
    return measure_parts(l);
  return w->quant.count > 1 || ash_quant_zero(w) == 0;
}

/* Do the products of two neighbouring taps add up in 16 bits? Only twice
 * -128 * -128 is too much. */
static bool is_narrow(const layer *l) {
  for (uint32_t c = 0; c < l->channels; c++)
    for (uint32_t t = 1; t < l->taps; t++)
      if (weight(l, c, t) == -128 && weight(l, c, t - 1) == -128)
        return false;
  return true;
}

static ash_status pack_window(layer *l) {
  const int64_t limit = l->mve || l->rvv ? INT64_C(1) << 31 : 1 << 30;
  ASH_TRY(fold_bias(l));
  if (!find_constants(l) || !find_bound(l, limit) ||
      ((is_split(l) || l->rvv) && !is_narrow(l)))
    return ASH_OK;
  ASH_TRY(spread_scales(l));
  ASH_TRY(append_bias(l));
  return l->kind == ASH_OP_depthwise_conv_2d ? ASH_OK : append_weights(l);
}

static ash_status pack_dense(layer *l) {
  uint32_t count;
  ASH_TRY(fold_bias(l));
  uint8_t *scale = find_bound(l, 1 << 30) && (!l->rvv || is_narrow(l))
                       ? dense_scale(l, &count)
                       : NULL;
  if (!scale)
    return ASH_OK;
  ASH_TRY(append_bias(l));
  ASH_TRY(append_weights(l));
  return ash_lower_append(l->g, l->op, "scale", ASH_INT32, count, scale);
}

static ash_status pack_op(ash_ctx *ctx, ash_graph *g, uint32_t op,
                          const ash_target *target) {
  layer l = {.ctx = ctx,
             .g = g,
             .op = op,
             .kind = g->ops.items[op].kind,
             .dsp = (target->features & ASH_FEATURE_DSP) != 0,
             .mve = (target->features & ASH_FEATURE_MVE) != 0,
             .rvv = (target->features & ASH_FEATURE_RVV) != 0,
             .simd = (target->features & ASH_FEATURE_SIMD) != 0,
             .pie = (target->features & ASH_FEATURE_PIE) != 0,
             .scalar = (target->features & ASH_FEATURE_SCALAR) != 0};
  const bool known =
      l.kind == ASH_OP_conv_2d || l.kind == ASH_OP_transpose_conv ||
      l.kind == ASH_OP_depthwise_conv_2d || l.kind == ASH_OP_fully_connected;
  if (!known || !is_plain_int8(&l) || !measure(&l))
    return ASH_OK;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status =
      l.kind == ASH_OP_fully_connected ? pack_dense(&l) : pack_window(&l);
  ash_zone_rewind(&ctx->scratch, mark);
  return g->zone.failed ? ash_nomem(ctx) : status;
}

ash_status ash_pass_pack(ash_ctx *ctx, ash_graph *g, const ash_target *target) {
  const bool any = ash_target_is_packed(target);
  for (uint32_t op = 0; any && op < g->op_count; op++)
    ASH_TRY(pack_op(ctx, g, op, target));
  return ASH_OK;
}

/* dead_channels.c - channels that nobody needs:
 *
 *   t = conv_2d(x, w, b); u = depthwise_conv_2d(t, v, c); y = conv_2d(u, k, d)
 *   ->  the same with fewer channels in t and u
 *
 * Training leaves channels whose output is the same for every input, above all
 * behind a rectifier. What such a channel adds to the sums of a convolution is
 * known and becomes part of its bias; a depthwise convolution or pool of it
 * makes a channel that is constant again. Channels whose weights are all 0 in
 * what reads them are not needed either. int8, for processors with kernels
 * for it; as many channels stay as their kernels take at once. */
#include "pass/pass.h"

#include "base/checked.h"
#include "graph/compact.h"
#include "kernel/quant.h"
#include "op/sums.h"
#include "op/verify.h"

#include <string.h>

/* What becomes of channels in an operator. */
typedef enum role {
  OTHER, /* not known         */
  SUMS,  /* all are summed up */
  EACH,  /* each for itself   */
  POOL   /* the same, without weights */
} role;

/* Of a tensor, by channel; no arrays: it keeps all of them. */
typedef struct channels {
  uint32_t count;
  bool *constant, *drop;
  int32_t *value; /* of a constant one */
} channels;

typedef struct pruner {
  ash_ctx *ctx;
  ash_graph *g;
  channels *of; /* by tensor */
  uint32_t group;
} pruner;

static const ash_tensor *tensor_at(const pruner *p, uint32_t tensor) {
  return &p->g->tensors.items[tensor];
}

/* ---- operators ----------------------------------------------------------- */

static bool is_int8_layer(const ash_graph *g, const ash_op *op) {
  const ash_tensor *x = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  const ash_tensor *b = ash_op_in(g, op, 2), *y = ash_op_out(g, op, 0);
  return op->input_count <= 3 && x->type == ASH_INT8 && y->type == ASH_INT8 &&
         w && w->type == ASH_INT8 && w->data && x->shape.rank == 4 &&
         (!b || (b->data && b->type == ASH_INT32)) &&
         !ash_op_is_integer_layer(g, op);
}

static role role_of(const ash_graph *g, const ash_op *op) {
  if (op->kind == ASH_OP_average_pool_2d || op->kind == ASH_OP_max_pool_2d)
    return ash_op_in(g, op, 0)->type == ASH_INT8 &&
                   ash_op_in(g, op, 0)->shape.rank == 4
               ? POOL
               : OTHER;
  if ((op->kind != ASH_OP_conv_2d && op->kind != ASH_OP_depthwise_conv_2d) ||
      !is_int8_layer(g, op))
    return OTHER;
  const ash_tensor *x = ash_op_in(g, op, 0), *w = ash_op_in(g, op, 1);
  if (w->shape.dim[3] != x->shape.dim[3])
    return OTHER; /* groups, or several outputs of a channel */
  return op->kind == ASH_OP_conv_2d ? SUMS : EACH;
}

static bool is_padded(const ash_op *op) {
  return ash_attr_int(op, "pad_top", 0) || ash_attr_int(op, "pad_left", 0) ||
         ash_attr_int(op, "pad_bottom", 0) || ash_attr_int(op, "pad_right", 0);
}

/* Weights of a layer: of output channel `to`, tap `tap`, input channel `c`. */
static int32_t weight(const ash_tensor *w, role r, uint32_t to, uint32_t tap,
                      uint32_t c) {
  const size_t in = (size_t)w->shape.dim[3];
  const size_t taps = (size_t)w->shape.dim[1] * (size_t)w->shape.dim[2];
  return (int8_t)
      w->data[r == SUMS ? (to * taps + tap) * in + c : tap * in + to];
}

static uint32_t taps_of(const ash_tensor *w) {
  return (uint32_t)(w->shape.dim[1] * w->shape.dim[2]);
}

/* ---- constants ----------------------------------------------------------- */

typedef struct span {
  int64_t low, high;
} span;

/* What channel c of the input is, less the zero point; beside the input there
 * are zeros. */
static span input_span(const pruner *p, const ash_op *op, uint32_t c) {
  const ash_tensor *x = ash_op_in(p->g, op, 0);
  const channels *in = &p->of[op->inputs[0]];
  const int64_t zero = ash_quant_zero(x);
  span s = {INT8_MIN - zero, INT8_MAX - zero};
  if (in->constant && in->constant[c]) {
    s.low = s.high = in->value[c] - zero;
    if (is_padded(op)) {
      s.low = s.low < 0 ? s.low : 0;
      s.high = s.high > 0 ? s.high : 0;
    }
  }
  return s;
}

/* The sums of output channel `to`. */
static span sums_of(const pruner *p, const ash_op *op, role r, uint32_t to) {
  const ash_tensor *w = ash_op_in(p->g, op, 1), *b = ash_op_in(p->g, op, 2);
  const uint32_t count = r == SUMS ? (uint32_t)w->shape.dim[3] : 1;
  const int64_t bias = b ? ash_tensor_int(b, to) : 0;
  span s = {bias, bias};
  for (uint32_t i = 0; i < count; i++) {
    const span x = input_span(p, op, r == SUMS ? i : to);
    for (uint32_t t = 0; t < taps_of(w); t++) {
      const int64_t v = weight(w, r, to, t, i);
      s.low += v * (v > 0 ? x.low : x.high);
      s.high += v * (v > 0 ? x.high : x.low);
    }
  }
  return s;
}

/* Outputs never fall where sums rise. */
static void find_constant(const pruner *p, const ash_op *op, role r,
                          uint32_t to) {
  const ash_tensor *y = ash_op_out(p->g, op, 0);
  channels *out = &p->of[op->outputs[0]];
  const span sums = sums_of(p, op, r, to);
  ash_scaling scaling;
  if (sums.low <= INT32_MIN || sums.high > INT32_MAX ||
      !ash_quant_conv(&scaling, ash_op_in(p->g, op, 0), ash_op_in(p->g, op, 1),
                      y, to) ||
      scaling.shift > 0)
    return;
  const ash_int_range range =
      ash_quant_range(y, ash_attr_string(op, "act", "none"));
  const int64_t zero = ash_quant_zero(y);
  const int64_t low = ash_quant_rescale(sums.low, scaling) + zero;
  const int64_t high = ash_quant_rescale(sums.high, scaling) + zero;
  if (ash_quant_limit(low, range) == ash_quant_limit(high, range)) {
    out->constant[to] = true;
    out->value[to] = (int32_t)ash_quant_limit(low, range);
  }
}

static void find_constants(const pruner *p, const ash_op *op, role r) {
  channels *out = &p->of[op->outputs[0]];
  const channels *in = &p->of[op->inputs[0]];
  const ash_int_range range = ash_quant_range(
      ash_op_out(p->g, op, 0), ash_attr_string(op, "act", "none"));
  ASH_ASSERT(out->constant);
  for (uint32_t c = 0; c < out->count; c++)
    if (r != POOL) {
      find_constant(p, op, r, c);
    } else if (in->constant && in->constant[c]) {
      out->constant[c] = true;
      out->value[c] = (int32_t)ash_quant_limit(in->value[c], range);
    }
}

/* ---- who needs them ------------------------------------------------------ */

/* Sums that take what constant channels add stay within 32 bits. */
static bool bias_has_room(const pruner *p, const ash_op *op) {
  const ash_tensor *w = ash_op_in(p->g, op, 1), *b = ash_op_in(p->g, op, 2);
  const uint64_t taps =
      ash_shape_elements(&w->shape) / (uint64_t)w->shape.dim[0];
  if (!b || taps > (1 << 15))
    return false; /* 2^15 products of a byte and a difference of bytes */
  for (int32_t c = 0; c < w->shape.dim[0]; c++) {
    const int64_t v = ash_tensor_int(b, (uint64_t)c);
    if (v > 1 << 29 || v < -(1 << 29))
      return false;
  }
  return true;
}

static bool has_weights(const ash_tensor *w, uint32_t c) {
  for (uint32_t to = 0; to < (uint32_t)w->shape.dim[0]; to++)
    for (uint32_t t = 0; t < taps_of(w); t++)
      if (weight(w, SUMS, to, t, c) != 0)
        return true;
  return false;
}

/* May a convolution do without channel c of its input? */
static bool can_fold(const pruner *p, const ash_op *op, uint32_t c, bool room) {
  const channels *in = &p->of[op->inputs[0]];
  const int32_t zero = ash_quant_zero(ash_op_in(p->g, op, 0));
  if (in->constant[c])
    return in->value[c] == zero || (room && !is_padded(op));
  return !has_weights(ash_op_in(p->g, op, 1), c);
}

static void keep_all(channels *t) {
  for (uint32_t c = 0; t->drop && c < t->count; c++)
    t->drop[c] = false;
}

/* From the last operator to the first, what its input must keep. */
static void keep_what_is_read(const pruner *p, const ash_op *op, role r) {
  for (uint32_t k = r == OTHER ? 0 : 1; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID)
      keep_all(&p->of[op->inputs[k]]);
  if (r == OTHER)
    return;
  channels *in = &p->of[op->inputs[0]];
  const channels *out = &p->of[op->outputs[0]];
  const bool room = r == SUMS && bias_has_room(p, op);
  for (uint32_t c = 0; in->drop && c < in->count; c++)
    if (in->drop[c])
      in->drop[c] = r == SUMS ? can_fold(p, op, c, room) : out->drop[c];
}

/* Input and output of such an operator have the same channels. True: one of
 * them had others. */
static bool join(const pruner *p, const ash_op *op) {
  channels *in = &p->of[op->inputs[0]], *out = &p->of[op->outputs[0]];
  bool changed = false;
  for (uint32_t c = 0; c < out->count; c++) {
    const bool drop = in->drop && in->drop[c];
    if (drop == out->drop[c])
      continue;
    if (in->drop)
      in->drop[c] = false;
    out->drop[c] = false;
    changed = true;
  }
  return changed;
}

/* Kernels take so many at once: some stay. At least one does. */
static void round_up(const pruner *p, channels *t) {
  uint32_t kept = 0;
  for (uint32_t c = 0; c < t->count; c++)
    kept += !t->drop[c];
  for (uint32_t c = 0; c < t->count && (kept == 0 || kept % p->group); c++) {
    kept += t->drop[c];
    t->drop[c] = false;
  }
}

static ash_status begin(pruner *p, const ash_op *op) {
  channels *t = &p->of[op->outputs[0]];
  const size_t n = (size_t)tensor_at(p, op->outputs[0])->shape.dim[3];
  t->count = (uint32_t)n;
  t->constant = ASH_NEW_ARRAY(&p->ctx->scratch, bool, n);
  t->drop = ASH_NEW_ARRAY(&p->ctx->scratch, bool, n);
  t->value = ASH_NEW_ARRAY(&p->ctx->scratch, int32_t, n);
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  for (size_t c = 0; c < n; c++)
    t->drop[c] = true;
  return ASH_OK;
}

static ash_status analyse(pruner *p) {
  ash_graph *g = p->g;
  for (uint32_t i = 0; i < g->op_count; i++) {
    const ash_op *op = &g->ops.items[i];
    const role r = role_of(g, op);
    if (r == OTHER)
      continue;
    ASH_TRY(begin(p, op));
    find_constants(p, op, r);
  }
  for (size_t i = 0; i < g->output_count; i++)
    keep_all(&p->of[g->outputs[i]]);
  for (size_t i = g->op_count; i-- > 0;)
    keep_what_is_read(p, &g->ops.items[i], role_of(g, &g->ops.items[i]));
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < g->op_count; i++)
      if (role_of(g, &g->ops.items[i]) > SUMS)
        changed |= join(p, &g->ops.items[i]);
  }
  for (uint32_t t = 0; t < g->tensor_count; t++)
    if (p->of[t].drop)
      round_up(p, &p->of[t]);
  return ASH_OK;
}

/* ---- fewer channels ------------------------------------------------------ */

static bool is_kept(const channels *t, uint32_t c) {
  return !t->drop || !t->drop[c];
}

static uint32_t kept_of(const channels *t, uint32_t count) {
  uint32_t kept = 0;
  for (uint32_t c = 0; c < count; c++)
    kept += is_kept(t, c);
  return kept;
}

/* A constant of the layer with some of its channels along `axis`. */
static ash_status add_constant(const pruner *p, uint32_t *id, ash_tensor t,
                               const uint8_t *data, const channels *out) {
  const uint32_t n = t.quant.count;
  float *scale = ASH_NEW_ARRAY(&p->ctx->scratch, float, n + 1);
  int32_t *zero = ASH_NEW_ARRAY(&p->ctx->scratch, int32_t, n + 1);
  uint32_t kept = 0;
  ASH_TRY(ash_zone_check(p->ctx, &p->ctx->scratch));
  for (uint32_t c = 0; c < n; c++)
    if (n == 1 || is_kept(out, c)) {
      scale[kept] = t.quant.scale[c];
      zero[kept++] = t.quant.zero_point[c];
    }
  t.id = ash_zone_format(&p->g->zone, "%s_live", t.id);
  ASH_TRY(ash_zone_check(p->ctx, &p->g->zone));
  t.quant.scale = scale;
  t.quant.zero_point = zero;
  t.quant.count = kept;
  t.data = data;
  t.file_byte = UINT64_MAX;
  return ash_graph_add_tensor(p->g, id, t);
}

static ash_status shrink_weights(const pruner *p, uint32_t op, role r) {
  const ash_op *o = &p->g->ops.items[op];
  const channels *in = &p->of[o->inputs[0]], *out = &p->of[o->outputs[0]];
  ash_tensor w = *ash_op_in(p->g, o, 1);
  uint8_t *data = ASH_NEW_ARRAY(&p->g->zone, uint8_t, (size_t)w.bytes),
          *to = data;
  ASH_TRY(ash_zone_check(p->ctx, &p->g->zone));
  const uint32_t last = (uint32_t)w.shape.dim[3];
  const size_t rows = (size_t)w.bytes / last;
  const uint32_t taps = taps_of(&w);
  for (size_t i = 0; i < rows; i++)
    for (uint32_t c = 0; c < last; c++)
      if (r == EACH ? is_kept(out, c)
                    : is_kept(out, (uint32_t)(i / taps)) && is_kept(in, c))
        *to++ = w.data[i * last + c];
  if (r == SUMS)
    w.shape.dim[0] = (int32_t)kept_of(out, out->count);
  w.shape.dim[3] = (int32_t)kept_of(r == SUMS ? in : out, last);
  uint32_t id;
  ASH_TRY(add_constant(p, &id, w, data, out));
  p->g->ops.items[op].inputs[1] = id;
  return ASH_OK;
}

/* What the channels that are gone add to the sums of channel `to`. */
static int64_t folded(const pruner *p, const ash_op *op, const ash_tensor *w,
                      uint32_t to) {
  const channels *in = &p->of[op->inputs[0]];
  const int64_t zero = ash_quant_zero(ash_op_in(p->g, op, 0));
  int64_t sum = 0;
  for (uint32_t c = 0; c < (uint32_t)w->shape.dim[3]; c++)
    for (uint32_t t = 0; !is_kept(in, c) && in->constant[c] && t < taps_of(w);
         t++)
      sum += (in->value[c] - zero) * weight(w, SUMS, to, t, c);
  return sum;
}

/* Before the weights. */
static ash_status shrink_bias(const pruner *p, uint32_t op, role r) {
  const ash_op *o = &p->g->ops.items[op];
  const channels *out = &p->of[o->outputs[0]];
  if (!ash_op_in(p->g, o, 2))
    return ASH_OK;
  ash_tensor b = *ash_op_in(p->g, o, 2);
  uint8_t *data = ASH_NEW_ARRAY(&p->g->zone, uint8_t, (size_t)b.bytes),
          *to = data;
  ASH_TRY(ash_zone_check(p->ctx, &p->g->zone));
  for (uint32_t c = 0; c < out->count; c++)
    if (is_kept(out, c)) {
      const int64_t sum =
          ash_tensor_int(&b, c) +
          (r == SUMS ? folded(p, o, ash_op_in(p->g, o, 1), c) : 0);
      ASH_ASSERT(sum >= INT32_MIN && sum <= INT32_MAX);
      const int32_t value = (int32_t)sum;
      memcpy(to, &value, sizeof value);
      to += sizeof value;
    }
  uint32_t id;
  b.shape.dim[0] = (int32_t)kept_of(out, out->count);
  ASH_TRY(add_constant(p, &id, b, data, out));
  p->g->ops.items[op].inputs[2] = id;
  return ASH_OK;
}

typedef struct saving {
  uint32_t channels, of;
  uint64_t products, weights;
} saving;

static ash_status shrink_layer(const pruner *p, uint32_t op, saving *s) {
  const ash_op *o = &p->g->ops.items[op];
  const role r = role_of(p->g, o);
  if (r == OTHER)
    return ASH_OK;
  const channels *in = &p->of[o->inputs[0]], *out = &p->of[o->outputs[0]];
  const uint32_t gone = out->count - kept_of(out, out->count);
  const bool less = in->drop && kept_of(in, in->count) < in->count;
  s->channels += gone;
  s->of += out->count;
  if (r == POOL || (!gone && !less))
    return ASH_OK;
  const uint64_t before = ash_op_in(p->g, o, 1)->bytes;
  const ash_shape *y = &ash_op_out(p->g, o, 0)->shape;
  const uint64_t pixels =
      (uint64_t)y->dim[0] * (uint64_t)y->dim[1] * (uint64_t)y->dim[2];
  ASH_TRY(shrink_bias(p, op, r));
  ASH_TRY(shrink_weights(p, op, r));
  const uint64_t after = ash_op_in(p->g, &p->g->ops.items[op], 1)->bytes;
  s->weights += before - after;
  s->products += pixels * (before - after);
  return ASH_OK;
}

static void shrink_tensors(const pruner *p) {
  for (uint32_t t = 0; t < p->g->tensor_count; t++) {
    ash_tensor *a = &p->g->tensors.items[t];
    if (!p->of[t].drop)
      continue;
    const uint32_t kept = kept_of(&p->of[t], p->of[t].count);
    a->bytes = a->bytes / p->of[t].count * kept;
    a->shape.dim[3] = (int32_t)kept;
  }
}

static ash_status shrink(const pruner *p) {
  saving s = {0};
  const size_t tensors = p->g->tensor_count;
  for (uint32_t op = 0; op < p->g->op_count; op++)
    ASH_TRY(shrink_layer(p, op, &s));
  if (s.channels == 0)
    return ASH_OK;
  const size_t now = p->g->tensor_count;
  p->g->tensor_count = tensors; /* those that `of` knows */
  shrink_tensors(p);
  p->g->tensor_count = now;
  ash_note(p->ctx, ASH_D_pass_dead_channels, ASH_NOWHERE,
           "%u of %u channels never change or are never read: without them "
           "%llu products and %llu bytes of weights less",
           s.channels, s.of, (unsigned long long)s.products,
           (unsigned long long)s.weights);
  ASH_TRY(ash_graph_prune(p->g));
  return ash_op_verify(p->ctx, p->g);
}

ash_status ash_pass_dead_channels(ash_ctx *ctx, ash_graph *g,
                                  const ash_target *target) {
  const uint32_t wide = ASH_FEATURE_MVE | ASH_FEATURE_RVV | ASH_FEATURE_SIMD;
  pruner p = {.ctx = ctx, .g = g, .group = target->features & wide ? 16 : 4};
  if (!ash_target_is_packed(target))
    return ASH_OK;
  p.of = ASH_NEW_ARRAY(&ctx->scratch, channels, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  memset(p.of, 0, (g->tensor_count + 1) * sizeof *p.of);
  ASH_TRY(analyse(&p));
  return shrink(&p);
}

/* check_row_rules.c - which rows of its operands does an operator need for one
 * row of its result? From the definition of the operator, as docs/operators.md
 * has it, without the iteration spaces that orders and plans come from. Where
 * no rule says better, an operand is read whole. */
#include "check/check_rows.h"

#include "op/functions.h"

#include <math.h>

enum { ROWS_MAX = 1 << 16 };

uint32_t ash_check_row_dim(const ash_tensor *t) {
  const ash_shape *s = &t->shape;
  for (uint32_t d = 0; d + 1 < s->rank; d++)
    if (s->dim[d] != 1)
      return s->dim[d] <= ROWS_MAX && t->bytes > 0 && ash_type_bits(t->type) > 7
                 ? d
                 : ASH_NO_ID;
  return ASH_NO_ID;
}

uint32_t ash_check_row_count(const ash_tensor *t) {
  const uint32_t d = ash_check_row_dim(t);
  return d == ASH_NO_ID ? 1 : (uint32_t)t->shape.dim[d];
}

/* Row `row` of output 0, which lies along its dimension d, and input k, whose
 * rows lie along its dimension e. */
typedef struct ask {
  const ash_graph *g;
  const ash_op *op;
  const ash_shape *x, *y;
  uint32_t k, d, e;
  int64_t row;
  int64_t lo, hi; /* the answer, before it is clipped to the input */
} ask;

/* False: whole. */
typedef bool row_rule(ask *a);

static bool just(ask *a, int64_t row) {
  a->lo = row;
  a->hi = row + 1;
  return true;
}

static bool nothing(ask *a) {
  a->lo = a->hi = 0;
  return true;
}

static int64_t floor_of(int64_t a, int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

static int64_t axis_of(const ask *a) {
  const int64_t axis = ash_attr_int(a->op, "axis", 0);
  return axis < 0 ? axis + (int64_t)a->x->rank : axis;
}

/* The same dimension of both, of the same length? */
static bool same(const ask *a) {
  return a->e == a->d && a->x->rank == a->y->rank &&
         a->x->dim[a->e] == a->y->dim[a->d];
}

static int64_t elements_from(const ash_shape *s, uint32_t dim) {
  int64_t n = 1;
  for (uint32_t d = dim; d < s->rank; d++)
    n *= s->dim[d];
  return n;
}

/* Elements [from, to) of the input, counted through. */
static bool flat(ask *a, int64_t from, int64_t to) {
  const int64_t each = elements_from(a->x, a->e + 1);
  a->lo = from / each;
  a->hi = (to + each - 1) / each;
  return true;
}

/* ---- element by element, and along other axes ---------------------------- */

static bool broadcast(ask *a) {
  const uint32_t missing = a->y->rank - a->x->rank;
  return a->e + missing == a->d && a->x->dim[a->e] == a->y->dim[a->d] &&
         just(a, a->row);
}

static bool first_broadcast(ask *a) {
  return a->k == 0 && broadcast(a);
}

static bool by_rows(ask *a) {
  return a->k == 0 && same(a) && just(a, a->row);
}

static bool beside_axis(ask *a) {
  return axis_of(a) != (int64_t)a->d && by_rows(a);
}

/* Parts of a split: along another axis, or just one, which is all of it. */
static bool parted(ask *a) {
  return beside_axis(a) || (a->op->output_count == 1 && by_rows(a));
}

static bool by_images(ask *a) {
  return a->d + 2 < a->y->rank && by_rows(a);
}

/* All of the last dimension is folded. */
static bool folded_rows(ask *a) {
  return a->d + 1 < a->y->rank && broadcast(a);
}

static bool folded(ask *a) {
  const uint32_t gone = ash_op_folded(a->op, a->x->rank);
  const bool keeps = ash_attr_int(a->op, "keep_dims", 0) != 0;
  uint32_t to = 0;
  for (uint32_t d = 0; d < a->e; d++)
    to += keeps || !(gone >> d & 1);
  return !(gone >> a->e & 1) && to == a->d && just(a, a->row);
}

/* ---- windows ------------------------------------------------------------- */

typedef struct window {
  int64_t stride, taps, dilation, before;
} window;

/* The position along the input's dimension e that row `row` is at: where the
 * result has but one, that one. */
static bool position(const ask *a, int64_t *at) {
  *at = a->e == a->d ? a->row : 0;
  return a->e == a->d || (a->e < a->d && a->y->dim[a->e] == 1);
}

static bool slide(ask *a, window w) {
  int64_t at;
  if (!position(a, &at))
    return false;
  a->lo = at * w.stride - w.before;
  a->hi = a->lo + (w.taps - 1) * w.dilation + 1;
  return true;
}

/* Float activations quantised with a scale of the whole image. */
static bool is_hybrid(const ask *a) {
  return ash_op_has(a->op, ASH_OP_WEIGHTS) &&
         ash_op_in(a->g, a->op, 0)->type == ASH_FLOAT32 &&
         ash_op_in(a->g, a->op, 1)->type == ASH_INT8;
}

static int64_t taps_of(const ask *a, uint32_t dim) {
  if (ash_op_has(a->op, ASH_OP_WEIGHTS))
    return ash_op_in(a->g, a->op, 1)->shape.dim[dim];
  return ash_attr_int(a->op, dim == 1 ? "filter_h" : "filter_w", 1);
}

static window window_of(const ask *a) {
  const bool h = a->e == 1;
  return (window){ash_attr_int(a->op, h ? "stride_h" : "stride_w", 1),
                  taps_of(a, a->e),
                  ash_attr_int(a->op, h ? "dilation_h" : "dilation_w", 1),
                  ash_attr_int(a->op, h ? "pad_top" : "pad_left", 0)};
}

static bool windows(ask *a) {
  if (a->k != 0)
    return false;
  if (a->e == 0)
    return a->d == 0 && just(a, a->row);
  return !is_hybrid(a) && slide(a, window_of(a));
}

/* Input i reaches outputs i * stride - before up to taps - 1 further. */
static bool spread(ask *a) {
  int64_t at;
  if (a->k != 0)
    return false;
  if (a->e == 0)
    return a->d == 0 && just(a, a->row);
  const window w = window_of(a);
  if (!position(a, &at))
    return false;
  a->lo = floor_of(at + w.before - w.taps, w.stride) + 1;
  a->hi = floor_of(at + w.before, w.stride) + 1;
  return true;
}

/* Channels first: [N, C, ..]. */
static bool slide_nd(ask *a, int64_t taps) {
  const uint32_t i = a->e - 2;
  return slide(a, (window){ash_op_ints(a->op, "stride", i, 1), taps,
                           ash_op_ints(a->op, "dilation", i, 1),
                           ash_op_ints(a->op, "pad", i, 0)});
}

static bool windows_nd(ask *a) {
  if (a->k != 0)
    return false;
  if (a->e == 0)
    return a->d == 0 && just(a, a->row);
  if (a->e > 1)
    return slide_nd(a, ash_op_in(a->g, a->op, 1)->shape.dim[a->e]);
  if (a->d != 1)
    return false;
  const int64_t groups = ash_attr_int(a->op, "groups", 1);
  const int64_t group = a->row / (a->y->dim[1] / groups);
  a->lo = group * (a->x->dim[1] / groups);
  a->hi = a->lo + a->x->dim[1] / groups;
  return true;
}

static bool pools_nd(ask *a) {
  if (a->e < 2)
    return by_rows(a);
  return slide_nd(a, ash_op_ints(a->op, "kernel", a->e - 2, 1));
}

/* ---- products ------------------------------------------------------------ */

/* Rows of the input, counted through, are rows of the result. */
static bool dense(ask *a) {
  if (a->k != 0)
    return false;
  const int64_t depth = ash_op_in(a->g, a->op, 1)->shape.dim[1];
  const int64_t wide = a->y->dim[a->y->rank - 1];
  const int64_t each = elements_from(a->y, a->d + 1) / wide * depth;
  return flat(a, a->row * each, (a->row + 1) * each);
}

static bool product(ask *a) {
  const bool turned = ash_attr_int(a->op, "transpose_a", 0) != 0;
  if (a->k > 1)
    return false;
  if (a->e + 2 == a->x->rank && (a->k == 1 || turned))
    return false;
  return broadcast(a);
}

/* Queries and masks go along; heads of keys and values may serve several. */
static bool attended(ask *a) {
  if (a->k != 1 && a->k != 2)
    return a->k < 5 && broadcast(a);
  if (a->e != a->d || a->d + 2 >= a->y->rank || a->x->dim[a->e] < 1)
    return false;
  return just(a, a->row / (a->y->dim[a->d] / a->x->dim[a->e]));
}

/* ---- elements that move -------------------------------------------------- */

static bool padded(ask *a) {
  return a->k == 0 && a->e == a->d &&
         just(a, a->row - ash_op_ints(a->op, "before", a->d, 0));
}

static bool mirrored(ask *a) {
  const int64_t n = a->x->dim[a->e];
  const bool twice =
      ash_attr_string(a->op, "mode", "reflect")[0] != 'r'; /* symmetric */
  int64_t at = a->row - ash_op_ints(a->op, "before", a->d, 0);
  if (a->e != a->d)
    return false;
  if (at < 0)
    at = -at - (twice ? 1 : 0);
  if (at >= n)
    at = 2 * n - at - (twice ? 1 : 2);
  return just(a, at);
}

static bool joined(ask *a) {
  const int64_t axis = axis_of(a);
  int64_t before = 0;
  if (axis != (int64_t)a->d)
    return same(a) && just(a, a->row);
  for (uint32_t k = 0; k < a->k; k++)
    if (ash_op_in(a->g, a->op, k))
      before += ash_op_in(a->g, a->op, k)->shape.dim[axis];
  if (a->e == a->d)
    return just(a, a->row - before);
  return a->row != before && nothing(a);
}

/* Element (i, j, ..) is at offset + i * step + j * step ... */
static bool strided(ask *a) {
  int64_t lo = ash_attr_int(a->op, "offset", 0);
  lo += a->row * ash_op_ints(a->op, "step", a->d, 0);
  int64_t hi = lo;
  for (uint32_t d = a->d + 1; d < a->y->rank; d++) {
    const int64_t reach = (a->y->dim[d] - 1) * ash_op_ints(a->op, "step", d, 0);
    *(reach < 0 ? &lo : &hi) += reach;
  }
  return flat(a, lo, hi + 1);
}

static bool copied(ask *a) {
  const int64_t each = elements_from(a->y, a->d + 1);
  return flat(a, a->row * each, (a->row + 1) * each);
}

static bool repeated(ask *a) {
  return a->e == a->d && just(a, a->row % a->x->dim[a->e]);
}

static bool to_depth(ask *a) {
  const int64_t block = a->d == 0 ? 1 : ash_attr_int(a->op, "block", 1);
  a->lo = a->row * block;
  a->hi = a->lo + block;
  return a->e == a->d;
}

static bool to_space(ask *a) {
  const int64_t block = a->d == 0 ? 1 : ash_attr_int(a->op, "block", 1);
  return a->e == a->d && just(a, a->row / block);
}

/* ---- images made larger or smaller --------------------------------------- */

/* Line y comes from (y or y + 1/2) * scale, as LiteRT computes it: in floats,
 * or for integers that are mixed in 1/1024. */
typedef struct resizing {
  int64_t in, out;
  bool corners, centres;
} resizing;

static resizing resizing_of(const ask *a) {
  const bool corners = ash_attr_int(a->op, "align_corners", 0) != 0;
  return (resizing){a->x->dim[1], a->y->dim[1], corners,
                    ash_attr_int(a->op, "half_pixel_centers", 0) != 0};
}

static int64_t clamped(int64_t line, int64_t lines) {
  return line < 0 ? 0 : line >= lines ? lines - 1 : line;
}

static float float_scale(const resizing *r) {
  return r->corners && r->out > 1 ? (float)(r->in - 1) / (float)(r->out - 1)
                                  : (float)r->in / (float)r->out;
}

static bool mixed_floats(ask *a, const resizing *r) {
  const float scale = float_scale(r);
  const float at = r->centres ? ((float)a->row + 0.5f) * scale - 0.5f
                              : (float)a->row * scale;
  a->lo = clamped((int64_t)floorf(at), r->in);
  a->hi = clamped((int64_t)ceilf(at), r->in) + 1;
  return true;
}

static bool mixed_integers(ask *a, const resizing *r) {
  const int64_t less = r->corners && r->out > 1 ? 1 : 0;
  const int64_t to = r->out - less;
  const int64_t scale = (1024 * (r->in - less) + to / 2) / to;
  const int64_t at = a->row * scale + (r->centres ? scale / 2 - 512 : 0);
  a->lo = clamped(at / 1024, r->in);
  a->hi = clamped((at + 1023) / 1024, r->in) + 1;
  return true;
}

static bool is_line(const ask *a) {
  return a->k == 0 && a->d == 1 && a->e == 1;
}

static bool mixed(ask *a) {
  const resizing r = resizing_of(a);
  const ash_type type = ash_op_in(a->g, a->op, 0)->type;
  if (!is_line(a))
    return a->d == 0 && by_rows(a);
  return type == ASH_INT8 || type == ASH_INT16 ? mixed_integers(a, &r)
                                               : mixed_floats(a, &r);
}

static bool nearest(ask *a) {
  const resizing r = resizing_of(a);
  if (!is_line(a))
    return a->d == 0 && by_rows(a);
  const float at =
      ((float)a->row + (r.centres ? 0.5f : 0.0f)) * float_scale(&r);
  return just(a, clamped((int64_t)(r.corners ? roundf(at) : floorf(at)), r.in));
}

/* ---- elements that are chosen -------------------------------------------- */

/* The row, if it lies along dimension `dim` of the input. */
static bool along(ask *a, int64_t dim) {
  return (int64_t)a->e == dim && just(a, a->row);
}

static const ash_shape *shape_of(const ask *a, uint32_t k) {
  return &ash_op_in(a->g, a->op, k)->shape;
}

/* Data up to the axis, indices but their batches, the rest of the data. */
static bool gathered(ask *a) {
  const int64_t given = ash_attr_int(a->op, "axis", 0);
  const int64_t line =
      given < 0 ? given + (int64_t)shape_of(a, 0)->rank : given;
  const int64_t rank = shape_of(a, 1)->rank, d = a->d;
  int64_t batch = ash_attr_int(a->op, "batch_dims", 0);
  batch += batch < 0 ? rank : 0;
  const int64_t after = line + rank - batch;
  if (a->k == 0)
    return d < line ? along(a, d)
                    : d >= after && along(a, d - (rank - batch) + 1);
  return d < batch ? along(a, d)
                   : d >= line && d < after && along(a, d - line + batch);
}

/* Indices but their last dimension, which is a position in the data. */
static bool gathered_nd(ask *a) {
  const ash_shape *at = shape_of(a, 1);
  const int64_t outer = (int64_t)at->rank - 1, d = a->d;
  const int64_t batch = ash_attr_int(a->op, "batch_dims", 0);
  if (a->k == 1)
    return d < outer && along(a, d);
  return d < batch ? along(a, d)
                   : d >= outer && along(a, batch + at->dim[outer] + d - outer);
}

static bool scattered_nd(ask *a) {
  const ash_shape *at = shape_of(a, 1);
  const int64_t depth = at->dim[at->rank - 1], d = a->d;
  if (a->k == 1 || d < depth)
    return false;
  return along(a, a->k == 0 ? d : (int64_t)at->rank - 1 + d - depth);
}

static bool gathered_elements(ask *a) {
  if (a->e != a->d)
    return false;
  return (a->k == 1 || axis_of(a) != (int64_t)a->d) && just(a, a->row);
}

static bool scattered_elements(ask *a) {
  const ash_shape *at = shape_of(a, 1);
  return axis_of(a) != (int64_t)a->d && at->dim[a->d] == a->y->dim[a->d] &&
         same(a) && just(a, a->row);
}

/* ---- the table ----------------------------------------------------------- */

static row_rule *const rules[ASH_OP_COUNT] = {
    [ASH_OP_fully_connected] = dense,
    [ASH_OP_conv_2d] = windows,
    [ASH_OP_depthwise_conv_2d] = windows,
    [ASH_OP_average_pool_2d] = windows,
    [ASH_OP_max_pool_2d] = windows,
    [ASH_OP_transpose_conv] = spread,
    [ASH_OP_conv_nd] = windows_nd,
    [ASH_OP_pool_nd] = pools_nd,
    [ASH_OP_matmul] = product,
    [ASH_OP_attention] = attended,
    [ASH_OP_softmax] = by_rows,
    [ASH_OP_log_softmax] = by_rows,
    [ASH_OP_l2_normalization] = by_rows,
    [ASH_OP_reduce] = folded,
    [ASH_OP_cumsum] = beside_axis,
    [ASH_OP_top_k] = beside_axis,
    [ASH_OP_resample] = beside_axis,
    [ASH_OP_rfft2d] = by_images,
    [ASH_OP_resize_bilinear] = mixed,
    [ASH_OP_resize_nearest_neighbor] = nearest,
    [ASH_OP_map] = broadcast,
    [ASH_OP_chain] = broadcast,
    [ASH_OP_row_chain] = folded_rows,
    [ASH_OP_quantize] = first_broadcast,
    [ASH_OP_dequantize] = first_broadcast,
    [ASH_OP_lookup] = first_broadcast,
    [ASH_OP_complex_abs] = first_broadcast,
    [ASH_OP_real] = first_broadcast,
    [ASH_OP_imag] = first_broadcast,
    [ASH_OP_reshape] = copied,
    [ASH_OP_read_variable] = copied,
    [ASH_OP_strided] = strided,
    [ASH_OP_concatenation] = joined,
    [ASH_OP_split] = parted,
    [ASH_OP_pad] = padded,
    [ASH_OP_mirror_pad] = mirrored,
    [ASH_OP_tile] = repeated,
    [ASH_OP_space_to_depth] = to_depth,
    [ASH_OP_depth_to_space] = to_space,
    [ASH_OP_gather] = gathered,
    [ASH_OP_gather_nd] = gathered_nd,
    [ASH_OP_scatter_nd] = scattered_nd,
    [ASH_OP_gather_elements] = gathered_elements,
    [ASH_OP_scatter_elements] = scattered_elements,
};

bool ash_check_has_rows(const ash_graph *g, uint32_t op) {
  const ash_op *o = &g->ops.items[op];
  if (!rules[o->kind] || o->output_count == 0)
    return false;
  const uint32_t rows = ash_check_row_count(ash_op_out(g, o, 0));
  for (uint32_t k = 0; k < o->output_count; k++)
    if (ash_op_out(g, o, k)->kind == ASH_TENSOR_VARIABLE ||
        ash_check_row_count(ash_op_out(g, o, k)) != rows)
      return false;
  return rows > 1;
}

ash_check_range ash_check_rows_read(const ash_graph *g, uint32_t op, uint32_t k,
                                    uint32_t row) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *x = ash_op_in(g, o, k), *y = ash_op_out(g, o, 0);
  const int64_t rows = ash_check_row_count(x);
  ask a = {g,
           o,
           &x->shape,
           &y->shape,
           k,
           ash_check_row_dim(y),
           ash_check_row_dim(x),
           row,
           0,
           0};
  if (a.e == ASH_NO_ID || a.d == ASH_NO_ID || !rules[o->kind] ||
      !rules[o->kind](&a))
    return (ash_check_range){0, (uint32_t)rows, true};
  a.lo = a.lo < 0 ? 0 : a.lo > rows ? rows : a.lo;
  a.hi = a.hi < a.lo ? a.lo : a.hi > rows ? rows : a.hi;
  return (ash_check_range){(uint32_t)a.lo, (uint32_t)a.hi, false};
}

bool ash_check_is_name(const ash_graph *g, uint32_t op, const uint32_t *root) {
  const ash_op *o = &g->ops.items[op];
  const ash_tensor *in = ash_op_in(g, o, 0);
  if (!ash_op_has(o, ASH_OP_VIEW) || !in ||
      in->bytes != ash_op_out(g, o, 0)->bytes ||
      ash_op_out(g, o, 0)->kind != ASH_TENSOR_ACTIVATION)
    return false;
  const ash_tensor *from = &g->tensors.items[root[o->inputs[0]]];
  return from->kind == ASH_TENSOR_ACTIVATION ||
         (from->kind == ASH_TENSOR_INPUT && !ash_op_out(g, o, 0)->is_output);
}

/* tflite_detect.c - operators behind a detector, taken apart into operators of
 * the graph: the choice of boxes (NON_MAX_SUPPRESSION_V4 and V5), SCATTER_ND,
 * and TFLite_Detection_PostProcess, which decodes boxes and chooses. */
#include "read/tflite/tflite_detect.h"

#include "op/functions.h"
#include "op/shape/shape.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SUPPRESSION_V4 = 120, SUPPRESSION_V5 = 121, SCATTER_ND = 122 };
enum { CUSTOM = 32, CUSTOM_OPTIONS = 5, FOLDED_MAX = 1 << 20 /* bytes */ };

static bool is_post_process(const ash_tflite_code *code) {
  return code->builtin == CUSTOM && code->custom &&
         strcmp(code->custom, "TFLite_Detection_PostProcess") == 0;
}

bool ash_tflite_is_detection(const ash_tflite_code *code) {
  return is_post_process(code) ||
         (code->builtin >= SUPPRESSION_V4 && code->builtin <= SCATTER_ND);
}

/* ---- making operators: after a failure nothing more is made ---------------
 */

typedef struct maker {
  ash_tflite *r;
  uint32_t op, steps;
  ash_status status;
} maker;

static ash_status refuse(const maker *m, const char *what) {
  return ash_fail(m->r->ctx, ASH_UNSUPPORTED, ASH_D_op_options,
                  ash_tflite_at_op(m->r, m->op), "%s", what);
}

static const ash_tensor *tensor(const maker *m, uint32_t id) {
  static const ash_tensor nothing = {.shape = {4, {1, 1, 1, 1}}};
  return m->status == ASH_OK && id < m->r->g->tensor_count
             ? &m->r->g->tensors.items[id]
             : &nothing;
}

static const ash_shape *shape_of(const maker *m, uint32_t id) {
  return &tensor(m, id)->shape;
}

static void set_shape(maker *m, uint32_t id, const ash_shape *shape) {
  ash_tensor *t = &m->r->g->tensors.items[id];
  t->shape = *shape;
  if (!ash_shape_bytes(&t->bytes, &t->shape, t->type))
    m->status = refuse(m, "a result is too large");
}

/* An operator with up to two results; the first of them. */
static uint32_t make(maker *m, ash_op op, ash_type type, ash_type second,
                     const ash_shape *shape) {
  ash_graph *g = m->r->g;
  ash_shape shapes[2] = {{0}};
  uint32_t outputs[2] = {ASH_NO_ID, ASH_NO_ID}, index = 0;
  const uint32_t count = second == ASH_NONE ? 1 : 2;
  for (uint32_t k = 0; k < count && m->status == ASH_OK; k++)
    m->status = ash_graph_add_tensor(
        g, &outputs[k],
        (ash_tensor){.name = "",
                     .kind = ASH_TENSOR_ACTIVATION,
                     .type = k ? second : type,
                     .shape = shape ? *shape : (ash_shape){0},
                     .file_byte = UINT64_MAX});
  op.source_index = m->op;
  op.outputs = outputs;
  op.output_count = count;
  op.id = ash_zone_format(&m->r->ctx->scratch, "%s_%s%u_%u", ash_op_text(&op),
                          m->r->prefix ? m->r->prefix : "", (unsigned)m->op,
                          (unsigned)m->steps++);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(g, &index, op);
  if (m->status == ASH_OK)
    m->status = ash_infer_shape(m->r->ctx, g, index, shapes);
  for (uint32_t k = 0; k < count && m->status == ASH_OK; k++)
    set_shape(m, outputs[k], &shapes[k]);
  return m->status == ASH_OK ? outputs[0] : ASH_NO_ID;
}

static uint32_t map(maker *m, ash_fn fn, const uint32_t *in, uint32_t count,
                    ash_type type) {
  ash_attr attr = ASH_STRING_ATTR("fn", ash_fn_text(fn));
  return make(m,
              (ash_op){.kind = ASH_OP_map,
                       .inputs = (uint32_t *)(uintptr_t)in,
                       .input_count = count,
                       .attrs = &attr,
                       .attr_count = 1},
              type, ASH_NONE, NULL);
}

static uint32_t pair(maker *m, ash_fn fn, uint32_t a, uint32_t b) {
  const uint32_t in[] = {a, b};
  const bool truth = ash_fn_result_of(fn) == ASH_FN_BOOL;
  return map(m, fn, in, 2, truth ? ASH_BOOL : tensor(m, a)->type);
}

static uint32_t constant(maker *m, ash_type type, ash_shape shape,
                         const void *data) {
  uint32_t id = ASH_NO_ID;
  uint64_t bytes = 0;
  if (m->status != ASH_OK)
    return id;
  if (!ash_shape_bytes(&bytes, &shape, type) || bytes > INT32_MAX) {
    m->status = refuse(m, "a result is too large");
    return id;
  }
  uint8_t *copy = ASH_NEW_ARRAY(&m->r->g->zone, uint8_t, (size_t)bytes + 1);
  m->status = ash_zone_check(m->r->ctx, &m->r->g->zone);
  if (m->status == ASH_OK && data)
    memcpy(copy, data, (size_t)bytes);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_tensor(m->r->g, &id,
                                     (ash_tensor){.name = "",
                                                  .kind = ASH_TENSOR_CONSTANT,
                                                  .type = type,
                                                  .shape = shape,
                                                  .data = copy,
                                                  .file_byte = UINT64_MAX});
  return id;
}

static uint32_t real(maker *m, float x) {
  return constant(m, ASH_FLOAT32, (ash_shape){0}, &x);
}
static uint32_t whole(maker *m, int32_t x) {
  return constant(m, ASH_INT32, (ash_shape){0}, &x);
}

/* x where `found`, else 0. */
static uint32_t only(maker *m, uint32_t found, uint32_t x) {
  const ash_type type = tensor(m, x)->type;
  const uint32_t in[] = {found, x,
                         type == ASH_INT32 ? whole(m, 0) : real(m, 0)};
  return map(m, ASH_FN_select, in, 3, type);
}

static uint32_t reshaped(maker *m, uint32_t x, ash_shape shape) {
  return make(m,
              (ash_op){.kind = ASH_OP_reshape, .inputs = &x, .input_count = 1},
              tensor(m, x)->type, ASH_NONE, &shape);
}

/* Elements from .. from + count of the last axis, of rows of `row`. */
static uint32_t columns(maker *m, uint32_t x, int32_t rows, int32_t row,
                        int32_t from, int32_t count) {
  int64_t dim[] = {rows, count}, step[] = {row, 1};
  ash_attr attrs[] = {ASH_INTS_ATTR("dim", dim, 2),
                      ASH_INTS_ATTR("step", step, 2),
                      ASH_INT_ATTR("offset", from)};
  return make(m,
              (ash_op){.kind = ASH_OP_strided,
                       .inputs = &x,
                       .input_count = 1,
                       .attrs = attrs,
                       .attr_count = 3},
              tensor(m, x)->type, ASH_NONE, NULL);
}

static uint32_t gathered(maker *m, uint32_t x, uint32_t at) {
  uint32_t in[] = {x, at};
  return make(m,
              (ash_op){.kind = ASH_OP_gather, .inputs = in, .input_count = 2},
              tensor(m, x)->type, ASH_NONE, NULL);
}

/* Zeros behind an axis, up to `size`. */
static uint32_t filled(maker *m, uint32_t x, uint32_t axis, int32_t size) {
  const ash_shape s = *shape_of(m, x);
  int64_t before[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX] = {0};
  after[axis] = size - s.dim[axis];
  if (after[axis] == 0)
    return x;
  uint32_t in[] = {x,
                   tensor(m, x)->type == ASH_INT32 ? whole(m, 0) : real(m, 0)};
  ash_attr attrs[] = {ASH_INTS_ATTR("before", before, s.rank),
                      ASH_INTS_ATTR("after", after, s.rank)};
  return make(m,
              (ash_op){.kind = ASH_OP_pad,
                       .inputs = in,
                       .input_count = 2,
                       .attrs = attrs,
                       .attr_count = 2},
              tensor(m, x)->type, ASH_NONE, NULL);
}

static uint32_t summed(maker *m, uint32_t x) {
  int64_t axis = 0;
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", ash_fold_text(ASH_FOLD_SUM)),
                      ASH_INTS_ATTR("axes", &axis, 1)};
  return make(m,
              (ash_op){.kind = ASH_OP_reduce,
                       .inputs = &x,
                       .input_count = 1,
                       .attrs = attrs,
                       .attr_count = 2},
              tensor(m, x)->type, ASH_NONE, NULL);
}

static uint32_t cast(maker *m, uint32_t x, ash_type type) {
  return map(m, ASH_FN_cast, &x, 1, type);
}

/* Result x becomes output k of the file's operator, in this shape. */
static void give(maker *m, uint32_t k, uint32_t x, ash_shape shape) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  if (m->status != ASH_OK || k >= op->output_count)
    return;
  uint32_t to = m->r->uses[op->outputs[k]].graph, ignored;
  const uint32_t from = reshaped(m, x, shape);
  if (m->status == ASH_OK && tensor(m, to)->type != tensor(m, from)->type)
    m->status = refuse(m, "an output has another type than the operator makes");
  if (m->status != ASH_OK)
    return;
  set_shape(m, to, &shape);
  const ash_op copy = {
      .kind = ASH_OP_reshape,
      .source_index = m->op,
      .id = ash_zone_format(&m->r->ctx->scratch, "reshape_%s%u_%u",
                            m->r->prefix ? m->r->prefix : "", (unsigned)m->op,
                            (unsigned)m->steps++),
      .inputs = (uint32_t *)(uintptr_t)&from,
      .input_count = 1,
      .outputs = &to,
      .output_count = 1};
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->r->ctx, &m->r->ctx->scratch);
  if (m->status == ASH_OK)
    m->status = ash_graph_add_op(m->r->g, &ignored, copy);
}

/* Input k of the file's operator; quantised values as the numbers they mean. */
static uint32_t input(maker *m, uint32_t k) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  if (m->status == ASH_OK &&
      (k >= op->input_count || op->inputs[k] == ASH_NO_ID))
    m->status = refuse(m, "an input is absent");
  if (m->status != ASH_OK)
    return ASH_NO_ID;
  uint32_t id = m->r->uses[op->inputs[k]].graph;
  const ash_type type = tensor(m, id)->type;
  if (type != ASH_INT8 && type != ASH_UINT8)
    return id;
  return make(
      m, (ash_op){.kind = ASH_OP_dequantize, .inputs = &id, .input_count = 1},
      ASH_FLOAT32, ASH_NONE, NULL);
}

/* The only number of a constant input. */
static double number(maker *m, uint32_t k) {
  const ash_tensor *t = tensor(m, input(m, k));
  if (m->status == ASH_OK && (!t->data || ash_shape_elements(&t->shape) != 1))
    m->status = refuse(m, "a limit or threshold is no constant");
  if (m->status != ASH_OK)
    return 0;
  return t->type == ASH_FLOAT32 ? (double)ash_tensor_float(t, 0)
                                : (double)ash_tensor_int(t, 0);
}

/* ---- choices ------------------------------------------------------------- */

typedef struct choice {
  int32_t k;
  float iou, least, sigma; /* strictly above */
  uint32_t places, scores; /* results */
} choice;

/* boxes [1, n, 4], scores [1, classes, n]. */
static void choose(maker *m, choice *c, uint32_t boxes, uint32_t scores) {
  uint32_t in[] = {boxes, scores};
  ash_attr attrs[] = {ASH_INT_ATTR("k", c->k), ASH_FLOAT_ATTR("iou", c->iou),
                      ASH_FLOAT_ATTR("least", c->least),
                      ASH_FLOAT_ATTR("sigma", c->sigma)};
  c->places = make(m,
                   (ash_op){.kind = ASH_OP_non_max_suppression,
                            .inputs = in,
                            .input_count = 2,
                            .attrs = attrs,
                            .attr_count = 4},
                   ASH_INT32, ASH_FLOAT32, NULL);
  c->scores = c->places + 1;
}

static float before(double x) {
  return nextafterf((float)x, -INFINITY);
}

static uint32_t is_found(maker *m, uint32_t places) {
  return pair(m, ASH_FN_greater_equal, places, whole(m, 0));
}

/* Boxes, scores, the most results, two thresholds, of V5 also sigma. */
static void add_suppression(maker *m, bool soft) {
  const uint32_t boxes = input(m, 0), scores = input(m, 1);
  const ash_shape s = *shape_of(m, boxes);
  const double most = number(m, 2);
  if (m->status == ASH_OK && (s.rank != 2 || !(most >= 1) || most > INT32_MAX ||
                              tensor(m, boxes)->type != ASH_FLOAT32))
    m->status = refuse(m, "boxes need two axes and float32, and the number of "
                          "results must be at least 1");
  if (m->status != ASH_OK)
    return;
  const int32_t n = s.dim[0], size = (int32_t)most;
  choice c = {.k = size < n ? size : n,
              .iou = before(number(m, 3)),
              .least = (float)fmax(number(m, 4), -(double)FLT_MAX),
              .sigma = soft ? (float)number(m, 5) : 0};
  choose(m, &c, reshaped(m, boxes, (ash_shape){3, {1, n, s.dim[1]}}),
         reshaped(m, scores, (ash_shape){3, {1, 1, n}}));
  const uint32_t at = reshaped(m, c.places, (ash_shape){1, {c.k}});
  const uint32_t found = is_found(m, at);
  give(m, 0, filled(m, only(m, found, at), 0, size), (ash_shape){1, {size}});
  if (soft)
    give(m, 1, filled(m, reshaped(m, c.scores, (ash_shape){1, {c.k}}), 0, size),
         (ash_shape){1, {size}});
  give(m, soft ? 2 : 1, summed(m, cast(m, found, ASH_INT32)), (ash_shape){0});
}

/* ---- TFLite_Detection_PostProcess ---------------------------------------- */

typedef struct detector {
  ash_flex options;
  int32_t anchors, classes, labels; /* labels: of all columns, the last */
  int32_t detections, each; /* results, and classes for each in the fast form */
  uint32_t boxes, scores;   /* [anchors, 4], [anchors, labels] */
} detector;

static double option(const detector *d, const char *name) {
  return ash_flex_number(&d->options, name, 0);
}

/* Centres and sizes, relative to anchors, as two corners. */
static uint32_t decoded(maker *m, const detector *d, uint32_t codes,
                        uint32_t anchors) {
  const int32_t row = shape_of(m, codes)->dim[2], n = d->anchors;
  const float near_by[] = {(float)option(d, "y_scale"),
                           (float)option(d, "x_scale")};
  const float size[] = {(float)option(d, "h_scale"),
                        (float)option(d, "w_scale")};
  const ash_shape two = {1, {2}};
  const uint32_t at = columns(m, anchors, n, 4, 0, 2);
  const uint32_t extent = columns(m, anchors, n, 4, 2, 2);
  const uint32_t place = pair(m, ASH_FN_div, columns(m, codes, n, row, 0, 2),
                              constant(m, ASH_FLOAT32, two, near_by));
  const uint32_t centre =
      pair(m, ASH_FN_add, pair(m, ASH_FN_mul, place, extent), at);
  const uint32_t power = pair(m, ASH_FN_div, columns(m, codes, n, row, 2, 2),
                              constant(m, ASH_FLOAT32, two, size));
  const uint32_t half =
      pair(m, ASH_FN_mul,
           pair(m, ASH_FN_mul, map(m, ASH_FN_exp, &power, 1, ASH_FLOAT32),
                real(m, 0.5f)),
           extent);
  uint32_t corners[] = {pair(m, ASH_FN_sub, centre, half),
                        pair(m, ASH_FN_add, centre, half)};
  ash_attr axis = ASH_INT_ATTR("axis", 1);
  return make(m,
              (ash_op){.kind = ASH_OP_concatenation,
                       .inputs = corners,
                       .input_count = 2,
                       .attrs = &axis,
                       .attr_count = 1},
              ASH_FLOAT32, ASH_NONE, NULL);
}

static void open_detector(maker *m, detector *d) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  const ash_fb_vector blob = ash_fb_blob(&op->table, CUSTOM_OPTIONS);
  *d = (detector){.options = {m->r->bytes + blob.at, blob.count}};
  const uint32_t codes = input(m, 0), scores = input(m, 1);
  const uint32_t anchors = input(m, 2);
  const ash_shape c = *shape_of(m, codes), s = *shape_of(m, scores);
  d->anchors = c.dim[1];
  d->classes = s.dim[2];
  d->labels = (int32_t)option(d, "num_classes");
  d->detections = (int32_t)option(d, "max_detections");
  d->each = (int32_t)option(d, "max_classes_per_detection");
  if (m->status == ASH_OK &&
      (c.rank != 3 || s.rank != 3 || c.dim[0] != 1 || s.dim[0] != 1 ||
       c.dim[2] < 4 || s.dim[1] != d->anchors ||
       ash_shape_elements(shape_of(m, anchors)) != 4 * (uint64_t)d->anchors))
    m->status = refuse(m, "boxes, scores and anchors do not go together");
  if (m->status == ASH_OK &&
      (d->labels < 1 || d->labels > d->classes || d->detections < 1 ||
       d->each < 1 || d->detections > 65535 || d->each > 65535 ||
       op->output_count != 4 || !(option(d, "y_scale") > 0) ||
       !(option(d, "x_scale") > 0) || !(option(d, "h_scale") > 0) ||
       !(option(d, "w_scale") > 0)))
    m->status = refuse(m, "the options do not say how many classes and results "
                          "there are, or how boxes are scaled");
  if (m->status != ASH_OK)
    return;
  d->boxes = decoded(m, d, codes, anchors);
  d->scores = columns(m, scores, d->anchors, d->classes, d->classes - d->labels,
                      d->labels);
}

/* The largest `k` of each row; their places are the next tensor. */
static uint32_t best(maker *m, uint32_t x, uint32_t axis, int32_t k) {
  ash_attr attrs[] = {ASH_INT_ATTR("axis", axis), ASH_INT_ATTR("k", k)};
  return make(m,
              (ash_op){.kind = ASH_OP_top_k,
                       .inputs = &x,
                       .input_count = 1,
                       .attrs = attrs,
                       .attr_count = 2},
              tensor(m, x)->type, ASH_INT32, NULL);
}

/* `rows` results of `each` classes: boxes, classes, scores, and how many. */
static void give_all(maker *m, const detector *d, uint32_t at, uint32_t found,
                     uint32_t classes, uint32_t scores, int32_t each) {
  const int32_t rows = shape_of(m, at)->dim[0];
  const int32_t size = d->detections * d->each, n = rows * each;
  const uint32_t flags = reshaped(m, found, (ash_shape){3, {rows, 1, 1}});
  const uint32_t flag = reshaped(m, found, (ash_shape){2, {rows, 1}});
  const uint32_t box =
      reshaped(m, gathered(m, d->boxes, at), (ash_shape){3, {rows, 1, 4}});
  const uint32_t room =
      constant(m, ASH_FLOAT32, (ash_shape){3, {1, each, 4}}, NULL);
  const uint32_t boxes =
      reshaped(m, only(m, flags, pair(m, ASH_FN_add, box, room)),
               (ash_shape){2, {n, 4}});
  const uint32_t kinds = reshaped(
      m, only(m, flag, cast(m, classes, ASH_FLOAT32)), (ash_shape){1, {n}});
  const uint32_t values =
      reshaped(m, only(m, flag, scores), (ash_shape){1, {n}});
  const uint32_t count = summed(m, cast(m, found, ASH_FLOAT32));
  give(m, 0, filled(m, boxes, 0, size), (ash_shape){3, {1, size, 4}});
  give(m, 1, filled(m, kinds, 0, size), (ash_shape){2, {1, size}});
  give(m, 2, filled(m, values, 0, size), (ash_shape){2, {1, size}});
  give(m, 3, count, (ash_shape){1, {1}});
}

/* One choice, by the best class of each box. */
static void add_fast(maker *m, const detector *d, choice *c) {
  const int32_t each = d->each < d->labels ? d->each : d->labels;
  const int32_t n = d->anchors;
  const uint32_t values = best(m, d->scores, 1, each), kinds = values + 1;
  c->k = d->detections < n ? d->detections : n;
  choose(m, c, reshaped(m, d->boxes, (ash_shape){3, {1, n, 4}}),
         reshaped(m, columns(m, values, n, each, 0, 1),
                  (ash_shape){3, {1, 1, n}}));
  const uint32_t at = reshaped(m, c->places, (ash_shape){1, {c->k}});
  const uint32_t found = is_found(m, at);
  const uint32_t safe = pair(m, ASH_FN_maximum, at, whole(m, 0));
  give_all(m, d, safe, found, filled(m, gathered(m, kinds, safe), 1, d->each),
           filled(m, gathered(m, values, safe), 1, d->each), d->each);
}

/* A choice for each class, then the best of all. */
static void add_regular(maker *m, const detector *d, choice *c) {
  const double given =
      ash_flex_number(&d->options, "detections_per_class", 100);
  const int32_t n = d->anchors;
  int64_t dim[] = {1, d->labels, n}, step[] = {0, 1, d->labels};
  ash_attr attrs[] = {ASH_INTS_ATTR("dim", dim, 3),
                      ASH_INTS_ATTR("step", step, 3)};
  uint32_t scores = d->scores;
  const uint32_t by_class = make(m,
                                 (ash_op){.kind = ASH_OP_strided,
                                          .inputs = &scores,
                                          .input_count = 1,
                                          .attrs = attrs,
                                          .attr_count = 2},
                                 ASH_FLOAT32, ASH_NONE, NULL);
  c->k = given < d->detections ? (int32_t)given : d->detections;
  c->k = c->k < n ? c->k : n;
  choose(m, c, reshaped(m, d->boxes, (ash_shape){3, {1, n, 4}}), by_class);
  const int32_t all = d->labels * c->k;
  const uint32_t places = reshaped(m, c->places, (ash_shape){1, {all}});
  const uint32_t flat = reshaped(m, c->scores, (ash_shape){1, {all}});
  const uint32_t in[] = {is_found(m, places), flat, real(m, -FLT_MAX)};
  const uint32_t ranked = map(m, ASH_FN_select, in, 3, ASH_FLOAT32);
  const int32_t rows = d->detections < all ? d->detections : all;
  const uint32_t values = best(m, ranked, 0, rows), order = values + 1;
  const uint32_t at = gathered(m, places, order);
  const uint32_t found = is_found(m, at);
  const uint32_t kinds = pair(m, ASH_FN_div, order, whole(m, c->k));
  give_all(m, d, pair(m, ASH_FN_maximum, at, whole(m, 0)), found,
           reshaped(m, kinds, (ash_shape){2, {rows, 1}}),
           reshaped(m, values, (ash_shape){2, {rows, 1}}), 1);
}

static void add_post_process(maker *m) {
  detector d;
  open_detector(m, &d);
  if (m->status != ASH_OK)
    return;
  choice c = {.iou = (float)option(&d, "nms_iou_threshold"),
              .least = before(option(&d, "nms_score_threshold"))};
  if (option(&d, "use_regular_nms") != 0)
    add_regular(m, &d, &c);
  else
    add_fast(m, &d, &c);
}

/* ---- SCATTER_ND ---------------------------------------------------------- */

/* Indices, updates and the shape: added up, from zeros. */
static void add_scatter(maker *m) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  uint32_t at =
      op->input_count == 3 ? m->r->uses[op->inputs[0]].graph : ASH_NO_ID;
  const uint32_t updates = input(m, 1);
  const ash_tensor *list = tensor(m, input(m, 2));
  ash_shape shape = {.rank = (uint32_t)ash_shape_elements(&list->shape)};
  if (m->status == ASH_OK && (!list->data || shape.rank > ASH_RANK_MAX))
    m->status = refuse(m, "the shape of the result is no constant");
  for (uint32_t i = 0; m->status == ASH_OK && i < shape.rank; i++) {
    const int64_t n = ash_tensor_int(list, i);
    if (n < 1 || n > INT32_MAX)
      m->status = refuse(m, "the shape of the result is impossible");
    shape.dim[i] = (int32_t)n;
  }
  const ash_type type = tensor(m, updates)->type;
  uint32_t in[] = {constant(m, type, shape, NULL), at, updates};
  ash_attr fn = ASH_STRING_ATTR("fn", "add");
  give(m, 0,
       make(m,
            (ash_op){.kind = ASH_OP_scatter_nd,
                     .inputs = in,
                     .input_count = 3,
                     .attrs = &fn,
                     .attr_count = 1},
            type, ASH_NONE, NULL),
       shape);
}

ash_status ash_tflite_add_detection(ash_tflite *r, uint32_t op) {
  const ash_tflite_code *code = r->ops[op].code;
  const ash_mark mark = ash_zone_mark(&r->ctx->scratch);
  const size_t first = r->g->op_count;
  maker m = {.r = r, .op = op};
  ash_tflite_spread_loose(r, op);
  if (is_post_process(code))
    add_post_process(&m);
  else if (code->builtin == SCATTER_ND)
    add_scatter(&m);
  else
    add_suppression(&m, code->builtin == SUPPRESSION_V5);
  if (m.status == ASH_OK) /* anchors, as numbers and column by column */
    m.status = ash_tflite_fold(r, first, FOLDED_MAX);
  ash_zone_rewind(&r->ctx->scratch, mark);
  return m.status;
}

/* tflite_detect.c - operators behind a detector, taken apart into operators of
 * the graph: the choice of boxes (NON_MAX_SUPPRESSION_V4 and V5), SCATTER_ND,
 * and TFLite_Detection_PostProcess, which decodes boxes and chooses. */
#include "read/tflite/tflite_detect.h"

#include "read/tflite/tflite_make.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CUSTOM_OPTIONS = 5 };

/* x where `found`, else 0. */
static uint32_t only(ash_tx *m, uint32_t found, uint32_t x) {
  const ash_type type = ash_tx_tensor(m, x)->type;
  const uint32_t in[] = {
      found, x, type == ASH_INT32 ? ash_tx_whole(m, 0) : ash_tx_real(m, 0)};
  return ash_tx_map(m, ASH_FN_select, in, 3, type);
}

/* Zeros behind an axis, up to `size`. */
static uint32_t filled(ash_tx *m, uint32_t x, uint32_t axis, int32_t size) {
  const ash_shape s = *ash_tx_shape(m, x);
  int64_t before[ASH_RANK_MAX] = {0}, after[ASH_RANK_MAX] = {0};
  after[axis] = size - s.dim[axis];
  if (after[axis] == 0)
    return x;
  uint32_t in[] = {x, ash_tx_tensor(m, x)->type == ASH_INT32
                          ? ash_tx_whole(m, 0)
                          : ash_tx_real(m, 0)};
  ash_attr attrs[] = {ASH_INTS_ATTR("before", before, s.rank),
                      ASH_INTS_ATTR("after", after, s.rank)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_pad,
                              .inputs = in,
                              .input_count = 2,
                              .attrs = attrs,
                              .attr_count = 2},
                     ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

static uint32_t summed(ash_tx *m, uint32_t x) {
  int64_t axis = 0;
  ash_attr attrs[] = {ASH_STRING_ATTR("fn", ash_fold_text(ASH_FOLD_SUM)),
                      ASH_INTS_ATTR("axes", &axis, 1)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_reduce,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = 2},
                     ash_tx_tensor(m, x)->type, ASH_NONE, NULL);
}

/* The only number of a constant input. */
static double number(ash_tx *m, uint32_t k) {
  const ash_tensor *t = ash_tx_tensor(m, ash_tx_input(m, k));
  if (m->status == ASH_OK && (!t->data || ash_shape_elements(&t->shape) != 1))
    m->status = ash_tx_refuse(m, "a limit or threshold is no constant");
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
static void choose(ash_tx *m, choice *c, uint32_t boxes, uint32_t scores) {
  uint32_t in[] = {boxes, scores};
  ash_attr attrs[] = {ASH_INT_ATTR("k", c->k), ASH_FLOAT_ATTR("iou", c->iou),
                      ASH_FLOAT_ATTR("least", c->least),
                      ASH_FLOAT_ATTR("sigma", c->sigma)};
  c->places = ash_tx_make(m,
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

static uint32_t is_found(ash_tx *m, uint32_t places) {
  return ash_tx_pair(m, ASH_FN_greater_equal, places, ash_tx_whole(m, 0));
}

/* Boxes, scores, the most results, two thresholds, of V5 also sigma. */
static void add_suppression(ash_tx *m, bool soft) {
  const uint32_t boxes = ash_tx_input(m, 0), scores = ash_tx_input(m, 1);
  const ash_shape s = *ash_tx_shape(m, boxes);
  const double most = number(m, 2);
  if (m->status == ASH_OK && (s.rank != 2 || !(most >= 1) || most > INT32_MAX ||
                              ash_tx_tensor(m, boxes)->type != ASH_FLOAT32))
    m->status =
        ash_tx_refuse(m, "boxes need two axes and float32, and the number of "
                         "results must be at least 1");
  if (m->status != ASH_OK)
    return;
  const int32_t n = s.dim[0], size = (int32_t)most;
  choice c = {.k = size < n ? size : n,
              .iou = before(number(m, 3)),
              .least = (float)fmax(number(m, 4), -(double)FLT_MAX),
              .sigma = soft ? (float)number(m, 5) : 0};
  choose(m, &c, ash_tx_reshape(m, boxes, (ash_shape){3, {1, n, s.dim[1]}}),
         ash_tx_reshape(m, scores, (ash_shape){3, {1, 1, n}}));
  const uint32_t at = ash_tx_reshape(m, c.places, (ash_shape){1, {c.k}});
  const uint32_t found = is_found(m, at);
  ash_tx_give(m, 0, filled(m, only(m, found, at), 0, size),
              (ash_shape){1, {size}});
  if (soft)
    ash_tx_give(
        m, 1,
        filled(m, ash_tx_reshape(m, c.scores, (ash_shape){1, {c.k}}), 0, size),
        (ash_shape){1, {size}});
  ash_tx_give(m, soft ? 2 : 1, summed(m, ash_tx_cast(m, found, ASH_INT32)),
              (ash_shape){0});
}

void ash_tflite_suppression(ash_tx *m) {
  add_suppression(m, false);
}

void ash_tflite_soft_suppression(ash_tx *m) {
  add_suppression(m, true);
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
static uint32_t decoded(ash_tx *m, const detector *d, uint32_t codes,
                        uint32_t anchors) {
  const int32_t row = ash_tx_shape(m, codes)->dim[2], n = d->anchors;
  const float near_by[] = {(float)option(d, "y_scale"),
                           (float)option(d, "x_scale")};
  const float size[] = {(float)option(d, "h_scale"),
                        (float)option(d, "w_scale")};
  const ash_shape two = {1, {2}};
  const uint32_t at = ash_tx_columns(m, anchors, n, 4, 0, 2);
  const uint32_t extent = ash_tx_columns(m, anchors, n, 4, 2, 2);
  const uint32_t place =
      ash_tx_pair(m, ASH_FN_div, ash_tx_columns(m, codes, n, row, 0, 2),
                  ash_tx_constant(m, ASH_FLOAT32, two, near_by));
  const uint32_t centre =
      ash_tx_pair(m, ASH_FN_add, ash_tx_pair(m, ASH_FN_mul, place, extent), at);
  const uint32_t power =
      ash_tx_pair(m, ASH_FN_div, ash_tx_columns(m, codes, n, row, 2, 2),
                  ash_tx_constant(m, ASH_FLOAT32, two, size));
  const uint32_t half =
      ash_tx_pair(m, ASH_FN_mul,
                  ash_tx_pair(m, ASH_FN_mul,
                              ash_tx_map(m, ASH_FN_exp, &power, 1, ASH_FLOAT32),
                              ash_tx_real(m, 0.5f)),
                  extent);
  uint32_t corners[] = {ash_tx_pair(m, ASH_FN_sub, centre, half),
                        ash_tx_pair(m, ASH_FN_add, centre, half)};
  ash_attr axis = ASH_INT_ATTR("axis", 1);
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_concatenation,
                              .inputs = corners,
                              .input_count = 2,
                              .attrs = &axis,
                              .attr_count = 1},
                     ASH_FLOAT32, ASH_NONE, NULL);
}

static void open_detector(ash_tx *m, detector *d) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  const ash_fb_vector blob = ash_fb_blob(&op->table, CUSTOM_OPTIONS);
  *d = (detector){.options = {m->r->bytes + blob.at, blob.count}};
  const uint32_t codes = ash_tx_input(m, 0), scores = ash_tx_input(m, 1);
  const uint32_t anchors = ash_tx_input(m, 2);
  const ash_shape c = *ash_tx_shape(m, codes), s = *ash_tx_shape(m, scores);
  d->anchors = c.dim[1];
  d->classes = s.dim[2];
  d->labels = (int32_t)option(d, "num_classes");
  d->detections = (int32_t)option(d, "max_detections");
  d->each = (int32_t)option(d, "max_classes_per_detection");
  if (m->status == ASH_OK &&
      (c.rank != 3 || s.rank != 3 || c.dim[0] != 1 || s.dim[0] != 1 ||
       c.dim[2] < 4 || s.dim[1] != d->anchors ||
       ash_shape_elements(ash_tx_shape(m, anchors)) !=
           4 * (uint64_t)d->anchors))
    m->status =
        ash_tx_refuse(m, "boxes, scores and anchors do not go together");
  if (m->status == ASH_OK &&
      (d->labels < 1 || d->labels > d->classes || d->detections < 1 ||
       d->each < 1 || d->detections > 65535 || d->each > 65535 ||
       op->output_count != 4 || !(option(d, "y_scale") > 0) ||
       !(option(d, "x_scale") > 0) || !(option(d, "h_scale") > 0) ||
       !(option(d, "w_scale") > 0)))
    m->status =
        ash_tx_refuse(m, "the options do not say how many classes and results "
                         "there are, or how boxes are scaled");
  if (m->status != ASH_OK)
    return;
  d->boxes = decoded(m, d, codes, anchors);
  d->scores = ash_tx_columns(m, scores, d->anchors, d->classes,
                             d->classes - d->labels, d->labels);
}

/* The largest `k` of each row; their places are the next tensor. */
static uint32_t best(ash_tx *m, uint32_t x, uint32_t axis, int32_t k) {
  ash_attr attrs[] = {ASH_INT_ATTR("axis", axis), ASH_INT_ATTR("k", k)};
  return ash_tx_make(m,
                     (ash_op){.kind = ASH_OP_top_k,
                              .inputs = &x,
                              .input_count = 1,
                              .attrs = attrs,
                              .attr_count = 2},
                     ash_tx_tensor(m, x)->type, ASH_INT32, NULL);
}

/* `rows` results of `each` classes: boxes, classes, scores, and how many. */
static void give_all(ash_tx *m, const detector *d, uint32_t at, uint32_t found,
                     uint32_t classes, uint32_t scores, int32_t each) {
  const int32_t rows = ash_tx_shape(m, at)->dim[0];
  const int32_t size = d->detections * d->each, n = rows * each;
  const uint32_t flags = ash_tx_reshape(m, found, (ash_shape){3, {rows, 1, 1}});
  const uint32_t flag = ash_tx_reshape(m, found, (ash_shape){2, {rows, 1}});
  const uint32_t box = ash_tx_reshape(m, ash_tx_gather(m, d->boxes, at),
                                      (ash_shape){3, {rows, 1, 4}});
  const uint32_t room =
      ash_tx_constant(m, ASH_FLOAT32, (ash_shape){3, {1, each, 4}}, NULL);
  const uint32_t boxes =
      ash_tx_reshape(m, only(m, flags, ash_tx_pair(m, ASH_FN_add, box, room)),
                     (ash_shape){2, {n, 4}});
  const uint32_t kinds =
      ash_tx_reshape(m, only(m, flag, ash_tx_cast(m, classes, ASH_FLOAT32)),
                     (ash_shape){1, {n}});
  const uint32_t values =
      ash_tx_reshape(m, only(m, flag, scores), (ash_shape){1, {n}});
  const uint32_t count = summed(m, ash_tx_cast(m, found, ASH_FLOAT32));
  ash_tx_give(m, 0, filled(m, boxes, 0, size), (ash_shape){3, {1, size, 4}});
  ash_tx_give(m, 1, filled(m, kinds, 0, size), (ash_shape){2, {1, size}});
  ash_tx_give(m, 2, filled(m, values, 0, size), (ash_shape){2, {1, size}});
  ash_tx_give(m, 3, count, (ash_shape){1, {1}});
}

/* One choice, by the best class of each box. */
static void add_fast(ash_tx *m, const detector *d, choice *c) {
  const int32_t each = d->each < d->labels ? d->each : d->labels;
  const int32_t n = d->anchors;
  const uint32_t values = best(m, d->scores, 1, each), kinds = values + 1;
  c->k = d->detections < n ? d->detections : n;
  choose(m, c, ash_tx_reshape(m, d->boxes, (ash_shape){3, {1, n, 4}}),
         ash_tx_reshape(m, ash_tx_columns(m, values, n, each, 0, 1),
                        (ash_shape){3, {1, 1, n}}));
  const uint32_t at = ash_tx_reshape(m, c->places, (ash_shape){1, {c->k}});
  const uint32_t found = is_found(m, at);
  const uint32_t safe = ash_tx_pair(m, ASH_FN_maximum, at, ash_tx_whole(m, 0));
  give_all(m, d, safe, found,
           filled(m, ash_tx_gather(m, kinds, safe), 1, d->each),
           filled(m, ash_tx_gather(m, values, safe), 1, d->each), d->each);
}

/* A choice for each class, then the best of all. */
static void add_regular(ash_tx *m, const detector *d, choice *c) {
  const double given =
      ash_flex_number(&d->options, "detections_per_class", 100);
  const int32_t n = d->anchors;
  int64_t dim[] = {1, d->labels, n}, step[] = {0, 1, d->labels};
  ash_attr attrs[] = {ASH_INTS_ATTR("dim", dim, 3),
                      ASH_INTS_ATTR("step", step, 3)};
  uint32_t scores = d->scores;
  const uint32_t by_class = ash_tx_make(m,
                                        (ash_op){.kind = ASH_OP_strided,
                                                 .inputs = &scores,
                                                 .input_count = 1,
                                                 .attrs = attrs,
                                                 .attr_count = 2},
                                        ASH_FLOAT32, ASH_NONE, NULL);
  c->k = given < d->detections ? (int32_t)given : d->detections;
  c->k = c->k < n ? c->k : n;
  choose(m, c, ash_tx_reshape(m, d->boxes, (ash_shape){3, {1, n, 4}}),
         by_class);
  const int32_t all = d->labels * c->k;
  const uint32_t places = ash_tx_reshape(m, c->places, (ash_shape){1, {all}});
  const uint32_t flat = ash_tx_reshape(m, c->scores, (ash_shape){1, {all}});
  const uint32_t in[] = {is_found(m, places), flat, ash_tx_real(m, -FLT_MAX)};
  const uint32_t ranked = ash_tx_map(m, ASH_FN_select, in, 3, ASH_FLOAT32);
  const int32_t rows = d->detections < all ? d->detections : all;
  const uint32_t values = best(m, ranked, 0, rows), order = values + 1;
  const uint32_t at = ash_tx_gather(m, places, order);
  const uint32_t found = is_found(m, at);
  const uint32_t kinds =
      ash_tx_pair(m, ASH_FN_div, order, ash_tx_whole(m, c->k));
  give_all(m, d, ash_tx_pair(m, ASH_FN_maximum, at, ash_tx_whole(m, 0)), found,
           ash_tx_reshape(m, kinds, (ash_shape){2, {rows, 1}}),
           ash_tx_reshape(m, values, (ash_shape){2, {rows, 1}}), 1);
}

void ash_tflite_post_process(ash_tx *m) {
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

/* ---- PosenetDecoderOp ---------------------------------------------------- */

/* Offsets in pixels of the maps instead of those of the image. */
static uint32_t in_pixels(ash_tx *m, uint32_t k, double stride) {
  return ash_tx_pair(m, ASH_FN_mul, ash_tx_input(m, k),
                     ash_tx_real(m, (float)(1.0 / stride)));
}

/* Keypoints in pixels of the image, their scores, the people's, how many. */
static void give_poses(ash_tx *m, uint32_t poses, int32_t k, double stride) {
  const uint32_t found =
      ash_tx_pair(m, ASH_FN_greater_equal, poses + 1, ash_tx_real(m, 0));
  const uint32_t places =
      ash_tx_pair(m, ASH_FN_mul, ash_tx_columns(m, poses, 17 * k, 3, 0, 2),
                  ash_tx_real(m, (float)stride));
  ash_tx_give(m, 0, places, (ash_shape){4, {1, k, 17, 2}});
  ash_tx_give(m, 1, ash_tx_columns(m, poses, 17 * k, 3, 2, 1),
              (ash_shape){3, {1, k, 17}});
  ash_tx_give(m, 2, only(m, found, poses + 1), (ash_shape){2, {1, k}});
  ash_tx_give(m, 3, summed(m, ash_tx_cast(m, found, ASH_FLOAT32)),
              (ash_shape){1, {1}});
}

/* Whose each pixel is, by the offsets of a fourth map. */
static void give_masks(ash_tx *m, uint32_t poses, uint32_t offsets) {
  uint32_t in[] = {poses, poses + 1, offsets};
  const ash_shape s = *ash_tx_shape(m, offsets);
  const int32_t k = ash_tx_shape(m, poses)->dim[0];
  const uint32_t masks = ash_tx_make(
      m, (ash_op){.kind = ASH_OP_pose_masks, .inputs = in, .input_count = 3},
      ASH_FLOAT32, ASH_NONE, NULL);
  ash_tx_give(m, 4, masks, (ash_shape){4, {1, k, s.dim[1], s.dim[2]}});
}

/* Maps of joints, offsets and bones; the score threshold becomes log odds. */
void ash_tflite_decode_poses(ash_tx *m) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  const ash_fb_vector blob = ash_fb_blob(&op->table, CUSTOM_OPTIONS);
  const ash_flex options = {m->r->bytes + blob.at, blob.count};
  const double most = ash_flex_number(&options, "max_detections", 0);
  const double stride = ash_flex_number(&options, "stride", 0);
  const float least = (float)ash_flex_number(&options, "score_threshold", 0);
  const float radius = (float)ash_flex_number(&options, "nms_radius", 0);
  const bool masks = op->input_count == 4 && op->output_count == 5;
  if ((!masks && (op->input_count != 3 || op->output_count != 4)) ||
      !(most >= 1) || most > 65535 || !(stride >= 1) || stride > 65535 ||
      !(least >= 0) || !(least < 1) || !(radius >= 0)) {
    m->status = ash_tx_refuse(m, "the options do not say how many poses there "
                                 "are, or how maps are scaled");
    return;
  }
  uint32_t in[] = {ash_tx_input(m, 0), in_pixels(m, 1, stride),
                   in_pixels(m, 2, stride)};
  ash_attr attrs[] = {
      ASH_INT_ATTR("k", (int64_t)most), ASH_FLOAT_ATTR("least", least),
      ASH_FLOAT_ATTR("logit", (float)-log(1.0 / ((double)least + 1e-6) - 1.0)),
      ASH_FLOAT_ATTR("radius", radius / (float)stride)};
  const uint32_t poses = ash_tx_make(m,
                                     (ash_op){.kind = ASH_OP_decode_poses,
                                              .inputs = in,
                                              .input_count = 3,
                                              .attrs = attrs,
                                              .attr_count = 4},
                                     ASH_FLOAT32, ASH_FLOAT32, NULL);
  give_poses(m, poses, (int32_t)most, stride);
  if (masks)
    give_masks(m, poses, in_pixels(m, 3, stride));
}

/* ---- SCATTER_ND ---------------------------------------------------------- */

/* Indices, updates and the shape: added up, from zeros. */
void ash_tflite_scatter_nd(ash_tx *m) {
  const ash_tflite_op *op = &m->r->ops[m->op];
  uint32_t at =
      op->input_count == 3 ? m->r->uses[op->inputs[0]].graph : ASH_NO_ID;
  const uint32_t updates = ash_tx_input(m, 1);
  const ash_tensor *list = ash_tx_tensor(m, ash_tx_input(m, 2));
  ash_shape shape = {.rank = (uint32_t)ash_shape_elements(&list->shape)};
  if (m->status == ASH_OK && (!list->data || shape.rank > ASH_RANK_MAX))
    m->status = ash_tx_refuse(m, "the shape of the result is no constant");
  for (uint32_t i = 0; m->status == ASH_OK && i < shape.rank; i++) {
    const int64_t n = ash_tensor_int(list, i);
    if (n < 1 || n > INT32_MAX)
      m->status = ash_tx_refuse(m, "the shape of the result is impossible");
    shape.dim[i] = (int32_t)n;
  }
  const ash_type type = ash_tx_tensor(m, updates)->type;
  uint32_t in[] = {ash_tx_constant(m, type, shape, NULL), at, updates};
  ash_attr fn = ASH_STRING_ATTR("fn", "add");
  ash_tx_give(m, 0,
              ash_tx_make(m,
                          (ash_op){.kind = ASH_OP_scatter_nd,
                                   .inputs = in,
                                   .input_count = 3,
                                   .attrs = &fn,
                                   .attr_count = 1},
                          type, ASH_NONE, NULL),
              shape);
}

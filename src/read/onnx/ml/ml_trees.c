/* ml_trees.c - ensembles of decision trees. All trees go down one level at a
 * time: a vector of node numbers, one a tree, is gathered through the tables of
 * features, thresholds and children; leaves lead to themselves. */
#include "read/onnx/ml/ml.h"

#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { LEVELS_MAX = 256 };

/* A node by its tree and its number there. */
typedef struct node_key {
  int64_t tree, node;
  uint32_t index;
} node_key;

typedef int32_t fork[2]; /* nodes: where the branch is not taken, where it is */

typedef struct forest {
  uint32_t count, trees, levels;
  node_key *keys;   /* sorted */
  int32_t *roots;   /* one a tree */
  int32_t *feature; /* one a node */
  float *threshold; /* the branch is taken for values up to it */
  fork *children;   /* one a node */
  bool *missing;    /* is the branch taken for what is not a number? */
  bool any_missing;
  float *weights; /* [count, scores] */
  int32_t scores;
} forest;

static const int64_t *ints_of(ash_ox *m, const char *name, uint32_t count) {
  uint32_t got = 0;
  const int64_t *list = ash_ox_ints(m, name, &got);
  if (m->status == ASH_OK && (!list || got != count)) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "%s: attribute %s has %u numbers, expected %u", m->node->type,
                name, (unsigned)got, (unsigned)count);
    return NULL;
  }
  return list;
}

static const float *floats_of(ash_ox *m, const char *name, uint32_t count) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (m->status == ASH_OK &&
      (!a || a->kind != ASH_ONNX_FLOATS || a->count != count)) {
    ash_ox_fail(m, ASH_MALFORMED, ASH_D_onnx_node,
                "%s: attribute %s has %u numbers, expected %u", m->node->type,
                name, (unsigned)ash_ml_count(m, name), (unsigned)count);
    return NULL;
  }
  return a ? a->floats : NULL;
}

static int compare(const void *a, const void *b, const void *user) {
  const node_key *x = a, *y = b;
  (void)user;
  if (x->tree != y->tree)
    return x->tree < y->tree ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

/* The node with this key, or `count`. */
static uint32_t find(const forest *f, int64_t tree, int64_t node) {
  const node_key wanted = {tree, node, 0};
  uint32_t low = 0, high = f->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (compare(&f->keys[middle], &wanted, NULL) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  const bool hit =
      low < f->count && f->keys[low].tree == tree && f->keys[low].node == node;
  return hit ? f->keys[low].index : f->count;
}

static bool open_forest(ash_ox *m, forest *f, int32_t scores) {
  ash_zone *zone = &m->ctx->scratch;
  *f = (forest){.count = ash_ml_count(m, "nodes_nodeids"), .scores = scores};
  const size_t n = (size_t)f->count + 1;
  if (f->count == 0 || scores < 1 || scores > 65535 ||
      (uint64_t)f->count * (uint64_t)scores > 1u << 28) {
    ash_ox_bad(m, "it has no nodes, no scores, or too many");
    return false;
  }
  f->keys = ASH_NEW_ARRAY(zone, node_key, n);
  node_key *spare = ASH_NEW_ARRAY(zone, node_key, n);
  f->roots = ASH_NEW_ARRAY(zone, int32_t, n);
  f->feature = ASH_NEW_ARRAY(zone, int32_t, n);
  f->threshold = ASH_NEW_ARRAY(zone, float, n);
  f->children = ASH_NEW_ARRAY(zone, fork, n);
  f->missing = ASH_NEW_ARRAY(zone, bool, n);
  f->weights = ASH_NEW_ARRAY(zone, float, n *(size_t)scores);
  m->status = ash_zone_check(m->ctx, zone);
  const int64_t *trees = ints_of(m, "nodes_treeids", f->count);
  const int64_t *nodes = ints_of(m, "nodes_nodeids", f->count);
  if (m->status != ASH_OK)
    return false;
  for (uint32_t i = 0; i < f->count; i++) {
    f->keys[i] = (node_key){trees[i], nodes[i], i};
    if (i == 0 || trees[i] != trees[i - 1])
      f->roots[f->trees++] = (int32_t)i;
  }
  ash_sort(f->keys, spare, f->count, sizeof *f->keys, compare, NULL);
  return true;
}

/* ---- branches ------------------------------------------------------------ */

static bool is_mode(const ash_onnx_attr *modes, uint32_t i, const char *text) {
  const ash_pb_span *s = &modes->strings[i];
  const uint64_t n = ash_pb_bytes(s);
  return n == strlen(text) && memcmp(s->pb->bytes + s->at, text, n) == 0;
}

/* All comparisons become "at most": below t is at most the number before t, and
 * the others are those two with their children swapped. */
static void read_branch(ash_ox *m, forest *f, const ash_onnx_attr *modes,
                        uint32_t i) {
  const bool below = is_mode(modes, i, "BRANCH_LT");
  const bool from = is_mode(modes, i, "BRANCH_GTE");
  const bool above = is_mode(modes, i, "BRANCH_GT");
  if (!below && !from && !above && !is_mode(modes, i, "BRANCH_LEQ")) {
    ash_ox_refuse(m, "a branch on equality");
    return;
  }
  if (below || from)
    f->threshold[i] = nextafterf(f->threshold[i], -INFINITY);
  if (!from && !above)
    return;
  const int32_t no = f->children[i][0];
  f->children[i][0] = f->children[i][1];
  f->children[i][1] = no;
  f->missing[i] = !f->missing[i];
}

static void read_nodes(ash_ox *m, forest *f, int32_t features) {
  const ash_onnx_attr *modes = ash_ox_attr(m, "nodes_modes");
  const int64_t *feature = ints_of(m, "nodes_featureids", f->count);
  const float *value = floats_of(m, "nodes_values", f->count);
  const int64_t *yes = ints_of(m, "nodes_truenodeids", f->count);
  const int64_t *no = ints_of(m, "nodes_falsenodeids", f->count);
  const int64_t *tree = ints_of(m, "nodes_treeids", f->count);
  const char *tracks = "nodes_missing_value_tracks_true";
  const int64_t *track =
      ash_ml_count(m, tracks) ? ints_of(m, tracks, f->count) : NULL;
  if (m->status == ASH_OK &&
      (!modes || modes->kind != ASH_ONNX_STRINGS || modes->count != f->count))
    ash_ox_bad(m, "nodes_modes has another number of nodes");
  for (uint32_t i = 0; i < f->count && m->status == ASH_OK; i++) {
    f->children[i][0] = f->children[i][1] = (int32_t)i;
    if (is_mode(modes, i, "LEAF"))
      continue;
    const uint32_t a = find(f, tree[i], no[i]), b = find(f, tree[i], yes[i]);
    if (a == f->count || b == f->count || feature[i] < 0 ||
        feature[i] >= features) {
      ash_ox_bad(m, "a branch leads to no node, or asks for no feature");
      return;
    }
    f->children[i][0] = (int32_t)a;
    f->children[i][1] = (int32_t)b;
    f->feature[i] = (int32_t)feature[i];
    f->threshold[i] = value[i];
    f->missing[i] = track && track[i];
    read_branch(m, f, modes, i);
    f->any_missing = f->any_missing || f->missing[i];
  }
}

/* Levels below the roots; every node is reached from one node at most. */
static void count_levels(ash_ox *m, forest *f) {
  uint32_t *level = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, f->count + 1u);
  uint32_t *queue = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, f->count + 1u);
  uint32_t done = 0, known = f->trees;
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (m->status != ASH_OK)
    return;
  for (uint32_t t = 0; t < f->trees; t++) {
    queue[t] = (uint32_t)f->roots[t];
    level[queue[t]] = 1;
  }
  while (done < known) {
    const uint32_t i = queue[done++];
    f->levels = level[i] - 1 > f->levels ? level[i] - 1 : f->levels;
    for (uint32_t k = 0; k < 2; k++) {
      const uint32_t child = (uint32_t)f->children[i][k];
      if (child == i)
        continue;
      if (level[child]) {
        ash_ox_bad(m, "branches form no tree");
        return;
      }
      level[child] = level[i] + 1;
      queue[known++] = child;
    }
  }
  if (f->levels > LEVELS_MAX)
    ash_ox_refuse(m, "a tree of more than 256 levels");
}

/* ---- weights of leaves --------------------------------------------------- */

static void read_weights(ash_ox *m, forest *f, const char *const *names) {
  const uint32_t count = ash_ml_count(m, names[0]);
  const int64_t *tree = ints_of(m, names[0], count);
  const int64_t *node = ints_of(m, names[1], count);
  const int64_t *to = ints_of(m, names[2], count);
  const float *weight = floats_of(m, names[3], count);
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++) {
    const uint32_t at = find(f, tree[i], node[i]);
    const int64_t score = f->scores == 1 ? 0 : to[i];
    if (at == f->count || score < 0 || score >= f->scores) {
      ash_ox_bad(m, "a weight belongs to no node, or to no score");
      return;
    }
    f->weights[(size_t)at * (size_t)f->scores + (size_t)score] += weight[i];
  }
}

/* ---- the graph ----------------------------------------------------------- */

static uint32_t table(ash_ox *m, ash_type type, uint32_t n, const void *data) {
  return ash_ox_constant(m, type, (ash_shape){1, {(int32_t)n}}, data);
}

/* The leaves that rows x reach, [rows, trees]. */
static uint32_t leaves(ash_ox *m, const forest *f, uint32_t x) {
  const ash_shape all = {2, {ash_ox_dim(m, x, 0), (int32_t)f->trees}};
  const uint32_t feature = table(m, ASH_INT32, f->count, f->feature);
  const uint32_t threshold = table(m, ASH_FLOAT32, f->count, f->threshold);
  const uint32_t children = table(m, ASH_INT32, 2 * f->count, f->children);
  const uint32_t missing = table(m, ASH_BOOL, f->count, f->missing);
  uint32_t at = ash_ox_expand(m, table(m, ASH_INT32, f->trees, f->roots), &all);
  for (uint32_t level = 0; level < f->levels && m->status == ASH_OK; level++) {
    const uint32_t value = ash_ox_add_op(
        m, &(ash_ox_op){.kind = ASH_OP_gather_elements,
                        .inputs = {x, ash_ox_gather(m, feature, at, 0)},
                        .input_count = 2,
                        .attrs = {ASH_INT_ATTR("axis", 1)},
                        .attr_count = 1,
                        .type = ASH_FLOAT32});
    uint32_t taken = ash_ox_map2(m, ASH_FN_less_equal, value,
                                 ash_ox_gather(m, threshold, at, 0));
    if (f->any_missing)
      taken = ash_ox_map2(m, ASH_FN_logical_or, taken,
                          ash_ox_map2(m, ASH_FN_logical_and,
                                      ash_ox_map1(m, ASH_FN_is_nan, value),
                                      ash_ox_gather(m, missing, at, 0)));
    const uint32_t child =
        ash_ox_map2(m, ASH_FN_add, ash_ox_with(m, ASH_FN_mul, at, 2),
                    ash_ox_cast(m, taken, ASH_INT32));
    at = ash_ox_gather(m, children, child, 0);
  }
  return at;
}

/* Their weights, folded over the trees, with the base values: [rows, scores].
 */
static uint32_t summed(ash_ox *m, const forest *f, uint32_t x, ash_fold fold) {
  const uint32_t weights = ash_ox_constant(
      m, ASH_FLOAT32, (ash_shape){2, {(int32_t)f->count, f->scores}},
      f->weights);
  uint32_t y = ash_ox_fold(
      m, fold, ash_ox_gather(m, weights, leaves(m, f, x), 0), 2, false);
  if (ash_ox_is(m, "aggregate_function", "AVERAGE", "SUM"))
    y = ash_ox_with(m, ASH_FN_div, y, f->trees);
  if (ash_ml_count(m, "base_values"))
    y = ash_ox_map2(
        m, ASH_FN_add, y,
        ash_ml_floats(m, "base_values", (ash_shape){2, {1, f->scores}}));
  return y;
}

static bool grow(ash_ox *m, forest *f, uint32_t x, int32_t scores,
                 const char *const *names) {
  if (ash_ox_attr(m, "nodes_values_as_tensor") ||
      !ash_ox_attr(m, "nodes_values"))
    ash_ox_refuse(m, "thresholds that are not float32");
  if (m->status != ASH_OK || !open_forest(m, f, scores))
    return false;
  read_nodes(m, f, ash_ox_dim(m, x, 1));
  if (m->status == ASH_OK)
    count_levels(m, f);
  if (m->status == ASH_OK)
    read_weights(m, f, names);
  return m->status == ASH_OK;
}

static void read_regressor(ash_ox *m) {
  static const char *const names[] = {"target_treeids", "target_nodeids",
                                      "target_ids", "target_weights"};
  const uint32_t x = ash_ml_rows(m, 0);
  const bool least = ash_ox_is(m, "aggregate_function", "MIN", "SUM");
  const bool most = ash_ox_is(m, "aggregate_function", "MAX", "SUM");
  const int32_t scores = (int32_t)ash_ox_int(m, "n_targets", 1);
  forest f;
  if ((least || most) && scores > 1)
    ash_ox_refuse(m, "the least or largest weight of several targets");
  if (scores == 1 && !ash_ox_is(m, "post_transform", "NONE", "NONE"))
    ash_ox_refuse(m, "a post_transform of one score");
  if (grow(m, &f, x, scores, names))
    ash_ox_out(m, 0,
               ash_ml_transform(m, summed(m, &f, x,
                                          least  ? ASH_FOLD_MIN
                                          : most ? ASH_FOLD_MAX
                                                 : ASH_FOLD_SUM)));
}

/* Two classes, of which the weights name only one: its score decides, above a
 * half if all weights are positive (votes), else above 0. */
static void answer_yes_or_no(ash_ox *m, const forest *f, uint32_t x) {
  bool votes = true;
  for (size_t i = 0; i < f->count; i++)
    votes = votes && f->weights[i] >= 0;
  const uint32_t y = summed(m, f, x, ASH_FOLD_SUM);
  const uint32_t yes = ash_ox_cast(
      m, ash_ox_with(m, ASH_FN_greater, y, votes ? 0.5 : 0), ASH_INT64);
  const bool logistic = ash_ox_is(m, "post_transform", "LOGISTIC", "NONE");
  if (!logistic && !ash_ox_is(m, "post_transform", "NONE", "NONE"))
    ash_ox_refuse(m, "a softmax of one score");
  if (logistic && votes)
    ash_ox_refuse(m, "the logistic function of votes");
  ash_ml_put_labels(
      m, ash_ox_reshape(m, yes, (ash_shape){1, {ash_ox_dim(m, y, 0)}}));
  const uint32_t no =
      votes ? ash_ox_map2(m, ASH_FN_sub, ash_ox_scalar(m, ASH_FLOAT32, 1), y)
            : ash_ox_map1(m, ASH_FN_neg, y);
  const uint32_t both = ash_ml_both(m, no, y);
  ash_ox_out(m, 1, logistic ? ash_ml_transform(m, both) : both);
}

static void read_classifier(ash_ox *m) {
  static const char *const names[] = {"class_treeids", "class_nodeids",
                                      "class_ids", "class_weights"};
  const uint32_t x = ash_ml_rows(m, 0);
  const uint32_t classes = ash_ml_classes(m);
  uint32_t count;
  const int64_t *ids = ash_ox_ints(m, "class_ids", &count);
  bool one = classes == 2 && ids && count > 0;
  for (uint32_t i = 1; one && i < count; i++)
    one = ids[i] == ids[0];
  forest f;
  if (!grow(m, &f, x, one ? 1 : (int32_t)classes, names))
    return;
  if (one) {
    answer_yes_or_no(m, &f, x);
    return;
  }
  const uint32_t y = summed(m, &f, x, ASH_FOLD_SUM);
  ash_ml_put_labels(m, ash_ox_fold(m, ASH_FOLD_ARG_MAX, y, 2, false));
  ash_ox_out(m, 1, ash_ml_transform(m, y));
}

const ash_ox_handler ash_ml_trees[] = {
    {"TreeEnsembleRegressor", read_regressor},
    {"TreeEnsembleClassifier", read_classifier},
    {NULL, NULL},
};

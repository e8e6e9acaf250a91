/* onnx_ops_flow.c - If, Loop and Scan. Where the condition or the number of
 * rounds is a constant, the branch is taken, the rounds are unrolled. An If at
 * run time computes both branches and selects; other choices at run time are
 * refused. */
#include "read/onnx/sequence/sequence.h"

#include <string.h>

enum { ROUNDS_MAX = 1024, VALUES_MAX = 32 };

bool ash_ox_open_graph(ash_ox *m, const char *name, ash_onnx_graph *graph) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (!a || a->kind != ASH_ONNX_GRAPH) {
    ash_ox_bad(m, "a nested graph is missing");
    return false;
  }
  if (m->status == ASH_OK)
    m->status = ash_onnx_read_graph(m->ctx, graph, &m->g->zone, a->s, m->file);
  return m->status == ASH_OK;
}

uint32_t ash_ox_graph_output(ash_ox *m, const ash_onnx_graph *graph,
                             uint32_t k) {
  const uint32_t id = k < graph->output_count
                          ? ash_ox_find(m, graph->outputs[k].name)
                          : ASH_NO_ID;
  if (id == ASH_NO_ID)
    ash_ox_bad(m, "nothing makes an output of the nested graph");
  return id;
}

enum { BRANCH_OUTPUTS = 32 };

/* Reads a branch; its outputs. */
static bool run_branch(ash_ox *m, const char *name, uint32_t *outputs) {
  ash_onnx_graph graph;
  if (!ash_ox_open_graph(m, name, &graph))
    return false;
  ash_ox_run_graph(m, &graph);
  for (uint32_t k = 0; k < m->node->output_count; k++)
    outputs[k] = ash_ox_graph_output(m, &graph, k);
  return m->status == ASH_OK;
}

static uint32_t chosen_tensor(ash_ox *m, uint32_t condition, uint32_t yes,
                              uint32_t no, const char *name) {
  char a[ASH_SHAPE_TEXT], b[ASH_SHAPE_TEXT];
  const ash_tensor *x = ash_ox_t(m, yes), *y = ash_ox_t(m, no);
  if (ash_shape_equal(&x->shape, &y->shape) && x->type == y->type)
    return ash_ox_map3(m, ASH_FN_select,
                       ash_ox_reshape(m, condition, (ash_shape){0}), yes, no);
  ash_ox_fail(m, ASH_UNSUPPORTED, ASH_D_onnx_op,
              "If: the condition is known at run time only, and output "
              "'%s' is %s %s in one branch, %s %s in the other",
              name, ash_type_text(x->type), ash_shape_text(a, &x->shape),
              ash_type_text(y->type), ash_shape_text(b, &y->shape));
  return ASH_NO_ID;
}

/* Sequences of one length are chosen tensor by tensor. */
static uint32_t chosen(ash_ox *m, uint32_t condition, uint32_t yes, uint32_t no,
                       const char *name) {
  uint32_t count = 0, other = 0;
  if (!ash_ox_is_sequence(yes) && !ash_ox_is_sequence(no))
    return chosen_tensor(m, condition, yes, no, name);
  if (ash_ox_is_nothing(m, yes) || ash_ox_is_nothing(m, no)) {
    ash_ox_need_constant(m, condition);
    return ASH_NO_ID;
  }
  const uint32_t *a = ash_ox_members(m, yes, &count);
  const uint32_t *b = ash_ox_members(m, no, &other);
  if (m->status == ASH_OK && count != other)
    ash_ox_refuse(m, "a choice at run time between sequences of different "
                     "lengths");
  uint32_t *all = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, count + 1u);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->ctx->scratch);
  for (uint32_t i = 0; i < count && m->status == ASH_OK; i++)
    all[i] = chosen_tensor(m, condition, a[i], b[i], name);
  return m->status == ASH_OK ? ash_ox_sequence(m, all, count) : ASH_NO_ID;
}

/* Known only at run time: both branches are computed, and each result is that
 * of one of them. */
static void choose_at_run_time(ash_ox *m, uint32_t condition) {
  uint32_t yes[BRANCH_OUTPUTS], no[BRANCH_OUTPUTS];
  if (m->node->output_count > BRANCH_OUTPUTS) {
    ash_ox_refuse(m, "this number of outputs");
    return;
  }
  if (!run_branch(m, "then_branch", yes) || !run_branch(m, "else_branch", no))
    return;
  for (uint32_t k = 0; k < m->node->output_count && m->status == ASH_OK; k++)
    ash_ox_out(m, k, chosen(m, condition, yes[k], no[k], m->node->outputs[k]));
}

static void read_if(ash_ox *m) {
  int64_t truth = 0;
  ash_onnx_graph graph;
  const uint32_t condition = ash_ox_in(m, 0);
  if (m->status == ASH_OK && !ash_ox_is_constant(m, condition)) {
    choose_at_run_time(m, condition);
    return;
  }
  (void)ash_ox_list(m, ash_ox_in(m, 0), &truth, 1);
  if (!ash_ox_open_graph(m, truth ? "then_branch" : "else_branch", &graph))
    return;
  ash_ox_run_graph(m, &graph);
  for (uint32_t k = 0; k < m->node->output_count; k++)
    ash_ox_out(m, k, ash_ox_graph_output(m, &graph, k));
}

/* ---- rounds -------------------------------------------------------------- */

/* What the rounds of a body carry on, and what each of them leaves behind. */
typedef struct rounds {
  ash_onnx_graph graph;
  uint32_t states, scans, skipped; /* skipped: outputs before the states */
  uint32_t state[VALUES_MAX];
  uint32_t *left[VALUES_MAX]; /* one a round */
  uint32_t done, most;
} rounds;

/* `skipped` outputs of the body come before its states. */
static bool open_rounds(ash_ox *m, rounds *r, uint32_t states, uint32_t skipped,
                        int64_t most) {
  *r = (rounds){.states = states, .skipped = skipped};
  if (!ash_ox_open_graph(m, "body", &r->graph))
    return false;
  if (states > VALUES_MAX || r->graph.output_count < states + skipped ||
      r->graph.output_count - states - skipped > VALUES_MAX || most < 0 ||
      most > ROUNDS_MAX) {
    ash_ox_refuse(m, "this number of rounds or values");
    return false;
  }
  r->scans = r->graph.output_count - states - skipped;
  r->most = (uint32_t)most;
  for (uint32_t k = 0; k < r->scans; k++)
    r->left[k] = ASH_NEW_ARRAY(&m->g->zone, uint32_t, r->most + 1);
  if (m->status == ASH_OK)
    m->status = ash_zone_check(m->ctx, &m->g->zone);
  return m->status == ASH_OK;
}

static uint32_t left_tensor(ash_ox *m, const ash_onnx_graph *graph,
                            uint32_t k) {
  const uint32_t id = ash_ox_graph_output(m, graph, k);
  if (m->status == ASH_OK && ash_ox_is_sequence(id))
    ash_ox_bad(m, "rounds leave sequences behind");
  return id;
}

/* The body's inputs are bound; states are bound from `first` on. */
static void run_round(ash_ox *m, rounds *r, uint32_t first) {
  for (uint32_t k = 0; k < r->states; k++)
    ash_ox_bind(m, r->graph.inputs[first + k].name, r->state[k]);
  ash_ox_run_graph(m, &r->graph);
  for (uint32_t k = 0; k < r->states; k++)
    r->state[k] = ash_ox_graph_output(m, &r->graph, r->skipped + k);
  for (uint32_t k = 0; k < r->scans; k++)
    r->left[k][r->done] = left_tensor(m, &r->graph, r->skipped + r->states + k);
  r->done++;
}

/* A new axis of size 1. */
static uint32_t with_axis(ash_ox *m, uint32_t x, uint32_t axis) {
  ash_shape s = *ash_ox_shape(m, x);
  if (s.rank == ASH_RANK_MAX || axis > s.rank) {
    ash_ox_refuse(m, "this rank");
    return x;
  }
  for (uint32_t d = s.rank++; d > axis; d--)
    s.dim[d] = s.dim[d - 1];
  s.dim[axis] = 1;
  return ash_ox_reshape(m, x, s);
}

/* What all rounds left behind as value k, along a new axis. */
static uint32_t join_rounds(ash_ox *m, rounds *r, uint32_t k, int64_t axis,
                            bool backwards) {
  uint32_t *ids = r->left[k];
  if (r->done == 0) {
    ash_ox_refuse(m, "a list of the values of no round");
    return ASH_NO_ID;
  }
  const uint32_t rank = ash_ox_rank(m, ids[0]) + 1;
  const uint32_t at = ash_ox_axis(m, axis, rank);
  for (uint32_t i = 0; i < r->done && m->status == ASH_OK; i++)
    ids[i] = with_axis(m, ids[i], at);
  for (uint32_t i = 0; backwards && i < r->done / 2; i++) {
    const uint32_t other = ids[r->done - 1 - i];
    ids[r->done - 1 - i] = ids[i];
    ids[i] = other;
  }
  return m->status == ASH_OK ? ash_ox_join(m, ids, r->done, at) : ASH_NO_ID;
}

/* ---- Loop ---------------------------------------------------------------- */

/* Inputs: rounds, condition, carried values. Outputs: those, then a list a
 * scanned value, joined along a new first axis. */
static void read_loop(ash_ox *m) {
  int64_t most = ROUNDS_MAX, go_on = 1;
  rounds r;
  const uint32_t n = m->node->input_count > 2 ? m->node->input_count - 2 : 0;
  const bool counted = ash_ox_has(m, 0);
  if (counted)
    (void)ash_ox_list(m, ash_ox_in(m, 0), &most, 1);
  if (ash_ox_has(m, 1))
    (void)ash_ox_list(m, ash_ox_in(m, 1), &go_on, 1);
  if (!open_rounds(m, &r, n, 1, most < 0 ? 0 : most))
    return;
  if (r.graph.input_count != n + 2) {
    ash_ox_bad(m, "the body has another number of inputs");
    return;
  }
  for (uint32_t k = 0; k < n; k++)
    r.state[k] = ash_ox_in_any(m, k + 2);
  while (r.done < r.most && go_on && m->status == ASH_OK) {
    ash_ox_bind(m, r.graph.inputs[0].name, ash_ox_scalar(m, ASH_INT64, r.done));
    ash_ox_bind(m, r.graph.inputs[1].name, ash_ox_scalar(m, ASH_BOOL, 1));
    run_round(m, &r, 2);
    (void)ash_ox_list(m, ash_ox_graph_output(m, &r.graph, 0), &go_on, 1);
  }
  if (!counted && go_on && m->status == ASH_OK)
    ash_ox_refuse(m, "a number of rounds that no condition ends");
  for (uint32_t k = 0; k < n && m->status == ASH_OK; k++)
    ash_ox_out(m, k, r.state[k]);
  for (uint32_t k = 0; k < r.scans && m->status == ASH_OK; k++)
    if (ash_ox_wants(m, n + k))
      ash_ox_out(m, n + k, join_rounds(m, &r, k, 0, false));
}

/* ---- Scan ---------------------------------------------------------------- */

static int64_t entry(const ash_ox *m, const char *name, uint32_t k) {
  uint32_t count = 0;
  const int64_t *given = ash_ox_ints(m, name, &count);
  return given && k < count ? given[k] : 0;
}

/* Element i of an axis, which disappears. */
static uint32_t element(ash_ox *m, uint32_t x, uint32_t axis, int64_t i) {
  const uint32_t y = ash_ox_slice(m, x, axis, i, 1, 1);
  ash_shape s = *ash_ox_shape(m, y);
  if (m->status != ASH_OK || axis >= s.rank)
    return y;
  for (uint32_t d = axis; d + 1 < s.rank; d++)
    s.dim[d] = s.dim[d + 1];
  s.rank--;
  return ash_ox_reshape(m, y, s);
}

/* All rounds over the scanned inputs `x`; the directions' attribute has had
 * two names. */
static void scan_all(ash_ox *m, rounds *r, const uint32_t *x, uint32_t count) {
  const char *turns = m->opset < 9 ? "directions" : "scan_input_directions";
  while (r->done < r->most && m->status == ASH_OK) {
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t axis =
          ash_ox_axis(m, entry(m, "scan_input_axes", k), ash_ox_rank(m, x[k]));
      const int64_t at = entry(m, turns, k) ? (int64_t)r->most - 1 - r->done
                                            : (int64_t)r->done;
      ash_ox_bind(m, r->graph.inputs[r->states + k].name,
                  element(m, x[k], axis, at));
    }
    run_round(m, r, 0);
  }
}

static bool open_scan(ash_ox *m, rounds *r, uint32_t first, uint32_t *count) {
  const int64_t n = ash_ox_int(m, "num_scan_inputs", 0);
  const uint32_t inputs = m->node->input_count;
  if (n < 1 || n > VALUES_MAX || inputs < first + (uint32_t)n) {
    ash_ox_bad(m, "num_scan_inputs is out of range");
    return false;
  }
  *count = (uint32_t)n;
  const uint32_t x = ash_ox_in(m, inputs - *count);
  const uint32_t axis =
      m->opset < 9
          ? 1
          : ash_ox_axis(m, entry(m, "scan_input_axes", 0), ash_ox_rank(m, x));
  if (!open_rounds(m, r, inputs - first - *count, 0, ash_ox_dim(m, x, axis)))
    return false;
  if (r->graph.input_count != r->states + *count)
    ash_ox_bad(m, "the body has another number of inputs");
  return m->status == ASH_OK;
}

static void scan(ash_ox *m) {
  rounds r;
  uint32_t count, x[VALUES_MAX];
  if (!open_scan(m, &r, 0, &count))
    return;
  for (uint32_t k = 0; k < r.states; k++)
    r.state[k] = ash_ox_in(m, k);
  for (uint32_t k = 0; k < count; k++)
    x[k] = ash_ox_in(m, r.states + k);
  scan_all(m, &r, x, count);
  for (uint32_t k = 0; k < r.states && m->status == ASH_OK; k++)
    ash_ox_out(m, k, r.state[k]);
  for (uint32_t k = 0; k < r.scans && m->status == ASH_OK; k++)
    if (ash_ox_wants(m, r.states + k))
      ash_ox_out(m, r.states + k,
                 join_rounds(m, &r, k, entry(m, "scan_output_axes", k),
                             entry(m, "scan_output_directions", k) != 0));
}

/* Opset 8: everything has a first axis of sequences, each scanned alone. */
static void scan_batches(ash_ox *m) {
  uint32_t count, x[VALUES_MAX], *kept[2 * VALUES_MAX] = {0};
  rounds r;
  if (ash_ox_has(m, 0)) {
    ash_ox_refuse(m, "a length for each sequence");
    return;
  }
  if (!open_scan(m, &r, 1, &count))
    return;
  const uint32_t all = r.states + r.scans;
  const int32_t batches = ash_ox_dim(m, ash_ox_in(m, 1), 0);
  for (uint32_t k = 0; k < all; k++)
    kept[k] = ASH_NEW_ARRAY(&m->g->zone, uint32_t, (size_t)batches);
  m->status = ash_zone_check(m->ctx, &m->g->zone);
  for (int32_t b = 0; b < batches && m->status == ASH_OK; b++) {
    for (uint32_t k = 0; k < r.states; k++)
      r.state[k] = element(m, ash_ox_in(m, 1 + k), 0, b);
    for (uint32_t k = 0; k < count; k++)
      x[k] = element(m, ash_ox_in(m, 1 + r.states + k), 0, b);
    r.done = 0;
    scan_all(m, &r, x, count);
    for (uint32_t k = 0; k < all && m->status == ASH_OK; k++)
      kept[k][b] =
          with_axis(m,
                    k < r.states ? r.state[k]
                                 : join_rounds(m, &r, k - r.states, 0, false),
                    0);
  }
  for (uint32_t k = 0; k < all && m->status == ASH_OK; k++)
    if (ash_ox_wants(m, k))
      ash_ox_out(m, k, ash_ox_join(m, kept[k], (uint32_t)batches, 0));
}

static void read_scan(ash_ox *m) {
  if (m->opset < 9)
    scan_batches(m);
  else
    scan(m);
}

const ash_ox_handler ash_ox_flow[] = {
    {"If", read_if},
    {"Loop", read_loop},
    {"Scan", read_scan},
    {NULL, NULL},
};

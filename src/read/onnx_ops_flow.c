/* onnx_ops_flow.c - If and Loop where the condition or the number of rounds is
 * a constant: the branch is taken, the rounds are unrolled. Others would need
 * a choice at run time and are refused. */
#include "read/onnx_import.h"

#include <string.h>

enum { ROUNDS_MAX = 256, VALUES_MAX = 32 };

static bool open_graph(ash_ox *m, const char *name, ash_onnx_graph *graph) {
  const ash_onnx_attr *a = ash_ox_attr(m, name);
  if (!a || a->kind != ASH_ONNX_GRAPH) {
    ash_ox_bad(m, "a nested graph is missing");
    return false;
  }
  if (m->status == ASH_OK)
    m->status =
        ash_onnx_read_graph(m->ctx, graph, &m->g->zone, a->s, m->file);
  return m->status == ASH_OK;
}

static uint32_t output_of(ash_ox *m, const ash_onnx_graph *graph, uint32_t k) {
  const uint32_t id = k < graph->output_count
                          ? ash_ox_find(m, graph->outputs[k].name)
                          : ASH_NO_ID;
  if (id == ASH_NO_ID)
    ash_ox_bad(m, "nothing makes an output of the nested graph");
  return id;
}

static void read_if(ash_ox *m) {
  int64_t truth = 0;
  ash_onnx_graph graph;
  (void)ash_ox_list(m, ash_ox_in(m, 0), &truth, 1);
  if (!open_graph(m, truth ? "then_branch" : "else_branch", &graph))
    return;
  ash_ox_run_graph(m, &graph);
  for (uint32_t k = 0; k < m->node->output_count; k++)
    ash_ox_out(m, k, output_of(m, &graph, k));
}

/* Inputs: rounds, condition, carried values. Outputs: those, then a list a
 * scanned value, joined along a new first axis. */
static void read_loop(ash_ox *m) {
  int64_t rounds = ROUNDS_MAX, go_on = 1;
  uint32_t carried[VALUES_MAX], lists[VALUES_MAX][ROUNDS_MAX], done = 0;
  ash_onnx_graph graph;
  const uint32_t n = m->node->input_count > 2 ? m->node->input_count - 2 : 0;
  if (ash_ox_has(m, 0))
    (void)ash_ox_list(m, ash_ox_in(m, 0), &rounds, 1);
  if (ash_ox_has(m, 1))
    (void)ash_ox_list(m, ash_ox_in(m, 1), &go_on, 1);
  if (!open_graph(m, "body", &graph))
    return;
  const uint32_t scans = graph.output_count - 1 - n;
  if (n > VALUES_MAX || graph.output_count < n + 1 || scans > VALUES_MAX ||
      rounds < 1 || rounds > ROUNDS_MAX || graph.input_count != n + 2) {
    ash_ox_refuse(m, "this number of rounds or values");
    return;
  }
  for (uint32_t k = 0; k < n; k++)
    carried[k] = ash_ox_in(m, k + 2);
  for (; (int64_t)done < rounds && go_on && m->status == ASH_OK; done++) {
    ash_ox_bind(m, graph.inputs[0].name, ash_ox_scalar(m, ASH_INT64, done));
    ash_ox_bind(m, graph.inputs[1].name, ash_ox_scalar(m, ASH_BOOL, 1));
    for (uint32_t k = 0; k < n; k++)
      ash_ox_bind(m, graph.inputs[k + 2].name, carried[k]);
    ash_ox_run_graph(m, &graph);
    (void)ash_ox_list(m, output_of(m, &graph, 0), &go_on, 1);
    for (uint32_t k = 0; k < n; k++)
      carried[k] = output_of(m, &graph, k + 1);
    for (uint32_t k = 0; k < scans; k++)
      lists[k][done] = output_of(m, &graph, k + 1 + n);
  }
  for (uint32_t k = 0; k < n; k++)
    ash_ox_out(m, k, carried[k]);
  for (uint32_t k = 0; k < scans && m->status == ASH_OK; k++) {
    for (uint32_t i = 0; i < done; i++) {
      ash_shape s = *ash_ox_shape(m, lists[k][i]);
      if (s.rank == ASH_RANK_MAX) {
        ash_ox_refuse(m, "this rank");
        return;
      }
      for (uint32_t d = s.rank++; d > 0; d--)
        s.dim[d] = s.dim[d - 1];
      s.dim[0] = 1;
      lists[k][i] = ash_ox_reshape(m, lists[k][i], s);
    }
    ash_ox_out(m, n + k, ash_ox_join(m, lists[k], done, 0));
  }
}

const ash_ox_handler ash_ox_flow[] = {
    {"If", read_if},
    {"Loop", read_loop},
    {NULL, NULL},
};

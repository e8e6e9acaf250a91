/* compact.c - dropping what the graph's outputs do not need. */
#include "graph/compact.h"

#include <string.h>

static void renumber(uint32_t *ids, size_t count, const uint32_t *to) {
  for (size_t i = 0; i < count; i++)
    ids[i] = ids[i] == ASH_NO_ID ? ASH_NO_ID : to[ids[i]];
}

static bool is_needed(const ash_op *op, const bool *used) {
  for (uint32_t k = 0; k < op->output_count; k++)
    if (used[op->outputs[k]])
      return true;
  return false;
}

/* Marks from the outputs backwards, operators from the last to the first. */
static size_t mark_needed(ash_graph *g, bool *used) {
  size_t kept = g->op_count;
  for (size_t i = 0; i < g->output_count; i++)
    used[g->outputs[i]] = true;
  for (size_t i = 0; i < g->input_count; i++)
    used[g->inputs[i]] = true;
  for (size_t i = g->op_count; i-- > 0;) {
    const ash_op *op = &g->ops.items[i];
    if (!is_needed(op, used) && !ash_graph_has_effect(g, op))
      continue;
    g->ops.items[--kept] = *op;
    const ash_op *moved = &g->ops.items[kept];
    for (uint32_t k = 0; k < moved->input_count; k++)
      if (moved->inputs[k] != ASH_NO_ID)
        used[moved->inputs[k]] = true;
    for (uint32_t k = 0; k < moved->output_count; k++)
      used[moved->outputs[k]] = true;
  }
  return kept;
}

static ash_status compact(ash_graph *g, bool keep_ids) {
  ash_zone *scratch = &g->ctx->scratch;
  bool *used = ASH_NEW_ARRAY(scratch, bool, g->tensor_count + 1);
  uint32_t *to = ASH_NEW_ARRAY(scratch, uint32_t, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(g->ctx, scratch));
  const size_t first = mark_needed(g, used);
  g->op_count -= first;
  if (first > 0 && g->op_count > 0)
    memmove(g->ops.items, g->ops.items + first,
            g->op_count * sizeof *g->ops.items);
  size_t count = 0;
  for (size_t i = 0; i < g->tensor_count; i++) {
    to[i] = ASH_NO_ID;
    if (!used[i])
      continue;
    to[i] = (uint32_t)count;
    g->tensors.items[count] = g->tensors.items[i];
    if (!keep_ids)
      g->tensors.items[count].id =
          ash_zone_format(&g->zone, "%u", (unsigned)count);
    count++;
  }
  g->tensor_count = count;
  for (size_t i = 0; i < g->op_count; i++) {
    renumber(g->ops.items[i].inputs, g->ops.items[i].input_count, to);
    renumber(g->ops.items[i].outputs, g->ops.items[i].output_count, to);
  }
  renumber(g->inputs, g->input_count, to);
  renumber(g->outputs, g->output_count, to);
  return ash_zone_check(g->ctx, &g->zone);
}

static ash_status compact_and_rewind(ash_graph *g, bool keep_ids) {
  const ash_mark mark = ash_zone_mark(&g->ctx->scratch);
  const ash_status status = compact(g, keep_ids);
  ash_zone_rewind(&g->ctx->scratch, mark);
  return status;
}

ash_status ash_graph_compact(ash_graph *g) {
  return compact_and_rewind(g, false);
}

ash_status ash_graph_prune(ash_graph *g) {
  return compact_and_rewind(g, true);
}

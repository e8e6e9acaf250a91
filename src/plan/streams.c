/* streams.c - see streams.h. */
#include "plan/streams.h"

#include "base/nearest.h"
#include "graph/graph.h"

#include <string.h>

/* One of the two directions. */
typedef struct side {
  const char *what;
  const char *const *names;
  uint32_t name_count;
  const uint32_t *tensors;
  size_t tensor_count;
} side;

static const ash_tensor *tensor_at(const ash_graph *g, uint32_t tensor) {
  ASH_ASSERT(tensor < g->tensor_count);
  return &g->tensors.items[tensor];
}

static ash_status unknown(ash_ctx *ctx, const ash_graph *g, const side *s,
                          const char *name) {
  ash_nearest near;
  (void)ash_fail(ctx, ASH_MISUSE, ASH_D_plan_stream,
                 ash_graph_loc(g, ASH_NO_ID, ASH_NO_ID),
                 "the model has no %s '%s'", s->what, name);
  ash_nearest_init(&near, name);
  for (size_t i = 0; i < s->tensor_count; i++) {
    ash_nearest_offer(&near, tensor_at(g, s->tensors[i])->id);
    ash_nearest_offer(&near, tensor_at(g, s->tensors[i])->name);
  }
  if (ash_nearest_word(&near))
    ash_hint(ctx, "did you mean '%s'?", ash_nearest_word(&near));
  else if (s->tensor_count > 0)
    ash_hint(ctx, "its first %s is '%s'", s->what,
             tensor_at(g, s->tensors[0])->name);
  return ASH_MISUSE;
}

static ash_status mark(ash_ctx *ctx, const bool **out, const ash_graph *g,
                       const side *s) {
  *out = NULL;
  if (s->name_count == 0)
    return ASH_OK;
  bool *marks = ASH_NEW_ARRAY(&ctx->keep, bool, s->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (uint32_t n = 0; n < s->name_count; n++) {
    bool found = false;
    for (size_t i = 0; i < s->tensor_count; i++) {
      const ash_tensor *t = tensor_at(g, s->tensors[i]);
      if (strcmp(t->id, s->names[n]) == 0 || strcmp(t->name, s->names[n]) == 0)
        marks[i] = found = true;
    }
    if (!found)
      return unknown(ctx, g, s, s->names[n]);
  }
  *out = marks;
  return ASH_OK;
}

static bool is_read(const ash_graph *g, uint32_t tensor) {
  ASH_ASSERT(tensor < g->tensor_count);
  for (size_t op = 0; op < g->op_count; op++)
    for (uint32_t k = 0; k < g->ops.items[op].input_count; k++)
      if (g->ops.items[op].inputs[k] == tensor)
        return true;
  return false;
}

/* Rows that nothing reads would never be asked for. */
static ash_status check_feeds(ash_ctx *ctx, const ash_ask *ask) {
  ASH_ASSERT(ask->graph != NULL);
  const ash_graph *g = ask->graph;
  for (size_t i = 0; ask->is_fed && i < g->input_count; i++)
    if (ask->is_fed[i] && !is_read(g, g->inputs[i]))
      return ash_fail(ctx, ASH_MISUSE, ASH_D_plan_stream,
                      ash_graph_loc(g, ASH_NO_ID, g->inputs[i]),
                      "nothing reads the input '%s', so its rows cannot be "
                      "fed",
                      tensor_at(g, g->inputs[i])->name);
  return ASH_OK;
}

ash_status ash_plan_streams(ash_ctx *ctx, ash_ask *ask,
                            const ash_plan_options *options) {
  const ash_graph *g = ask->graph;
  const side in = {"input", options->feed, options->feed_count, g->inputs,
                   g->input_count};
  const side out = {"output", options->drain, options->drain_count, g->outputs,
                    g->output_count};
  ASH_TRY(mark(ctx, &ask->is_fed, g, &in));
  ASH_TRY(mark(ctx, &ask->is_drained, g, &out));
  return check_feeds(ctx, ask);
}

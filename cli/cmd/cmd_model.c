/* cmd_model.c - ashlar MODEL: what it is, where its memory goes and what would
 * lower it, on one screen. */
#include "commands.h"
#include "session.h"
#include "show/json_out.h"
#include "show/model_facts.h"
#include "show/plan_facts.h"
#include "show/plan_table.h"

#include <inttypes.h>
#include <string.h>

typedef struct job {
  session s;
  const char *path;
  bool json;
} job;

/* One way to run the model. */
typedef struct way {
  const char *option, *meaning;
  bool plans; /* else it fails or does not fit */
  bool proved;
  uint64_t scratch;
  ash_order_kind order;
} way;

static void try_way(job *j, way *w, const ash_compile_options *options) {
  ash_compiled c;
  w->plans = ash_compile(j->s.ctx, &c, j->path, j->s.device, options) == ASH_OK;
  if (w->plans) {
    w->proved = c.plan->verdict == ASH_OPTIMAL;
    w->order = c.plan->order.kind;
    w->scratch = plan_scratch(c.plan);
  }
  ash_compiled_drop(&c);
  ash_ctx_forget(j->s.ctx);
}

static void print_way(const way *w) {
  if (w->plans)
    printf("  %-24s %10" PRIu64 "  %-10s %s\n", w->option, w->scratch,
           w->proved ? "proved" : "", w->meaning);
}

enum { WHOLE, OVERLAP, ROWS, FED, WAYS };

static void try_ways(job *j, way *ways, const ash_graph *g) {
  const char *fed[ARG_LIST_MAX];
  uint32_t count = 0;
  ways[WHOLE] =
      (way){.option = "--order operators", .meaning = "layer by layer"};
  ways[OVERLAP] =
      (way){.option = "--overlap",
            .meaning = "results overwrite their input while it is read"};
  ways[ROWS] = (way){.option = "--order rows", .meaning = "row by row"};
  ways[FED] = (way){.option = "--order rows --feed ...",
                    .meaning = "row by row, the input arrives so too"};
  ash_compile_options o = j->s.options;
  o.plan.order = ASH_ORDER_OPERATORS;
  try_way(j, &ways[WHOLE], &o);
  o.plan.overlap = true;
  try_way(j, &ways[OVERLAP], &o);
  o.plan.overlap = false;
  o.plan.order = ASH_ORDER_ROWS;
  try_way(j, &ways[ROWS], &o);
  for (; count < ash_graph_input_count(g) && count < ARG_LIST_MAX; count++)
    fed[count] = ash_graph_tensor(g, ash_graph_input(g, count))->id;
  o.plan.feed = fed;
  o.plan.feed_count = count;
  try_way(j, &ways[FED], &o);
  progress_clear(&j->s.progress);
}

static void print_ways(const way *ways) {
  bool any = false;
  for (size_t i = 0; i < WAYS; i++)
    any = any || ways[i].plans;
  if (!any) {
    printf("\n  it fits in none of these ways: layer by layer, --overlap, "
           "--order rows, --feed\n");
    return;
  }
  printf("\n  %-24s %10s\n", "bytes of RAM", "scratch");
  for (size_t i = 0; i < WAYS; i++)
    print_way(&ways[i]);
}

static void print_ways_json(const way *ways) {
  bool first = true;
  printf("[");
  for (size_t i = 0; i < WAYS; i++) {
    bool first_key = true;
    if (!ways[i].plans)
      continue;
    printf("%s{", first ? "" : ", ");
    first = false;
    json_key_text(stdout, &first_key, "options", ways[i].option);
    json_key_uint(stdout, &first_key, "scratch", ways[i].scratch);
    json_key_bool(stdout, &first_key, "proved", ways[i].proved);
    printf("}");
  }
  printf("]");
}

static void print_next(const job *j) {
  const char *target = j->s.target ? j->s.target : "NAME";
  if (strcmp(j->path, "/dev/stdin") == 0)
    return;
  printf("\nnext:\n"
         "  ashlar fit %s\n"
         "  ashlar plan %s --target %s --report plan.html\n"
         "  ashlar explain %s --target %s\n"
         "  ashlar compile %s --target %s -o out\n",
         j->path, j->path, target, j->path, target, j->path, target);
}

static void print_json(const job *j, const ash_graph *g, const way *ways,
                       const ash_plan *plan) {
  const model_totals all = model_totals_of(g);
  bool first = true;
  printf("{");
  json_key_text(stdout, &first, "model", ash_graph_name(g));
  json_key_uint(stdout, &first, "operators", all.operators);
  json_key_uint(stdout, &first, "macs", all.macs);
  json_key_uint(stdout, &first, "constants", all.constants);
  json_key_uint(stdout, &first, "activations", all.activations);
  json_key_text(stdout, &first, "target", j->s.device->name);
  json_key_bool(stdout, &first, "fits", plan != NULL);
  if (plan)
    json_key_uint(stdout, &first, "scratch", plan_scratch(plan));
  json_key(stdout, &first, "ways");
  print_ways_json(ways);
  printf("}\n");
}

static ash_status show_graph(job *j, const ash_graph *g) {
  ash_compiled c = {0};
  way ways[WAYS];
  if (!j->json) {
    print_model_ends(g);
    print_model_totals(g);
  }
  try_ways(j, ways, g);
  if (!j->json)
    print_ways(ways);
  const ash_status status =
      ash_compile(j->s.ctx, &c, j->path, j->s.device, &j->s.options);
  progress_clear(&j->s.progress);
  if (j->json && (status == ASH_OK || status == ASH_NOFIT)) {
    print_json(j, g, ways, status == ASH_OK ? c.plan : NULL);
  } else if (status == ASH_OK) {
    putchar('\n');
    print_plan_summary(c.plan, NULL);
  }
  if (!j->json && (status == ASH_OK || status == ASH_NOFIT))
    print_next(j);
  ash_compiled_drop(&c);
  return status;
}

static ash_status show(job *j) {
  ash_graph *g;
  ash_status status =
      ash_load_model_with(j->s.ctx, &g, j->path, &j->s.options.load);
  if (status == ASH_OK) {
    status = show_graph(j, g);
    ash_graph_free(g);
  }
  progress_clear(&j->s.progress);
  return status;
}

int cmd_model(int argc, char **argv) {
  static const command self = {
      "MODEL",           cmd_model, "one screen about a model",
      "[--target NAME]", NULL,      1};
  job j = {0};
  arg_list models;
  const arg_option options[] = {
      {"json", 0, ARG_FLAG, &j.json, NULL, "the same as JSON"},
      SESSION_OPTIONS(&j.s),
      {0}};
  int code = args_parse(&self, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(&self, "one model at a time");
  if (code < 0)
    code = session_open(&j.s, &self);
  if (code >= 0)
    return code;
  j.path = models.items[0];
  j.s.options.stop = true;
  j.s.options.stop_after = ASH_STAGE_PLAN;
  return session_close(&j.s, show(&j));
}

/* cmd_model.c - ashlar MODEL: what it is, where its memory goes and what would
 * lower it, on one screen. */
#include "commands.h"
#include "session.h"
#include "show/model_facts.h"
#include "show/plan_table.h"

#include <inttypes.h>

typedef struct job {
  session s;
  const char *path;
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
    for (uint32_t i = 0; i < c.plan->arena_count; i++)
      if (c.plan->arenas[i].role == ASH_SCRATCH)
        w->scratch += c.plan->arenas[i].size;
  }
  ash_compiled_drop(&c);
  ash_ctx_forget(j->s.ctx);
}

static void print_way(const way *w) {
  if (w->plans)
    printf("  %-24s %10" PRIu64 "  %-10s %s\n", w->option, w->scratch,
           w->proved ? "proved" : "", w->meaning);
}

static void print_ways(job *j, const ash_graph *g) {
  const char *fed[ARG_LIST_MAX];
  uint32_t count = 0;
  way whole = {.option = "--order operators", .meaning = "layer by layer"};
  way overlap = {.option = "--overlap",
                 .meaning = "results overwrite their input while it is read"};
  way rows = {.option = "--order rows", .meaning = "row by row"};
  way feed = {.option = "--order rows --feed ...",
              .meaning = "row by row, the input arrives so too"};
  ash_compile_options o = j->s.options;
  o.plan.order = ASH_ORDER_OPERATORS;
  try_way(j, &whole, &o);
  o.plan.overlap = true;
  try_way(j, &overlap, &o);
  o.plan.overlap = false;
  o.plan.order = ASH_ORDER_ROWS;
  try_way(j, &rows, &o);
  for (; count < ash_graph_input_count(g) && count < ARG_LIST_MAX; count++)
    fed[count] = ash_graph_tensor(g, ash_graph_input(g, count))->id;
  o.plan.feed = fed;
  o.plan.feed_count = count;
  try_way(j, &feed, &o);
  progress_clear(&j->s.progress);
  printf("\n  %-24s %10s\n", "bytes of RAM", "scratch");
  print_way(&whole);
  print_way(&overlap);
  print_way(&rows);
  print_way(&feed);
}

static void print_next(const job *j) {
  const char *target = j->s.target ? j->s.target : "NAME";
  printf("\nnext:\n"
         "  ashlar fit %s\n"
         "  ashlar plan %s --target %s --report plan.html\n"
         "  ashlar explain %s --target %s\n"
         "  ashlar compile %s --target %s -o out\n",
         j->path, j->path, target, j->path, target, j->path, target);
}

static ash_status show(job *j) {
  ash_compiled c = {0};
  ash_graph *g;
  ash_status status =
      ash_load_model_with(j->s.ctx, &g, j->path, &j->s.options.load);
  if (status == ASH_OK) {
    print_model_ends(g);
    print_model_totals(g);
    print_ways(j, g);
    ash_graph_free(g);
    status = ash_compile(j->s.ctx, &c, j->path, j->s.device, &j->s.options);
  }
  progress_clear(&j->s.progress);
  if (status == ASH_OK) {
    putchar('\n');
    print_plan_summary(c.plan, NULL);
  }
  if (status == ASH_OK || status == ASH_NOFIT)
    print_next(j);
  ash_compiled_drop(&c);
  return status;
}

int cmd_model(int argc, char **argv) {
  static const command self = {"MODEL", cmd_model, "one screen about a model",
                               "[--target NAME]", NULL};
  job j = {0};
  arg_list models;
  const arg_option options[] = {SESSION_OPTIONS(&j.s), {0}};
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

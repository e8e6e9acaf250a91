/* fixes.c - see fixes.h. */
#include "fit/fixes.h"

#include <string.h>

typedef struct search {
  session *s;
  const char *path;
  const ash_device *device;
  fix *found;
  size_t count, most;
} search;

static void count_bytes(fix *f, const ash_plan *p) {
  for (uint32_t i = 0; i < p->arena_count; i++)
    *(p->arenas[i].role == ASH_SCRATCH ? &f->scratch : &f->stored) +=
        p->arenas[i].size;
}

static void try_fix(search *f, const ash_compile_options *options,
                    const char *option, const char *meaning) {
  ash_compiled c;
  ash_compile_options o = *options;
  if (f->count == f->most)
    return;
  o.stop = true;
  o.stop_after = ASH_STAGE_PLAN;
  o.dump = NULL;
  progress_part(&f->s->progress, "what would fit", f->count, 0);
  const bool fits =
      ash_compile(f->s->ctx, &c, f->path, f->device, &o) == ASH_OK;
  ash_ctx_forget(f->s->ctx);
  if (fits) {
    fix *to = &f->found[f->count++];
    *to = (fix){.meaning = meaning, .fits = true};
    (void)snprintf(to->option, sizeof to->option, "%s", option);
    count_bytes(to, c.plan);
  }
  ash_compiled_drop(&c);
}

static void try_overlap(search *f) {
  ash_compile_options o = f->s->options;
  if (o.plan.overlap)
    return;
  o.plan.overlap = true;
  try_fix(f, &o, "--overlap", "results overwrite their input while it is read");
}

static void try_rows(search *f) {
  ash_compile_options o = f->s->options;
  if (o.plan.order == ASH_ORDER_AUTO || o.plan.order == ASH_ORDER_ROWS)
    return;
  o.plan.order = ASH_ORDER_ROWS;
  try_fix(f, &o, "--order rows", "operators run row by row");
}

static void try_kernels(search *f) {
  ash_compile_options o = f->s->options;
  if (o.kernels == ASH_KERNELS_PORTABLE)
    return;
  o.kernels = ASH_KERNELS_PORTABLE;
  try_fix(f, &o, "--kernels portable", "slower kernels without work memory");
}

/* Names of inputs or outputs, and the options that name them. */
typedef struct ends {
  const char *names[ARG_LIST_MAX];
  uint32_t count;
  char option[160];
} ends;

/* The model's own name where a shell takes it as it is, else the id. */
static const char *name_for_shells(const ash_tensor *t) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_./:-"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const size_t count = strspn(t->name, plain);
  return count > 0 && count < 48 && !t->name[count] ? t->name : t->id;
}

static bool collect_ends(ends *e, const ash_graph *g, bool inputs) {
  const size_t count =
      inputs ? ash_graph_input_count(g) : ash_graph_output_count(g);
  size_t at = 0;
  for (size_t i = 0; i < count && i < ARG_LIST_MAX; i++) {
    const uint32_t t = inputs ? ash_graph_input(g, i) : ash_graph_output(g, i);
    const char *id = name_for_shells(ash_graph_tensor(g, t));
    const int n = snprintf(e->option + at, sizeof e->option - at, "%s--%s %s",
                           i ? " " : "", inputs ? "feed" : "drain", id);
    if (n < 0 || (size_t)n >= sizeof e->option - at)
      return false;
    at += (size_t)n;
    e->names[e->count++] = id;
  }
  return e->count > 0;
}

/* Inputs that arrive row by row, then outputs that leave so as well. */
static void try_streams(search *f, const ash_graph *g) {
  ash_compile_options o = f->s->options;
  ends in = {.count = 0}, out = {.count = 0};
  char both[sizeof in.option + sizeof out.option + 1];
  const size_t before = f->count;
  if (o.plan.feed_count || o.plan.drain_count || !collect_ends(&in, g, true))
    return;
  o.plan.feed = in.names;
  o.plan.feed_count = in.count;
  try_fix(f, &o, in.option, "rows of the input arrive while the model runs");
  if (f->count > before || !collect_ends(&out, g, false))
    return;
  o.plan.drain = out.names;
  o.plan.drain_count = out.count;
  (void)snprintf(both, sizeof both, "%s %s", in.option, out.option);
  try_fix(f, &o, both, "rows arrive and leave while the model runs");
}

/* The session's rules and one more. */
static const ash_rules *rules_with(search *f, const char *rule) {
  const session *s = f->s;
  ash_rules *book;
  ash_status status = ash_rules_new(s->ctx, &book);
  for (size_t i = 0; i < s->rule_files.count && status == ASH_OK; i++)
    status = ash_rules_load(s->ctx, book, s->rule_files.items[i]);
  for (size_t i = 0; i < s->rules.count && status == ASH_OK; i++)
    status = ash_rules_add(s->ctx, book, s->rules.items[i]);
  if (status == ASH_OK)
    status = ash_rules_add(s->ctx, book, rule);
  return status == ASH_OK ? book : NULL;
}

/* Memories that the planner does not use on its own. */
static void try_memory(search *f, const ash_memory *m, const char *role) {
  ash_compile_options o = f->s->options;
  char rule[96], option[128];
  (void)snprintf(rule, sizeof rule, "type=%s memory=%s", role, m->name);
  (void)snprintf(option, sizeof option, "-r '%s'", rule);
  o.plan.rules = rules_with(f, rule);
  if (o.plan.rules)
    try_fix(f, &o, option,
            strcmp(role, "constant") == 0 ? "constants in another memory"
                                          : "activations in another memory");
}

static void try_memories(search *f) {
  const ash_device *d = f->device;
  for (uint32_t i = 0; i < d->memory_count; i++) {
    if (d->memories[i].kind == ASH_MEMORY_RAM && i != d->default_memory)
      try_memory(f, &d->memories[i], "scratch");
    if (i != d->constant_memory)
      try_memory(f, &d->memories[i], "constant");
  }
}

size_t find_fixes(session *s, fix *out, size_t most, const char *path,
                  const ash_device *device) {
  search f = {.s = s, .path = path, .device = device, .found = out};
  ash_graph *g;
  f.most = most;
  if (ash_load_model_with(s->ctx, &g, path, &s->options.load) != ASH_OK)
    return 0;
  ash_ctx_forget(s->ctx);
  try_memories(&f);
  try_overlap(&f);
  try_rows(&f);
  try_streams(&f, g);
  try_kernels(&f);
  ash_graph_free(g);
  return f.count;
}

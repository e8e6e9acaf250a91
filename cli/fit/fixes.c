/* fixes.c - see fixes.h. */
#include "fit/fixes.h"

#include "show/plan_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct search {
  session *s;
  const char *path;
  const ash_device *device;
  fixes *found;
  size_t most;
  uint64_t below; /* only plans with fewer bytes of scratch count */
  bool fits;      /* as it is; else any plan helps                */
} search;

fixes *fixes_new(void) {
  return calloc(1, sizeof(fixes));
}

static uint32_t memory_index(const ash_device *d, const char *name) {
  uint32_t i = 0;
  while (i < d->memory_count && strcmp(d->memories[i].name, name) != 0)
    i++;
  return i;
}

static void count_bytes(fix *f, const ash_plan *p, const ash_device *d) {
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const ash_arena *a = &p->arenas[i];
    const uint32_t memory = memory_index(d, a->memory);
    *(a->role == ASH_SCRATCH ? &f->scratch : &f->stored) += a->size;
    if (a->role == ASH_SCRATCH && memory < d->memory_count)
      f->in_memory[memory] += a->size;
  }
}

static void keep(search *f, const ash_compile_options *options,
                 const char *option, const char *meaning, const ash_plan *p) {
  fix *to = &f->found->items[f->found->count++];
  *to = (fix){.meaning = meaning, .options = *options};
  (void)snprintf(to->option, sizeof to->option, "%s", option);
  count_bytes(to, p, f->device);
}

static void try_fix(search *f, const ash_compile_options *options,
                    const char *option, const char *meaning) {
  ash_compiled c;
  ash_compile_options o = *options;
  if (f->found->count == f->most)
    return;
  o.stop = true;
  o.stop_after = ASH_STAGE_PLAN;
  o.dump = NULL;
  progress_part(&f->s->progress, f->fits ? "what needs less" : "what would fit",
                f->found->count, 0);
  if (ash_compile(f->s->ctx, &c, f->path, f->device, &o) == ASH_OK &&
      plan_scratch(c.plan) < f->below)
    keep(f, options, option, meaning, c.plan);
  ash_ctx_forget(f->s->ctx);
  ash_compiled_drop(&c);
}

static void try_overlap(search *f) {
  ash_compile_options o = f->s->options;
  if (o.plan.overlap)
    return;
  o.plan.overlap = true;
  try_fix(f, &o, "--overlap", "results overwrite their input while it is read");
}

/* Where whole operators do not fit, the automatic order has tried rows. */
static void try_rows(search *f) {
  ash_compile_options o = f->s->options;
  if (o.plan.order == ASH_ORDER_ROWS ||
      (o.plan.order == ASH_ORDER_AUTO && !f->fits))
    return;
  o.plan.order = ASH_ORDER_ROWS;
  try_fix(f, &o, "--order rows", "operators run row by row");
}

/* What asks more of the caller must need less than what was found without. */
static uint64_t least_found(const search *f) {
  uint64_t least = f->below;
  for (size_t i = 0; i < f->found->count && f->fits; i++)
    if (f->found->items[i].scratch < least)
      least = f->found->items[i].scratch;
  return least;
}

static void try_kernels(search *f) {
  ash_compile_options o = f->s->options;
  if (o.kernels == ASH_KERNELS_PORTABLE)
    return;
  o.kernels = ASH_KERNELS_PORTABLE;
  try_fix(f, &o, "--kernels portable", "slower kernels without work memory");
}

/* The model's own name where a shell takes it as it is, else the id. */
static const char *name_for_shells(const ash_tensor *t) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789_./:-"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const size_t count = strspn(t->name, plain);
  return count > 0 && count < 48 && !t->name[count] ? t->name : t->id;
}

static bool collect_ends(fix_ends *e, const ash_graph *g, bool inputs) {
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
    (void)snprintf(e->text[e->count], FIX_NAME_BYTES, "%s", id);
    e->names[e->count] = e->text[e->count];
    e->count++;
  }
  return e->count > 0;
}

/* Inputs that arrive row by row, then outputs that leave so as well. */
static void try_streams(search *f, const ash_graph *g) {
  ash_compile_options o = f->s->options;
  fix_ends *in = &f->found->inputs, *out = &f->found->outputs;
  const char *rows = "";
  char text[FIX_BYTES];
  const size_t before = f->found->count;
  if (o.plan.feed_count || o.plan.drain_count || !collect_ends(in, g, true))
    return;
  if (f->fits && o.plan.order != ASH_ORDER_ROWS) {
    o.plan.order = ASH_ORDER_ROWS;
    rows = "--order rows ";
  }
  o.plan.feed = in->names;
  o.plan.feed_count = in->count;
  (void)snprintf(text, sizeof text, "%s%s", rows, in->option);
  try_fix(f, &o, text, "rows of the input arrive while the model runs");
  if (f->found->count > before || !collect_ends(out, g, false))
    return;
  o.plan.drain = out->names;
  o.plan.drain_count = out->count;
  (void)snprintf(text, sizeof text, "%s%s %s", rows, in->option, out->option);
  try_fix(f, &o, text, "rows arrive and leave while the model runs");
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

static void find(search *f) {
  ash_graph *g;
  if (ash_load_model_with(f->s->ctx, &g, f->path, &f->s->options.load) !=
      ASH_OK)
    return;
  ash_ctx_forget(f->s->ctx);
  if (!f->fits)
    try_memories(f);
  try_overlap(f);
  try_rows(f);
  try_kernels(f);
  f->below = least_found(f);
  try_streams(f, g);
  ash_graph_free(g);
  progress_clear(&f->s->progress);
}

void find_fixes(session *s, fixes *out, size_t most, const char *path,
                const ash_device *device) {
  find(&(search){.s = s,
                 .path = path,
                 .device = device,
                 .found = out,
                 .most = most,
                 .below = UINT64_MAX});
}

void find_savings(session *s, fixes *out, const char *path,
                  const ash_device *device, uint64_t scratch) {
  find(&(search){.s = s,
                 .path = path,
                 .device = device,
                 .found = out,
                 .most = FIXES_MAX,
                 .below = scratch,
                 .fits = true});
}

void print_fixes(FILE *to, const fixes *f) {
  for (size_t i = 0; i < f->count; i++)
    fprintf(to, "  %zu. %s\n      %s: %" PRIu64 " bytes of RAM\n", i + 1,
            f->items[i].option, f->items[i].meaning, f->items[i].scratch);
}

/* cmd_fit.c - ashlar fit MODEL: the model planned for every built-in device;
 * which it fits, with how much room left, and what would make it fit. */
#include "commands.h"
#include "fit/fixes.h"
#include "fit/room.h"
#include "session.h"
#include "show/json_out.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
  session s;
  const char *path;
  fixes *fixes;
  bool json;
} job;

/* One device. */
typedef struct outcome {
  const ash_device *device;
  bool fits;
  ash_order_kind order;
  bool tiled;
  uint64_t scratch, scratch_has; /* bytes, of all memories it is in        */
  uint64_t stored;               /* constants and state                    */
  uint64_t microseconds;         /* of one run, estimated; 0: no clock known */
  shortage lacks;                /* the worst; memory NULL: not known       */
  char help[FIX_BYTES];          /* the first fix, if it does not           */
} outcome;

/* A memory with scratch counts once in what the device has. */
static void take_plan(outcome *o, const ash_plan *p, const ash_graph *g) {
  if (o->device->mhz)
    o->microseconds = ash_plan_estimate(p, g) / o->device->mhz;
  o->order = p->order.kind;
  o->tiled = p->tilings != NULL;
  for (uint32_t i = 0; i < p->arena_count; i++) {
    const ash_arena *a = &p->arenas[i];
    if (a->role == ASH_SCRATCH) {
      o->scratch += a->size;
      o->scratch_has += a->total_size;
    } else {
      o->stored += a->size;
    }
  }
}

static void take_shortage(job *j, outcome *o) {
  room r;
  if (plan_with_room(&j->s, &r, j->path, o->device)) {
    take_plan(o, &r.plan, r.made.graph);
    for (uint32_t i = 0; i < r.shortage_count; i++)
      if (!o->lacks.memory || r.shortages[i].needs - r.shortages[i].has >
                                  o->lacks.needs - o->lacks.has)
        o->lacks = r.shortages[i];
    ash_compiled_drop(&r.made);
  }
  *j->fixes = (fixes){.count = 0};
  find_fixes(&j->s, j->fixes, 1, j->path, o->device);
  if (j->fixes->count)
    memcpy(o->help, j->fixes->items[0].option, sizeof o->help);
}

/* "Does not fit" is an answer; anything else that goes wrong is not. */
static ash_status try_device(job *j, outcome *o, size_t index) {
  ash_compiled c = {0};
  ash_status status = ASH_OK;
  *o = (outcome){.device = j->s.device};
  if (!j->s.target)
    status = ash_device_load(j->s.ctx, &o->device, ash_device_builtin(index));
  if (status != ASH_OK)
    return status;
  status = ash_compile(j->s.ctx, &c, j->path, o->device, &j->s.options);
  o->fits = status == ASH_OK;
  if (o->fits)
    take_plan(o, c.plan, c.graph);
  ash_compiled_drop(&c);
  if (status != ASH_OK && status != ASH_NOFIT)
    return status;
  ash_ctx_forget(j->s.ctx);
  if (!o->fits)
    take_shortage(j, o);
  return ASH_OK;
}

/* ---- the answer ---------------------------------------------------------- */

static uint64_t ram_of(const ash_device *d) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->memory_count; i++)
    if (d->memories[i].kind == ASH_MEMORY_RAM)
      sum += d->memories[i].bytes;
  return sum;
}

/* What fits first; the smallest device first. */
static int by_size(const void *left, const void *right) {
  const outcome *a = left, *b = right;
  const uint64_t x = ram_of(a->device), y = ram_of(b->device);
  if (a->fits != b->fits)
    return a->fits ? -1 : 1;
  return x != y ? (x < y ? -1 : 1) : strcmp(a->device->name, b->device->name);
}

static const char *how(const outcome *o) {
  if (o->tiled)
    return "in tiles";
  return o->order == ASH_ORDER_ROWS ? "row by row" : "";
}

static void print_row(const outcome *o) {
  printf("  %-17s %-14s %-4s %10" PRIu64, o->device->name, o->device->cpu,
         o->fits ? "yes" : "no", o->scratch);
  if (o->scratch_has)
    printf(" %6.1f %%", 100.0 * (double)o->scratch / (double)o->scratch_has);
  else
    printf(" %8s", "");
  printf(" %10" PRIu64, o->stored);
  if (o->microseconds)
    printf(" %9.1f  ", (double)o->microseconds / 1000);
  else
    printf(" %9s  ", "-");
  if (o->fits)
    printf("%s\n", how(o));
  else if (o->help[0])
    printf("fits with %s\n", o->help);
  else if (o->lacks.memory)
    printf("%" PRIu64 " bytes of %s short\n", o->lacks.needs - o->lacks.has,
           o->lacks.memory);
  else
    printf("too small\n");
}

static void print_table(const outcome *rows, size_t count) {
  size_t fitting = 0, helped = 0;
  printf("  %-17s %-14s %-4s %10s %8s %10s %9s\n", "device", "cpu", "fits",
         "RAM bytes", "of RAM", "constants", "about ms");
  for (size_t i = 0; i < count; i++) {
    print_row(&rows[i]);
    fitting += rows[i].fits;
    helped += rows[i].help[0] != '\0';
  }
  printf("%zu of %zu devices fit; RAM without the device's reserve for stack "
         "and heap;\nmilliseconds of one run are an estimate from the kernels "
         "and the device's clock\n",
         fitting, count);
  if (helped)
    printf("\"fits with\": add the option, or --apply 1, to 'ashlar plan' or "
           "'ashlar compile'\n");
}

static void print_json(const outcome *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const outcome *o = &rows[i];
    bool first = true;
    printf("%s {", i ? ",\n" : "[\n");
    json_key_text(stdout, &first, "device", o->device->name);
    json_key_text(stdout, &first, "cpu", o->device->cpu);
    json_key_bool(stdout, &first, "fits", o->fits);
    json_key_uint(stdout, &first, "scratch", o->scratch);
    json_key_uint(stdout, &first, "constants", o->stored);
    json_key_uint(stdout, &first, "of", o->scratch_has);
    if (o->microseconds)
      json_key_uint(stdout, &first, "estimated_microseconds", o->microseconds);
    if (o->fits)
      json_key_text(stdout, &first, "order", ash_order_text(o->order));
    if (o->fits)
      json_key_bool(stdout, &first, "tiled", o->tiled);
    if (o->lacks.memory) {
      json_key_text(stdout, &first, "memory", o->lacks.memory);
      json_key_uint(stdout, &first, "short", o->lacks.needs - o->lacks.has);
    }
    if (o->help[0])
      json_key_text(stdout, &first, "fits_with", o->help);
    printf("}");
  }
  printf("%s", count ? "\n]\n" : "[]\n");
}

static size_t count_devices(void) {
  size_t n = 0;
  while (ash_device_builtin(n))
    n++;
  return n;
}

static ash_status fit(job *j) {
  const size_t count = j->s.target ? 1 : count_devices();
  outcome *rows = calloc(count, sizeof *rows);
  j->fixes = fixes_new();
  ash_status status = rows && j->fixes ? ASH_OK : ASH_NOMEM;
  for (size_t i = 0; i < count && status == ASH_OK; i++) {
    progress_part(&j->s.progress, "device", i, count);
    status = try_device(j, &rows[i], i);
  }
  progress_clear(&j->s.progress);
  if (status == ASH_OK) {
    bool any = false;
    for (size_t i = 0; i < count; i++)
      any = any || rows[i].fits;
    qsort(rows, count, sizeof *rows, by_size);
    if (j->json)
      print_json(rows, count);
    else if (!j->s.quiet)
      print_table(rows, count);
    status = any ? ASH_OK : ASH_NOFIT;
  }
  free(j->fixes);
  free(rows);
  return status;
}

int cmd_fit(int argc, char **argv) {
  job j = {0};
  arg_list models;
  const arg_option options[] = {
      {"json", 0, ARG_FLAG, &j.json, NULL, "print the table as JSON"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("fit");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && !j.s.target && (j.s.sets.count || j.s.budgets.count))
    code = usage_error(cmd, "--set and --budget need a --target");
  if (code < 0)
    code = session_open(&j.s, cmd);
  if (code >= 0)
    return code;
  j.path = models.items[0];
  j.s.options.stop = true;
  j.s.options.stop_after = ASH_STAGE_PLAN;
  return session_close(&j.s, fit(&j));
}

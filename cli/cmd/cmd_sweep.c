/* cmd_sweep.c - ashlar sweep MODEL --set MEM=16K..256K: the model planned for
 * many sizes of one memory, and the smallest that does. Where that one runs row
 * by row and a larger one does not, sizes between them show what each byte
 * costs: from row by row to layer by layer. */
#include "commands.h"
#include "session.h"
#include "show/plan_facts.h"

#include <inttypes.h>
#include <string.h>

enum {
  GRAIN = 16, /* bytes; the search for the smallest goes no finer */
  ROWS = 160, /* powers of two and the middles between them: 128 at most */
  POINTS = 4, /* between the smallest and the one without rows */
  SIZES = ROWS + POINTS + 1, /* and the smallest */
  CURVE = 28                 /* columns of the longest bar */
};

typedef struct job {
  session s;
  char memory[64];
  uint64_t from, to;
  const char *path, *report;
  bool json;
} job;

/* One size: does it fit, and into what? */
typedef struct outcome {
  uint64_t bytes;
  bool fits;
  const ash_plan *plan;
  uint64_t used;    /* of that memory, all arenas in it */
  uint64_t cycles;  /* modelled                         */
  uint32_t row_ops; /* operators that run row by row   */
} outcome;

typedef struct table {
  outcome rows[SIZES];
  size_t count;
} table;

/* Takes the --set with ".." out of the list. -1 to go on. */
static int take_range(job *j, const command *cmd) {
  arg_list *sets = &j->s.sets;
  for (size_t i = 0; i < sets->count; i++) {
    const char *text = sets->items[i], *dots = strstr(text, "..");
    const char *equals = strchr(text, '=');
    char low[32];
    if (!dots)
      continue;
    if (!equals || equals > dots || equals == text ||
        (size_t)(equals - text) >= sizeof j->memory ||
        (size_t)(dots - equals) > sizeof low)
      return usage_error(cmd, "'%s' is not MEM=FROM..TO", text);
    memcpy(j->memory, text, (size_t)(equals - text));
    memcpy(low, equals + 1, (size_t)(dots - equals - 1));
    low[dots - equals - 1] = '\0';
    if (!ash_parse_bytes(&j->from, low) || !ash_parse_bytes(&j->to, dots + 2) ||
        j->from == 0 || j->from > j->to)
      return usage_error(cmd, "'%s' is not MEM=FROM..TO", text);
    memmove(&sets->items[i], &sets->items[i + 1],
            (sets->count - i - 1) * sizeof *sets->items);
    sets->count--;
    return -1;
  }
  return usage_error(cmd, "a range is needed: --set MEM=16K..256K");
}

/* The whole pipeline for each size, because what does not fit is compiled in
 * another way. "Does not fit" is an answer; anything else that goes wrong is
 * not. */
static ash_status try_size(job *j, outcome *out, uint64_t bytes) {
  const ash_device *device = j->s.device;
  ash_compiled c = {0};
  *out = (outcome){.bytes = bytes};
  ash_status status = ash_device_set_bytes(j->s.ctx, &device, j->memory, bytes);
  if (status != ASH_OK)
    status = ASH_NOFIT; /* less than what is reserved */
  else
    status = ash_compile(j->s.ctx, &c, j->path, device, &j->s.options);
  out->fits = status == ASH_OK;
  out->plan = c.plan; /* kept by the context */
  if (out->fits) {
    out->cycles = ash_plan_cycles(c.plan, c.graph, device, NULL);
    out->row_ops = plan_row_ops(c.plan);
    for (uint32_t i = 0; i < c.plan->arena_count; i++)
      if (strcmp(c.plan->arenas[i].memory, j->memory) == 0)
        out->used += c.plan->arenas[i].size;
  }
  ash_compiled_drop(&c);
  if (status != ASH_OK && status != ASH_NOFIT)
    return status;
  ash_ctx_forget(j->s.ctx);
  return ASH_OK;
}

static void print_json(const outcome *o, bool first) {
  printf("%s\n  {\"bytes\": %" PRIu64 ", \"fits\": %s", first ? "" : ",",
         o->bytes, o->fits ? "true" : "false");
  if (o->fits) {
    printf(", \"used\": %" PRIu64 ", \"cycles\": %" PRIu64
           ", \"row_operators\": %" PRIu32
           ", \"verdict\": \"%s\", \"arenas\": [",
           o->used, o->cycles, o->row_ops, ash_verdict_text(o->plan->verdict));
    for (uint32_t i = 0; i < o->plan->arena_count; i++)
      printf("%s{\"role\": \"%s\", \"memory\": \"%s\", \"size\": %" PRIu64 "}",
             i ? ", " : "", ash_role_text(o->plan->arenas[i].role),
             o->plan->arenas[i].memory, o->plan->arenas[i].size);
    printf("]");
  }
  printf("}");
}

/* Cycles as a bar: the curve, lying on its side. */
static void print_bar(const job *j, uint64_t cycles, uint64_t most) {
  const uint64_t eighths = most ? cycles * CURVE * 8 / most : 0;
  static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  for (uint64_t i = 0; i < eighths / 8; i++)
    fputs(j->s.out.unicode ? "█" : "#", stdout);
  if (j->s.out.unicode)
    fputs(parts[eighths % 8], stdout);
}

static void print_row(const job *j, const outcome *o, uint64_t least,
                      uint64_t most) {
  char size[24];
  printf("  %10s  %-4s", ash_format_bytes(size, sizeof size, o->bytes),
         o->fits ? "yes" : "no");
  if (o->fits) {
    printf("  %10" PRIu64 "  %12" PRIu64 "  %+6.1f %%  ", o->used, o->cycles,
           least ? 100.0 * (double)(o->cycles - least) / (double)least : 0.0);
    print_bar(j, o->cycles, most);
    if (o->row_ops)
      printf("  %" PRIu32 " by rows", o->row_ops);
    if (j->s.verbose)
      for (uint32_t i = 0; i < o->plan->arena_count; i++)
        printf("  %s %s %" PRIu64, o->plan->arenas[i].memory,
               ash_role_text(o->plan->arenas[i].role), o->plan->arenas[i].size);
    if (o->plan->verdict != ASH_OPTIMAL)
      printf("  (not proved)");
  }
  printf("\n");
}

static void print_table(const job *j, const table *t) {
  const outcome *rows = t->rows;
  const size_t count = t->count;
  uint64_t most = 0, least = UINT64_MAX;
  for (size_t i = 0; i < count; i++) {
    if (rows[i].fits && rows[i].cycles > most)
      most = rows[i].cycles;
    if (rows[i].fits && rows[i].cycles < least)
      least = rows[i].cycles;
  }
  if (j->json)
    printf("[");
  else
    printf("  %10s  %-4s  %10s  %12s\n", j->memory, "fits", "used", "cycles");
  for (size_t i = 0; i < count; i++)
    if (j->json)
      print_json(&rows[i], i == 0);
    else
      print_row(j, &rows[i], least, most);
  if (j->json)
    printf("\n]\n");
}

/* Powers of two and the middles between them, and both ends. */
static uint64_t next_size(uint64_t bytes, uint64_t to) {
  uint64_t power = 1;
  while (power <= bytes / 2)
    power *= 2;
  const uint64_t middle = power + power / 2, next = power * 2;
  const uint64_t wanted = bytes < middle ? middle : next;
  return bytes < to && wanted > to ? to : wanted;
}

/* What the sizes include that the model does not use. */
static void print_reserve(const job *j) {
  uint64_t reserve = 0;
  for (uint32_t i = 0; i < j->s.device->memory_count; i++)
    if (strcmp(j->s.device->memories[i].name, j->memory) == 0)
      reserve = j->s.device->memories[i].reserve_bytes;
  if (reserve)
    printf(", of which the device reserves %" PRIu64 " for stack and heap",
           reserve);
  printf("\n");
}

/* The smallest size that fits, on a grid; sizes between a "no" and a "yes". */
static ash_status find_smallest(job *j, outcome *best, uint64_t no) {
  while (best->bytes - no > GRAIN) {
    const uint64_t middle = (no + (best->bytes - no) / 2) / GRAIN * GRAIN;
    outcome o;
    const uint64_t at = middle > no ? middle : no + GRAIN;
    const ash_status status = try_size(j, &o, at);
    if (status != ASH_OK)
      return status;
    if (o.fits)
      *best = o;
    else
      no = at;
  }
  return ASH_OK;
}

static size_t list_sizes(const job *j, uint64_t *sizes) {
  size_t n = 0;
  for (uint64_t bytes = j->from; bytes <= j->to && n < ROWS;
       bytes = next_size(bytes, j->to))
    sizes[n++] = bytes;
  return n;
}

static ash_status try_sizes(job *j, table *t, outcome *best, uint64_t *no) {
  uint64_t sizes[ROWS];
  const size_t count = list_sizes(j, sizes);
  for (; t->count < count; t->count++) {
    outcome *o = &t->rows[t->count];
    progress_part(&j->s.progress, "size", t->count, count);
    const ash_status status = try_size(j, o, sizes[t->count]);
    if (status != ASH_OK)
      return status;
    if (o->fits && !best->fits)
      *best = *o;
    else if (!o->fits && !best->fits)
      *no = o->bytes;
  }
  return ASH_OK;
}

/* Where it belongs; a size that is there already is not repeated. */
static void put(table *t, const outcome *o) {
  size_t at = t->count;
  while (at > 0 && t->rows[at - 1].bytes > o->bytes)
    at--;
  if (at > 0 && t->rows[at - 1].bytes == o->bytes)
    return;
  memmove(t->rows + at + 1, t->rows + at, (t->count - at) * sizeof *o);
  t->rows[at] = *o;
  t->count++;
}

/* Between the smallest size, if it needs rows, and what the first one without
 * rows uses. */
static ash_status add_curve(job *j, table *t, const outcome *smallest) {
  const outcome *whole = t->rows;
  while (whole < t->rows + t->count && (!whole->fits || whole->row_ops))
    whole++;
  if (!smallest->row_ops || whole == t->rows + t->count)
    return ASH_OK;
  const uint64_t more = whole->used - smallest->used;
  for (uint64_t i = 1; i <= POINTS; i++) {
    outcome o;
    const uint64_t bytes =
        smallest->bytes + (more * i / POINTS + GRAIN - 1) / GRAIN * GRAIN;
    progress_part(&j->s.progress, "curve", i - 1, POINTS);
    const ash_status status = try_size(j, &o, bytes);
    if (status != ASH_OK)
      return status;
    put(t, &o);
  }
  put(t, smallest);
  return ASH_OK;
}

/* Sizes that fit, of those with the same plan the first. */
static size_t list_points(ash_report_point *points, const table *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) {
    const outcome *o = &t->rows[i];
    const ash_report_point *last = count ? &points[count - 1] : NULL;
    if (o->fits &&
        !(last && last->used == o->used && last->cycles == o->cycles))
      points[count++] =
          (ash_report_point){o->bytes, o->used, o->cycles, o->row_ops};
  }
  return count;
}

/* The page of the smallest plan, which is made again: sizes that were tried
 * keep no graph. */
static ash_status write_curve(job *j, table *t, const outcome *best) {
  ash_report_point points[SIZES];
  const ash_device *device = j->s.device;
  ash_compiled c = {0};
  const char *text;
  size_t count;
  put(t, best);
  const ash_report_curve curve = {j->memory, points, list_points(points, t),
                                  best->bytes};
  ash_status status =
      ash_device_set_bytes(j->s.ctx, &device, j->memory, best->bytes);
  if (status == ASH_OK)
    status = ash_compile(j->s.ctx, &c, j->path, device, &j->s.options);
  if (status == ASH_OK)
    status =
        ash_report_curve_html(j->s.ctx, &text, &count, c.plan, c.graph, &curve);
  if (status == ASH_OK)
    status = write_text(&j->s, j->report, text, count);
  ash_compiled_drop(&c);
  return status;
}

static void print_all(const job *j, const table *t, const outcome *best,
                      bool is_first) {
  if (is_stdout(j->report))
    return;
  if (!j->s.quiet || j->json)
    print_table(j, t);
  if (!best->fits || j->json)
    return;
  printf("%s %s: %" PRIu64 " bytes",
         is_first ? "fits already with the smallest asked for," : "smallest",
         j->memory, best->bytes);
  print_reserve(j);
}

static ash_status sweep(job *j) {
  static table t;
  uint64_t no = 0;
  outcome best = {0};
  ash_status status = try_sizes(j, &t, &best, &no);
  if (status == ASH_OK && best.fits && no > 0)
    status = find_smallest(j, &best, no);
  if (status == ASH_OK && best.fits)
    status = add_curve(j, &t, &best);
  progress_clear(&j->s.progress);
  if (status != ASH_OK)
    return status;
  print_all(j, &t, &best, no == 0);
  if (!best.fits)
    return ASH_NOFIT;
  return j->report ? write_curve(j, &t, &best) : ASH_OK;
}

static int run(job *j, const char *path) {
  uint32_t memory;
  j->path = path;
  j->s.options.stop = true;
  j->s.options.stop_after = ASH_STAGE_PLAN;
  ash_status status =
      ash_device_find_memory(j->s.ctx, &memory, j->s.device, j->memory);
  if (status == ASH_OK) {
    status = sweep(j);
    if (status == ASH_NOFIT)
      fprintf(stderr, "ashlar sweep: the model fits none of these sizes\n");
  }
  return session_close(&j->s, status);
}

int cmd_sweep(int argc, char **argv) {
  job j = {0};
  arg_list models;
  const arg_option options[] = {
      {"json", 0, ARG_FLAG, &j.json, NULL, "print the table as JSON"},
      {"report", 0, ARG_TEXT, &j.report, "FILE",
       "write the smallest plan and the curve as a web page"},
      SESSION_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("sweep");
  int code = args_parse(cmd, argc, argv, options, &models);
  if (code < 0 && models.count != 1)
    code = usage_error(cmd, "one model file is needed");
  if (code < 0 && j.json && is_stdout(j.report))
    code = usage_error(cmd, "--json and --report cannot both go to '-'");
  if (code < 0)
    code = take_range(&j, cmd);
  if (code < 0)
    code = session_open(&j.s, cmd);
  return code >= 0 ? code : run(&j, models.items[0]);
}

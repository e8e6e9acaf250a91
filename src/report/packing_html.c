/* packing_html.c - a packing in the viewer: the page shows plans, so a packing
 * is told as one. Its steps are the times between which nothing begins or ends;
 * buffers are born in one and used for the last time in another. */
#include "ashlar/report.h"
#include "base/json.h"
#include "base/sort.h"

#include <stdio.h>

typedef struct packing {
  ash_ctx *ctx;
  const ash_csv *csv;
  const ash_place_result *result;
  int64_t *times; /* sorted, each once; the last begins no step          */
  size_t time_count;
  uint32_t *by_birth, *by_death; /* buffers that take room                */
  size_t count;
} packing;

static bool takes_room(const ash_buffer *b) {
  return b->size > 0 && b->lower < b->upper;
}

/* ---- times -------------------------------------------------------------- */

static int compare_times(const void *a, const void *b, const void *user) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  (void)user;
  return (x > y) - (x < y);
}

static int compare_births(const void *a, const void *b, const void *user) {
  const ash_buffer *all = user;
  return compare_times(&all[*(const uint32_t *)a].lower,
                       &all[*(const uint32_t *)b].lower, NULL);
}

static int compare_deaths(const void *a, const void *b, const void *user) {
  const ash_buffer *all = user;
  return compare_times(&all[*(const uint32_t *)a].upper,
                       &all[*(const uint32_t *)b].upper, NULL);
}

static ash_status collect(packing *p) {
  ash_zone *z = &p->ctx->scratch;
  const ash_buffer *all = p->csv->buffers;
  const size_t n = p->csv->count;
  int64_t *spare = ASH_NEW_ARRAY(z, int64_t, 2 * n + 1);
  p->times = ASH_NEW_ARRAY(z, int64_t, 2 * n + 1);
  p->by_birth = ASH_NEW_ARRAY(z, uint32_t, n + 1);
  p->by_death = ASH_NEW_ARRAY(z, uint32_t, n + 1);
  ASH_TRY(ash_zone_check(p->ctx, z));
  for (uint32_t i = 0; i < n; i++) {
    if (!takes_room(&all[i]))
      continue;
    p->times[2 * p->count] = all[i].lower;
    p->times[2 * p->count + 1] = all[i].upper;
    p->by_birth[p->count] = p->by_death[p->count] = i;
    p->count++;
  }
  ash_sort(p->times, spare, 2 * p->count, sizeof *p->times, compare_times,
           NULL);
  for (size_t i = 0; i < 2 * p->count; i++)
    if (i == 0 || p->times[i] != p->times[i - 1])
      p->times[p->time_count++] = p->times[i];
  ash_sort(p->by_birth, spare, p->count, sizeof *p->by_birth, compare_births,
           all);
  ash_sort(p->by_death, spare, p->count, sizeof *p->by_death, compare_deaths,
           all);
  return ASH_OK;
}

static size_t step_of(const packing *p, int64_t time) {
  size_t low = 0, high = p->time_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (p->times[middle] < time)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- the document ------------------------------------------------------- */

static void put_arena(ash_json *j, const packing *p, uint64_t capacity) {
  ash_json_open(j, "arenas", '[');
  ash_json_open(j, NULL, '{');
  ash_json_uint(j, "region_id", 0);
  ash_json_string(j, "role", "scratch");
  ash_json_string(j, "memory", "memory");
  ash_json_string(j, "source_memory", "memory");
  ash_json_uint(j, "size", p->result->height);
  ash_json_uint(j, "total_size", capacity ? capacity : p->result->height);
  ash_json_uint(j, "alignment", 1);
  ash_json_bool(j, "is_staged", false);
  ash_json_uint(j, "lower_bound", p->result->lower_bound);
  ash_json_string(j, "verdict", ash_verdict_text(p->result->verdict));
  ash_json_close(j, '}');
  ash_json_close(j, ']');
}

/* Identifiers of a CSV file may repeat: the row is the id, theirs the name. */
static void put_buffer(ash_json *j, const packing *p, uint32_t i) {
  const ash_buffer *b = &p->csv->buffers[i];
  char id[16];
  (void)snprintf(id, sizeof id, "%u", (unsigned)i);
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "id", id);
  ash_json_string(j, "name", p->csv->ids[i]);
  ash_json_string(j, "type", "bytes");
  ash_json_open_inline(j, "shape", '[');
  ash_json_uint(j, NULL, b->size);
  ash_json_close(j, ']');
  ash_json_string(j, "role", "scratch");
  ash_json_string(j, "memory", "memory");
  ash_json_string(j, "source_memory", "memory");
  ash_json_int(j, "offset", p->result->offsets[i]);
  ash_json_uint(j, "size", b->size);
  ash_json_uint(j, "alignment", b->alignment ? b->alignment : 1);
  ash_json_uint(j, "first_step", step_of(p, b->lower));
  ash_json_uint(j, "last_step", step_of(p, b->upper) - 1);
  ash_json_null(j, "alias_of");
  if (b->gap_count)
    ash_json_string(j, "reason", "away for a part of this time (gaps)");
  ash_json_close(j, '}');
}

/* The buffers of a sorted list from *at whose time is `time`. */
static void put_ids(ash_json *j, const packing *p, const char *key,
                    const uint32_t *list, bool births, size_t *at,
                    int64_t time) {
  ash_json_open_inline(j, key, '[');
  for (; *at < p->count; (*at)++) {
    const ash_buffer *b = &p->csv->buffers[list[*at]];
    char id[16];
    if ((births ? b->lower : b->upper) != time)
      break;
    (void)snprintf(id, sizeof id, "%u", (unsigned)list[*at]);
    ash_json_string(j, NULL, id);
  }
  ash_json_close(j, ']');
}

static void put_steps(ash_json *j, const packing *p) {
  size_t born = 0, dead = 0;
  ash_json_open(j, "steps", '[');
  for (size_t i = 0; i + 1 < p->time_count; i++) {
    char name[40];
    (void)snprintf(name, sizeof name, "time %lld", (long long)p->times[i]);
    ash_json_open(j, NULL, '{');
    ash_json_uint(j, "step", i);
    ash_json_open(j, "ops", '[');
    ash_json_open(j, NULL, '{');
    ash_json_string(j, "id", name);
    ash_json_string(j, "kind", "time");
    ash_json_uint(j, "source_index", i);
    put_ids(j, p, "inputs", p->by_death, false, &dead, p->times[i + 1]);
    put_ids(j, p, "outputs", p->by_birth, true, &born, p->times[i]);
    ash_json_uint(j, "macs", 0);
    ash_json_close(j, '}');
    ash_json_close(j, ']');
    ash_json_close(j, '}');
  }
  ash_json_close(j, ']');
}

static void put_document(ash_json *j, const packing *p, const char *name,
                         uint64_t capacity) {
  ash_json_open(j, NULL, '{');
  ash_json_string(j, "schema", "ashlar-plan-1");
  ash_json_string(j, "model", name);
  ash_json_string(j, "target", "packing");
  ash_json_string(j, "planner", "exact");
  ash_json_string(j, "verdict", ash_verdict_text(p->result->verdict));
  ash_json_string(j, "plan_hash", "0000000000000000");
  ash_json_string(j, "tensor_layout_hash", "0000000000000000");
  ash_json_uint(j, "ticks", p->result->ticks);
  ash_json_open_inline(j, "inputs", '[');
  ash_json_close(j, ']');
  ash_json_open_inline(j, "outputs", '[');
  ash_json_close(j, ']');
  put_arena(j, p, capacity);
  ash_json_open(j, "tensors", '[');
  for (size_t i = 0; i < p->count; i++)
    put_buffer(j, p, p->by_birth[i]);
  ash_json_close(j, ']');
  put_steps(j, p);
  ash_json_close(j, '}');
}

static ash_status make_page(packing *p, const char **text, size_t *count,
                            const char *name, uint64_t capacity) {
  ash_text t;
  ash_json j;
  ASH_TRY(collect(p));
  ash_text_init(&t, &p->ctx->mem);
  ash_json_init(&j, &t);
  put_document(&j, p, name, capacity);
  ash_status status = ash_text_check(p->ctx, &t);
  if (status == ASH_OK)
    status =
        ash_report_html_json(p->ctx, text, count, t.bytes, t.count, NULL, 0);
  ash_text_drop(&t);
  return status;
}

ash_status ash_report_packing(ash_ctx *ctx, const char **text, size_t *count,
                              const char *name, const ash_csv *csv,
                              const ash_place_result *result,
                              uint64_t capacity) {
  ASH_NEED(ctx, ctx && text && count && name && csv && result &&
                    (csv->count == 0 || (csv->buffers && csv->ids)));
  packing p = {.ctx = ctx, .csv = csv, .result = result};
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  *text = NULL;
  *count = 0;
  const ash_status status = make_page(&p, text, count, name, capacity);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

/* plan_diff.c - what changed between two plans. Both are read from their JSON,
 * their tensors sorted by what tells them apart and walked side by side. That
 * is the model's name where it is unique, which outlives a new export of the
 * model, else the id. */
#include "ashlar/report.h"
#include "base/sort.h"
#include "base/yaml.h"

#include <string.h>

typedef struct entry {
  const char *id, *name;
  const char *key; /* one of the two */
  ash_diff_place place;
} entry;

typedef struct side {
  const ash_yaml *top;
  entry *tensors;
  size_t tensor_count;
  ash_diff_arena *arenas; /* sizes in `after` */
  size_t arena_count;
} side;

const char *ash_change_text(ash_change_kind kind) {
  static const char *const texts[] = {"new", "gone", "size", "place"};
  return (unsigned)kind < 4 ? texts[kind] : "?";
}

/* ---- reading ------------------------------------------------------------- */

static ash_status get_text(ash_ctx *ctx, const char **out, const ash_yaml *map,
                           const char *key) {
  const char *text;
  ASH_TRY(ash_yaml_need_string(ctx, &text, map, key));
  *out = ash_zone_string(&ctx->keep, text);
  return *out ? ASH_OK : ash_nomem(ctx);
}

static int by_number(const void *a, const void *b, const void *user) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  (void)user;
  return x < y ? -1 : x > y;
}

/* The numbers of a list, sorted. */
static ash_status sorted(ash_ctx *ctx, uint64_t **out, const ash_yaml *list) {
  ash_zone *z = &ctx->scratch;
  size_t n = 0;
  *out = ASH_NEW_ARRAY(z, uint64_t, list->count + 1);
  uint64_t *spare = ASH_NEW_ARRAY(z, uint64_t, list->count + 1);
  ASH_TRY(ash_zone_check(ctx, z));
  for (const ash_yaml_item *i = list->first; i; i = i->next)
    ASH_TRY(ash_yaml_u64(ctx, &(*out)[n++], i->node, "a step"));
  ash_sort(*out, spare, n, sizeof **out, by_number, NULL);
  return ASH_OK;
}

/* Rows that begin at or before a step, less those that ended before it. */
static ash_status count_alive(ash_ctx *ctx, uint32_t *most,
                              const ash_yaml *first, const ash_yaml *last) {
  uint64_t *from, *to;
  size_t ended = 0;
  ASH_TRY(sorted(ctx, &from, first));
  ASH_TRY(sorted(ctx, &to, last));
  *most = 0;
  for (size_t begun = 1; begun <= first->count; begun++) {
    while (ended < last->count && to[ended] < from[begun - 1])
      ended++;
    if (begun > ended && begun - ended > *most)
      *most = (uint32_t)(begun - ended);
  }
  return ASH_OK;
}

/* FNV-1a over the numbers. */
static ash_status add_offsets(ash_ctx *ctx, uint64_t *hash,
                              const ash_yaml *list) {
  *hash = 14695981039346656037u;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    uint64_t offset;
    ASH_TRY(ash_yaml_u64(ctx, &offset, i->node, "an offset"));
    *hash = (*hash ^ offset) * 1099511628211u;
  }
  return ASH_OK;
}

static ash_status read_rows(ash_ctx *ctx, ash_diff_place *p,
                            const ash_yaml *rows) {
  const ash_yaml *offsets, *first, *last;
  ASH_TRY(ash_yaml_want_map(ctx, rows, "rows"));
  ASH_TRY(ash_yaml_need_u64(ctx, &p->row_bytes, rows, "bytes"));
  ASH_TRY(ash_yaml_need_list(ctx, &offsets, rows, "offsets"));
  ASH_TRY(ash_yaml_need_list(ctx, &first, rows, "first_steps"));
  ASH_TRY(ash_yaml_need_list(ctx, &last, rows, "last_steps"));
  ASH_TRY(add_offsets(ctx, &p->offsets, offsets));
  p->rows = (uint32_t)offsets->count;
  return count_alive(ctx, &p->most_alive, first, last);
}

/* [step, tensor, row, offset] each. */
static ash_status read_moves(ash_ctx *ctx, side *s) {
  const ash_yaml *moves = ash_yaml_get(s->top, "moves");
  if (!moves)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(ctx, moves, "moves"));
  for (const ash_yaml_item *i = moves->first; i; i = i->next) {
    uint64_t tensor, offset;
    ASH_TRY(ash_yaml_want_list(ctx, i->node, "a move"));
    if (i->node->count != 4)
      continue;
    const ash_yaml_item *at = i->node->first->next;
    ASH_TRY(ash_yaml_u64(ctx, &tensor, at->node, "a tensor"));
    ASH_TRY(ash_yaml_u64(ctx, &offset, at->next->next->node, "an offset"));
    if (tensor >= s->tensor_count)
      continue;
    ash_diff_place *p = &s->tensors[tensor].place;
    p->offsets = (p->offsets ^ offset) * 1099511628211u;
    p->moves++;
  }
  return ASH_OK;
}

static ash_status read_tensor(ash_ctx *ctx, entry *e, const ash_yaml *map) {
  ASH_TRY(get_text(ctx, &e->id, map, "id"));
  ASH_TRY(get_text(ctx, &e->name, map, "name"));
  ASH_TRY(get_text(ctx, &e->place.role, map, "role"));
  ASH_TRY(get_text(ctx, &e->place.memory, map, "memory"));
  ASH_TRY(ash_yaml_need_u64(ctx, &e->place.offset, map, "offset"));
  ASH_TRY(ash_yaml_need_u64(ctx, &e->place.size, map, "size"));
  const ash_yaml *rows = ash_yaml_get(map, "rows");
  return rows ? read_rows(ctx, &e->place, rows) : ASH_OK;
}

static ash_status read_arena(ash_ctx *ctx, ash_diff_arena *a,
                             const ash_yaml *map) {
  ASH_TRY(get_text(ctx, &a->role, map, "role"));
  ASH_TRY(get_text(ctx, &a->memory, map, "memory"));
  return ash_yaml_need_u64(ctx, &a->after, map, "size");
}

static int compare_names(const void *a, const void *b, const void *user) {
  (void)user;
  return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

/* Names before ids, so that a name "5" is not the tensor 5. */
static int compare_entries(const entry *a, const entry *b) {
  const bool by_id_a = a->key == a->id, by_id_b = b->key == b->id;
  return by_id_a != by_id_b ? by_id_a - by_id_b : strcmp(a->key, b->key);
}

static int compare_keys(const void *a, const void *b, const void *user) {
  (void)user;
  return compare_entries(a, b);
}

static void choose_keys(side *s, entry *spare) {
  const size_t n = s->tensor_count;
  ash_sort(s->tensors, spare, n, sizeof *spare, compare_names, NULL);
  for (size_t i = 0; i < n; i++) {
    entry *e = &s->tensors[i];
    const bool repeats =
        (i > 0 && strcmp(e->name, s->tensors[i - 1].name) == 0) ||
        (i + 1 < n && strcmp(e->name, s->tensors[i + 1].name) == 0);
    e->key = *e->name && !repeats ? e->name : e->id;
  }
  ash_sort(s->tensors, spare, n, sizeof *spare, compare_keys, NULL);
}

static ash_status read_side(ash_ctx *ctx, side *s, const ash_plan_text *plan) {
  const ash_yaml *arenas, *tensors;
  ash_zone *zone = &ctx->scratch;
  ASH_TRY(
      ash_yaml_parse(ctx, &s->top, zone, plan->text, plan->count, plan->file));
  ASH_TRY(ash_yaml_want_map(ctx, s->top, "a plan"));
  ASH_TRY(ash_yaml_need_list(ctx, &arenas, s->top, "arenas"));
  ASH_TRY(ash_yaml_need_list(ctx, &tensors, s->top, "tensors"));
  s->arenas = ASH_NEW_ARRAY(zone, ash_diff_arena, arenas->count + 1);
  s->tensors = ASH_NEW_ARRAY(zone, entry, tensors->count + 1);
  entry *spare = ASH_NEW_ARRAY(zone, entry, tensors->count + 1);
  ASH_TRY(ash_zone_check(ctx, zone));
  for (const ash_yaml_item *i = arenas->first; i; i = i->next)
    ASH_TRY(read_arena(ctx, &s->arenas[s->arena_count++], i->node));
  for (const ash_yaml_item *i = tensors->first; i; i = i->next)
    ASH_TRY(read_tensor(ctx, &s->tensors[s->tensor_count++], i->node));
  ASH_TRY(read_moves(ctx, s));
  choose_keys(s, spare);
  return ASH_OK;
}

/* ---- comparing ----------------------------------------------------------- */

static ash_status diff_arenas(ash_ctx *ctx, ash_plan_diff *out, const side *a,
                              const side *b) {
  ash_diff_arena *made = ASH_NEW_ARRAY(&ctx->keep, ash_diff_arena,
                                       a->arena_count + b->arena_count + 1);
  size_t n = a->arena_count;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (size_t i = 0; i < n; i++) {
    made[i] = a->arenas[i];
    made[i].before = a->arenas[i].after;
    made[i].after = 0;
  }
  for (size_t k = 0; k < b->arena_count; k++) {
    const ash_diff_arena *arena = &b->arenas[k];
    size_t i = 0;
    while (i < n && (strcmp(made[i].role, arena->role) != 0 ||
                     strcmp(made[i].memory, arena->memory) != 0))
      i++;
    if (i == n)
      made[n++] =
          (ash_diff_arena){.role = arena->role, .memory = arena->memory};
    made[i].after += arena->after;
  }
  out->arenas = made;
  out->arena_count = n;
  return ASH_OK;
}

static bool is_same_place(const ash_diff_place *a, const ash_diff_place *b) {
  return a->offset == b->offset && a->rows == b->rows &&
         a->offsets == b->offsets && strcmp(a->role, b->role) == 0 &&
         strcmp(a->memory, b->memory) == 0;
}

/* The change of one tensor; either side may be missing. False: none. */
static bool diff_tensor(ash_diff_tensor *out, const entry *a, const entry *b) {
  const entry *known = b ? b : a;
  *out = (ash_diff_tensor){.id = known->id, .name = known->name};
  if (a)
    out->before = a->place;
  if (b)
    out->after = b->place;
  if (!a || !b) {
    out->kind = a ? ASH_CHANGE_GONE : ASH_CHANGE_NEW;
    return true;
  }
  out->kind =
      a->place.size == b->place.size ? ASH_CHANGE_PLACE : ASH_CHANGE_SIZE;
  return out->kind == ASH_CHANGE_SIZE || !is_same_place(&a->place, &b->place);
}

static uint64_t change_bytes(const ash_diff_tensor *t) {
  return t->before.size > t->after.size ? t->before.size - t->after.size
                                        : t->after.size - t->before.size;
}

static int compare_changes(const void *a, const void *b, const void *user) {
  const uint64_t x = change_bytes(a), y = change_bytes(b);
  (void)user;
  return x > y ? -1 : x < y;
}

static ash_status diff_tensors(ash_ctx *ctx, ash_plan_diff *out, const side *a,
                               const side *b) {
  const size_t most = a->tensor_count + b->tensor_count + 1;
  ash_diff_tensor *made = ASH_NEW_ARRAY(&ctx->keep, ash_diff_tensor, most);
  ash_diff_tensor *spare = ASH_NEW_ARRAY(&ctx->scratch, ash_diff_tensor, most);
  size_t n = 0;
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0, k = 0; i < a->tensor_count || k < b->tensor_count;) {
    const entry *left = i < a->tensor_count ? &a->tensors[i] : NULL;
    const entry *right = k < b->tensor_count ? &b->tensors[k] : NULL;
    const int order = !left ? 1 : !right ? -1 : compare_entries(left, right);
    i += order <= 0;
    k += order >= 0;
    n += diff_tensor(&made[n], order <= 0 ? left : NULL,
                     order >= 0 ? right : NULL);
  }
  ash_sort(made, spare, n, sizeof *made, compare_changes, NULL);
  out->tensors = made;
  out->tensor_count = n;
  return ASH_OK;
}

static void count_moves(ash_diff_head *h, const side *s) {
  for (size_t i = 0; i < s->tensor_count; i++) {
    h->moves += s->tensors[i].place.moves;
    h->moved_bytes += s->tensors[i].place.moves * s->tensors[i].place.row_bytes;
  }
}

static ash_status read_head(ash_ctx *ctx, ash_diff_head *h, const side *s) {
  const ash_yaml *top = s->top;
  count_moves(h, s);
  ASH_TRY(get_text(ctx, &h->model, top, "model"));
  ASH_TRY(get_text(ctx, &h->target, top, "target"));
  ASH_TRY(get_text(ctx, &h->verdict, top, "verdict"));
  ASH_TRY(get_text(ctx, &h->plan_hash, top, "plan_hash"));
  return get_text(ctx, &h->layout_hash, top, "tensor_layout_hash");
}

static ash_status diff(ash_ctx *ctx, ash_plan_diff *out, const side *a,
                       const side *b) {
  ASH_TRY(read_head(ctx, &out->before, a));
  ASH_TRY(read_head(ctx, &out->after, b));
  ASH_TRY(diff_arenas(ctx, out, a, b));
  return diff_tensors(ctx, out, a, b);
}

ash_status ash_diff_plans(ash_ctx *ctx, ash_plan_diff *out,
                          const ash_plan_text *before,
                          const ash_plan_text *after) {
  ASH_NEED(ctx, ctx && out && before && after && before->text && after->text);
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  side a = {0}, b = {0};
  *out = (ash_plan_diff){0};
  ash_status status = read_side(ctx, &a, before);
  if (status == ASH_OK)
    status = read_side(ctx, &b, after);
  if (status == ASH_OK)
    status = diff(ctx, out, &a, &b);
  ash_zone_rewind(&ctx->scratch, mark);
  if (status != ASH_OK)
    *out = (ash_plan_diff){0};
  return status;
}

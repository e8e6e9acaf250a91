/* hash.c - the two fingerprints of a plan: SHA-256 over a fixed text, first 16
 * hex digits. The text is heliaAOT's, so that both tools agree on a plan. */
#include "plan/file/hash.h"

#include "base/sha256.h"
#include "base/sort.h"
#include "base/text.h"
#include "plan/record/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static void put_upper(ash_text *t, const char *s) {
  for (; *s; s++) {
    const char c = (char)toupper((unsigned char)*s);
    ash_text_put(t, &c, 1);
  }
}

/* role|MEMORY|SOURCE|size|alignment|staged; for each region in id order. */
static void put_arena(ash_text *t, const ash_arena *a) {
  ASH_ASSERT(a->memory && a->source_memory);
  ash_text_format(t, "%s|", ash_role_text(a->role));
  put_upper(t, a->memory);
  ash_text_string(t, "|");
  put_upper(t, a->source_memory);
  ash_text_format(t, "|%" PRIu64 "|%" PRIu64 "|%d;", a->size, a->alignment,
                  strcmp(a->memory, a->source_memory) != 0);
}

static bool is_number(const char *id) {
  const char *p = id;
  while (*p >= '0' && *p <= '9')
    p++;
  return *p == '\0' && p != id;
}

/* Places of one tensor: by row, then by time. */
static int by_row(const ash_slot *a, const ash_slot *b) {
  if (a->row != b->row)
    return a->row < b->row ? -1 : 1;
  return a->life.first_step == b->life.first_step  ? 0
         : a->life.first_step < b->life.first_step ? -1
                                                   : 1;
}

/* Numbers first, by value; then the rest by their letters. */
static int by_natural_id(const void *a, const void *b, const void *user) {
  const ash_slot *s = *(const ash_slot *const *)a;
  const ash_slot *t = *(const ash_slot *const *)b;
  const char *x = s->id, *y = t->id;
  (void)user;
  if (is_number(x) != is_number(y))
    return is_number(x) ? -1 : 1;
  if (is_number(x) && strlen(x) != strlen(y))
    return strlen(x) < strlen(y) ? -1 : 1;
  const int ids = strcmp(x, y);
  return ids ? ids : by_row(s, t);
}

ash_status ash_plan_natural_order(ash_ctx *ctx, const ash_slot ***out,
                                  const ash_plan *p) {
  const ash_slot **order =
      ASH_NEW_ARRAY(&ctx->scratch, const ash_slot *, p->slot_count + 1u);
  const ash_slot **spare =
      ASH_NEW_ARRAY(&ctx->scratch, const ash_slot *, p->slot_count + 1u);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < p->slot_count; i++)
    order[i] = &p->slots[i];
  ash_sort(order, spare, p->slot_count, sizeof *order, by_natural_id, NULL);
  *out = order;
  return ASH_OK;
}

/* id|role|MEMORY|offset|size; for each tensor, or place of a row, in natural
 * order of ids. */
static ash_status put_layout(ash_ctx *ctx, ash_text *t, const ash_plan *p) {
  const ash_slot **order;
  ASH_TRY(ash_plan_natural_order(ctx, &order, p));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = order[i];
    ASH_ASSERT(s->binding.memory);
    ash_text_format(t, "%s|%s|", s->id, ash_role_text(s->binding.role));
    put_upper(t, s->binding.memory);
    ash_text_format(t, "|%" PRIu64 "|%" PRIu64 ";", s->binding.offset, s->size);
  }
  return ASH_OK;
}

static void digest(char hex[17], const ash_text *t) {
  ash_sha256 h;
  ash_sha256_init(&h);
  ash_sha256_add(&h, t->bytes, t->count);
  ash_sha256_hex(&h, hex, 16);
}

static ash_status check_names(ash_ctx *ctx, const ash_plan *p) {
  bool sound = true;
  for (uint32_t i = 0; i < p->arena_count; i++)
    sound &= p->arenas[i].memory && p->arenas[i].source_memory;
  for (uint32_t i = 0; i < p->slot_count; i++)
    sound &= p->slots[i].id && p->slots[i].binding.memory;
  if (sound)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_plan_memory, ASH_NOWHERE,
                  "a plan without names of memories or ids has no hash");
}

/* In the order of region ids, whatever the order of the plan. */
static ash_status put_arenas(ash_ctx *ctx, ash_text *t, const ash_plan *p) {
  const uint32_t count = p->arena_count;
  ash_arena *order = ASH_NEW_ARRAY(&ctx->scratch, ash_arena, count + 1u);
  ash_arena *spare = ASH_NEW_ARRAY(&ctx->scratch, ash_arena, count + 1u);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < count; i++)
    order[i] = p->arenas[i];
  ash_sort(order, spare, count, sizeof *order, ash_arena_order, NULL);
  for (uint32_t i = 0; i < count; i++)
    put_arena(t, &order[i]);
  return ASH_OK;
}

ash_status ash_plan_hashes(ash_ctx *ctx, char plan[17], char tensor_layout[17],
                           const ash_plan *p) {
  ASH_NEED(ctx, ctx && plan && tensor_layout && p &&
                    (p->slots || p->slot_count == 0) &&
                    (p->arenas || p->arena_count == 0));
  ash_text t;
  plan[0] = tensor_layout[0] = '\0';
  ASH_TRY(check_names(ctx, p));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  ash_text_init(&t, &ctx->mem);
  ash_status status = put_arenas(ctx, &t, p);
  digest(plan, &t);
  const bool cut = t.failed;
  t.count = 0;
  if (status == ASH_OK)
    status = put_layout(ctx, &t, p);
  digest(tensor_layout, &t);
  if (status == ASH_OK && (cut || t.failed))
    status = ash_nomem(ctx);
  ash_text_drop(&t);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

/* Between tokens of JSON. */
static bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

void ash_plan_content_hash(char hex[17], const char *text, size_t count) {
  ash_sha256 h;
  bool quoted = false;
  size_t start = 0;
  ASH_ASSERT(text || count == 0);
  while (count > 0 && (is_blank(text[count - 1]) || text[count - 1] == ','))
    count--;
  ash_sha256_init(&h);
  for (size_t i = 0; i < count; i++) {
    if (quoted && text[i] == '\\')
      i++;
    else if (text[i] == '"')
      quoted = !quoted;
    if (quoted || !is_blank(text[i]))
      continue;
    ash_sha256_add(&h, text + start, i - start);
    start = i + 1;
  }
  ash_sha256_add(&h, text + start, start < count ? count - start : 0);
  ash_sha256_hex(&h, hex, 16);
}

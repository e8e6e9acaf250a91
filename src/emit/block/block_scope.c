/* block_scope.c - buffers, what shares storage, and questions about them. */
#include "emit/block/block.h"

#include <inttypes.h>
#include <string.h>

ash_status ash_scope_new(ash_ctx *ctx, ash_scope **out) {
  ASH_NEED(ctx, ctx && out);
  *out = ASH_NEW(&ctx->keep, ash_scope);
  if (!*out)
    return ash_nomem(ctx);
  (*out)->ctx = ctx;
  return ASH_OK;
}

ash_status ash_scope_check(const ash_scope *scope, uint32_t buffer) {
  if (buffer < scope->buffers.count)
    return ASH_OK;
  return ash_fail(scope->ctx, ASH_MISUSE, ASH_D_block_buffer, ASH_NOWHERE,
                  "buffer %" PRIu32 " of a scope of %zu", buffer,
                  scope->buffers.count);
}

uint32_t ash_scope_find(const ash_scope *scope, const char *name) {
  if (!scope)
    return ASH_NO_ID;
  for (size_t i = 0; name && i < scope->buffers.count; i++)
    if (strcmp(scope->buffers.items[i].is.name, name) == 0)
      return (uint32_t)i;
  return ASH_NO_ID;
}

static const uint32_t *copy_ids(ash_zone *z, const uint32_t *ids,
                                uint32_t count) {
  return count ? ash_zone_copy(z, ids, count * sizeof *ids) : NULL;
}

ash_status ash_scope_add(ash_scope *scope, uint32_t *out,
                         const ash_block_buffer *b) {
  ASH_NEED(scope ? scope->ctx : NULL, scope && out && b);
  ash_zone *z = &scope->ctx->keep;
  *out = ASH_NO_ID;
  if (!b->name || (b->user_count && !b->users) ||
      (b->field_count && !b->fields) || !ash_text_is_identifier(b->name) ||
      (unsigned)b->kind > ASH_BUFFER_STRUCT)
    return ash_fail(scope->ctx, ASH_MISUSE, ASH_D_block_buffer, ASH_NOWHERE,
                    "a buffer without a C name or kind, or with lists that are "
                    "missing");
  if (ash_scope_find(scope, b->name) != ASH_NO_ID)
    return ash_fail(scope->ctx, ASH_MISUSE, ASH_D_block_twice, ASH_NOWHERE,
                    "there is a buffer '%s' already", b->name);
  if (!ASH_GROW(z, &scope->buffers, scope->buffers.count))
    return ash_nomem(scope->ctx);
  ash_scope_entry *e = &scope->buffers.items[scope->buffers.count];
  *e = (ash_scope_entry){.is = *b};
  e->is.name = ash_zone_string(z, b->name);
  e->is.type = b->type ? ash_zone_string(z, b->type) : "uint8_t";
  e->is.memory = ash_zone_string(z, b->memory);
  e->is.place = ash_zone_string(z, b->place);
  e->is.users = copy_ids(z, b->users, b->user_count);
  e->is.fields = copy_ids(z, b->fields, b->field_count);
  e->live = b->global || b->kind == ASH_BUFFER_CONSTANT;
  *out = (uint32_t)scope->buffers.count++;
  return ash_zone_check(scope->ctx, z);
}

static ash_status link_to(ash_scope *scope, uint32_t from, uint32_t to) {
  ASH_ASSERT(from < scope->buffers.count && to < scope->buffers.count);
  ash_scope_entry *e = &scope->buffers.items[from];
  if (!ASH_GROW(&scope->ctx->keep, &e->aliases, e->aliases.count))
    return ash_nomem(scope->ctx);
  e->aliases.items[e->aliases.count++] = to;
  return ASH_OK;
}

ash_status ash_scope_alias(ash_scope *scope, uint32_t a, uint32_t b) {
  ASH_NEED(scope ? scope->ctx : NULL, scope);
  ASH_TRY(ash_scope_check(scope, a));
  ASH_TRY(ash_scope_check(scope, b));
  ASH_TRY(link_to(scope, a, b));
  return link_to(scope, b, a);
}

const ash_block_buffer *ash_scope_buffer(const ash_scope *scope,
                                         uint32_t buffer) {
  if (!scope)
    return NULL;
  return buffer < scope->buffers.count ? &scope->buffers.items[buffer].is
                                       : NULL;
}

bool ash_scope_is_live(const ash_scope *scope, uint32_t buffer) {
  if (!scope)
    return false;
  return buffer < scope->buffers.count && scope->buffers.items[buffer].live;
}

/* ---- bytes -------------------------------------------------------------- */

static bool same_name(const char *a, const char *b) {
  return a && b ? strcmp(a, b) == 0 : a == b;
}

static const ash_scope_memory *find_count(const ash_scope *scope,
                                          const char *memory) {
  for (size_t i = 0; i < scope->memories.count; i++)
    if (same_name(scope->memories.items[i].name, memory))
      return &scope->memories.items[i];
  return NULL;
}

ash_scope_memory *ash_scope_count_of(ash_scope *scope, const char *memory) {
  const ash_scope_memory *known = find_count(scope, memory);
  if (known)
    return &scope->memories.items[known - scope->memories.items];
  if (!ASH_GROW(&scope->ctx->keep, &scope->memories, scope->memories.count))
    return NULL;
  ash_scope_memory *m = &scope->memories.items[scope->memories.count++];
  *m = (ash_scope_memory){.name = memory};
  return m;
}

uint64_t ash_scope_bytes(const ash_scope *scope, const char *memory) {
  if (!scope)
    return 0;
  const ash_scope_memory *m = find_count(scope, memory);
  return m ? m->bytes : 0;
}

uint64_t ash_scope_peak(const ash_scope *scope, const char *memory) {
  if (!scope)
    return 0;
  const ash_scope_memory *m = find_count(scope, memory);
  return m ? m->peak : 0;
}

/* ---- questions ---------------------------------------------------------- */

static bool is_used_by(const ash_block_buffer *b, uint32_t node) {
  for (uint32_t i = 0; i < b->user_count; i++)
    if (b->users[i] == node)
      return true;
  return false;
}

static bool is_plain(const ash_block_buffer *b) {
  return b->kind != ASH_BUFFER_STRUCT && b->kind != ASH_BUFFER_TRANSIENT;
}

bool ash_buffer_is_output(const ash_scope *scope, uint32_t buffer,
                          uint32_t node) {
  const ash_block_buffer *b = ash_scope_buffer(scope, buffer);
  return b && is_plain(b) && !is_used_by(b, node);
}

bool ash_buffer_is_final_input(const ash_scope *scope, uint32_t buffer,
                               uint32_t node) {
  const ash_block_buffer *b = ash_scope_buffer(scope, buffer);
  return b && is_plain(b) && b->user_count &&
         b->users[b->user_count - 1] == node;
}

bool ash_buffer_is_transient(const ash_scope *scope, uint32_t buffer,
                             uint32_t node) {
  const ash_block_buffer *b = ash_scope_buffer(scope, buffer);
  return b && b->kind == ASH_BUFFER_TRANSIENT && is_used_by(b, node);
}

ash_status ash_buffer_is_memory_level(const ash_scope *scope, bool *out,
                                      uint32_t buffer,
                                      ash_memory_selector memory) {
  ASH_NEED(scope ? scope->ctx : NULL, scope && out);
  *out = false;
  ASH_TRY(ash_scope_check(scope, buffer));
  return ash_selector_matches(scope->ctx, out, memory,
                              ash_scope_buffer(scope, buffer)->memory);
}

/* ---- sorting ------------------------------------------------------------- */

static bool holds(const uint32_t *ids, size_t count, uint32_t id) {
  for (size_t i = 0; i < count; i++)
    if (ids[i] == id)
      return true;
  return false;
}

/* "a -> b -> a", from one buffer of the circle. */
static ash_status fail_circle(const ash_scope *scope, uint32_t at,
                              size_t steps) {
  ASH_ASSERT(at < scope->buffers.count);
  ash_ctx *ctx = scope->ctx;
  for (size_t i = 0; i < steps; i++) /* surely inside it now */
    at = ash_scope_buffer(scope, at)->base;
  const uint32_t first = at;
  const char *text = ash_scope_buffer(scope, at)->name;
  do {
    at = ash_scope_buffer(scope, at)->base;
    text = ash_zone_format(&ctx->scratch, "%s -> %s", text,
                           ash_scope_buffer(scope, at)->name);
    if (!text)
      return ash_nomem(ctx);
  } while (at != first);
  return ash_fail(ctx, ASH_MISUSE, ASH_D_block_circle, ASH_NOWHERE,
                  "buffers are parts of themselves: %s", text);
}

ash_status ash_buffer_sort(const ash_scope *scope, uint32_t *buffers,
                           size_t count) {
  ASH_NEED(scope ? scope->ctx : NULL, scope && (buffers || count == 0));
  ash_ctx *ctx = scope->ctx;
  for (size_t i = 0; i < count; i++)
    ASH_TRY(ash_scope_check(scope, buffers[i]));
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  uint32_t *left =
      ash_zone_copy(&ctx->scratch, buffers, count * sizeof *buffers);
  ash_status status = count && !left ? ash_nomem(ctx) : ASH_OK;
  size_t sorted = 0, remaining = count;
  while (status == ASH_OK && remaining) {
    size_t kept = 0;
    for (size_t i = 0; i < remaining; i++) {
      const uint32_t base = ash_scope_buffer(scope, left[i])->base;
      /* Ready when its base is not among those still to come. */
      if (holds(left + i, remaining - i, base) || holds(left, kept, base))
        left[kept++] = left[i];
      else
        buffers[sorted++] = left[i];
    }
    if (kept == remaining)
      status = fail_circle(scope, left[0], scope->buffers.count);
    remaining = kept;
  }
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

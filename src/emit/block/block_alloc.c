/* block_alloc.c - the allocation pass and the passthrough pass.
 *
 * Both mark what a node makes as live, count bytes, note the peak, and mark
 * what it used last as dead. Only the allocation pass writes code, and only it
 * asks whether an alias keeps the storage in use: a passed-on pointer gives up
 * its bytes at once, since its successor counts its own. */
#include "emit/block/block.h"

#include <inttypes.h>

/* The buffers of one pass: what comes to life, and what dies. */
typedef struct work {
  ash_block *block;
  ash_scope *scope;
  uint32_t node;
  bool writes; /* the allocation pass */
  uint32_t *born, *dying;
  size_t born_count, dying_count;
} work;

static ash_status choose(work *w, ash_memory_selector memory) {
  const uint32_t *refs;
  size_t count;
  bool none; /* an expression must be one, also where it meets no buffer */
  ASH_TRY(ash_selector_matches(w->scope->ctx, &none, memory, NULL));
  ASH_TRY(ash_block_references(w->block, true, false, &refs, &count));
  w->born = ASH_NEW_ARRAY(&w->scope->ctx->scratch, uint32_t, count + 1);
  w->dying = ASH_NEW_ARRAY(&w->scope->ctx->scratch, uint32_t, count + 1);
  ASH_TRY(ash_zone_check(w->scope->ctx, &w->scope->ctx->scratch));
  for (int transients = 0; transients < 2; transients++)
    for (size_t i = 0; i < count; i++) {
      const uint32_t b = refs[i];
      bool mine;
      ASH_TRY(ash_buffer_is_memory_level(w->scope, &mine, b, memory));
      if (!mine)
        continue;
      const bool work_memory = ash_buffer_is_transient(w->scope, b, w->node);
      if (transients ? work_memory : ash_buffer_is_output(w->scope, b, w->node))
        w->born[w->born_count++] = b;
      if (transients ? work_memory
                     : ash_buffer_is_final_input(w->scope, b, w->node))
        w->dying[w->dying_count++] = b;
    }
  return ASH_OK;
}

/* "int8_t *y = (int8_t *)(ctx->region[0] + 128);" */
static ash_status put_address(work *w, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  const ash_block_buffer *is = ash_scope_buffer(w->scope, b);
  ash_zone *z = &w->scope->ctx->scratch;
  const char *text;
  if (is->base != ASH_NO_ID) {
    char *before = ash_zone_format(z, "%s *%s = (%s *)((uint8_t *)", is->type,
                                   is->name, is->type);
    char *behind = ash_zone_format(z, " + %" PRIu64 ");", is->offset);
    const ash_snippet_part parts[] = {{before, is->base, false},
                                      {behind, b, true}};
    ASH_TRY(ash_zone_check(w->scope->ctx, z));
    return ash_block_add(w->block, ASH_BLOCK_LEFT, parts, 2);
  }
  text = ash_zone_format(z, "%s *%s = (%s *)(%s);", is->type, is->name,
                         is->type, is->place ? is->place : "0");
  const ash_snippet_part part = {text, b, true};
  ASH_TRY(ash_zone_check(w->scope->ctx, z));
  return ash_block_add(w->block, ASH_BLOCK_LEFT, &part, 1);
}

static ash_status bear(work *w, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  ash_scope_entry *e = &w->scope->buffers.items[b];
  ash_scope_memory *m = ash_scope_count_of(w->scope, e->is.memory);
  if (!m)
    return ash_nomem(w->scope->ctx);
  if (e->live)
    return ash_fail(w->scope->ctx, ASH_MISUSE, ASH_D_block_live, ASH_NOWHERE,
                    "node %" PRIu32 " makes '%s', which is live already",
                    w->node, e->is.name);
  e->live = true;
  /* A part of another buffer has no bytes of its own. */
  e->counted = e->is.base == ASH_NO_ID;
  if (e->counted)
    m->bytes += e->is.bytes;
  return w->writes ? put_address(w, b) : ASH_OK;
}

/* All that share storage with `b`, however far; does one of them live? */
typedef struct group {
  uint32_t *ids;
  size_t count;
  bool lives;
} group;

static ash_status group_of(work *w, group *out, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  ash_ctx *ctx = w->scope->ctx;
  const size_t all = w->scope->buffers.count;
  bool *seen = ASH_NEW_ARRAY(&ctx->scratch, bool, all + 1);
  *out = (group){.ids = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, all + 1)};
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  seen[b] = true;
  out->ids[out->count++] = b;
  for (size_t i = 0; i < out->count; i++) {
    const ash_scope_entry *e = &w->scope->buffers.items[out->ids[i]];
    out->lives |= e->live;
    for (size_t k = 0; k < e->aliases.count; k++)
      if (!seen[e->aliases.items[k]]) {
        seen[e->aliases.items[k]] = true;
        out->ids[out->count++] = e->aliases.items[k];
      }
  }
  return ASH_OK;
}

static void uncount(work *w, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  ash_scope_entry *e = &w->scope->buffers.items[b];
  ash_scope_memory *m = ash_scope_count_of(w->scope, e->is.memory);
  if (m && e->counted)
    m->bytes -= e->is.bytes;
  e->counted = false;
}

/* The bytes of all that share storage go when the last of them does. */
static ash_status give_back(work *w, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  const ash_block_buffer *is = ash_scope_buffer(w->scope, b);
  group g;
  if (!w->writes) {
    uncount(w, b);
    return ASH_OK;
  }
  ASH_TRY(group_of(w, &g, b));
  if (g.lives || is->base != ASH_NO_ID)
    return ASH_OK;
  for (size_t i = 0; i < g.count; i++)
    uncount(w, g.ids[i]);
  const char *text =
      ash_zone_format(&w->scope->ctx->scratch, "/* %s is free */", is->name);
  const ash_snippet_part part = {text, b, true};
  return ash_block_add(w->block, ASH_BLOCK_RIGHT, &part, 1);
}

static ash_status die(work *w, uint32_t b) {
  ASH_ASSERT(b < w->scope->buffers.count);
  ash_scope_entry *e = &w->scope->buffers.items[b];
  if (!e->live)
    return ash_fail(w->scope->ctx, ASH_MISUSE, ASH_D_block_dead, ASH_NOWHERE,
                    "node %" PRIu32 " is the last to use '%s', which is not "
                    "live",
                    w->node, e->is.name);
  e->live = false;
  return give_back(w, b);
}

static ash_status run(work *w, ash_memory_selector memory) {
  ASH_TRY(choose(w, memory));
  if (w->writes)
    ASH_TRY(ash_buffer_sort(w->scope, w->born, w->born_count));
  /* Snippets go to the left end, so those that must stand first come last. */
  for (size_t i = w->born_count; i-- > 0;)
    ASH_TRY(bear(w, w->born[w->writes ? i : w->born_count - 1 - i]));
  for (size_t i = 0; i < w->scope->memories.count; i++) {
    ash_scope_memory *m = &w->scope->memories.items[i];
    m->peak = m->bytes > m->peak ? m->bytes : m->peak;
  }
  for (size_t i = 0; i < w->dying_count; i++)
    ASH_TRY(die(w, w->dying[i]));
  return ASH_OK;
}

static ash_status pass(ash_block *block, uint32_t node,
                       ash_memory_selector memory, bool writes) {
  ASH_ASSERT(block && block->scope);
  work w = {
      .block = block, .scope = block->scope, .node = node, .writes = writes};
  ash_zone *z = &block->scope->ctx->scratch;
  const ash_mark mark = ash_zone_mark(z);
  const ash_status status = run(&w, memory);
  ash_zone_rewind(z, mark);
  return status;
}

ash_status ash_block_allocate(ash_block *block, uint32_t node,
                              ash_memory_selector memory) {
  ASH_NEED(block ? block->scope->ctx : NULL, block);
  return pass(block, node, memory, true);
}

ash_status ash_block_pass_through(ash_block *block, uint32_t node,
                                  ash_memory_selector memory) {
  ASH_NEED(block ? block->scope->ctx : NULL, block);
  return pass(block, node, memory, false);
}

/* block.c - snippets, references, rendering. */
#include "emit/block/block.h"

#include <string.h>

ash_status ash_block_new(ash_scope *scope, ash_block **out) {
  ASH_NEED(scope ? scope->ctx : NULL, scope && out);
  *out = ASH_NEW(&scope->ctx->keep, ash_block);
  if (!*out)
    return ash_nomem(scope->ctx);
  (*out)->scope = scope;
  return ASH_OK;
}

ash_status ash_block_add(ash_block *block, ash_block_side side,
                         const ash_snippet_part *parts, size_t count) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && (parts || count == 0));
  ash_ctx *ctx = block->scope->ctx;
  ASH_NEED(ctx, side == ASH_BLOCK_LEFT || side == ASH_BLOCK_RIGHT);
  for (size_t i = 0; i < count; i++)
    if (parts[i].buffer != ASH_NO_ID)
      ASH_TRY(ash_scope_check(block->scope, parts[i].buffer));
  ash_block_part *copy = ASH_NEW_ARRAY(&ctx->keep, ash_block_part, count + 1);
  if (!copy || !ASH_GROW(&ctx->keep, &block->snippets, block->snippets.count))
    return ash_nomem(ctx);
  for (size_t i = 0; i < count; i++)
    copy[i] = (ash_block_part){
        .text = ash_zone_string(&ctx->keep, parts[i].text ? parts[i].text : ""),
        .buffer = parts[i].buffer,
        .silent = parts[i].silent};
  ash_snippet *all = block->snippets.items;
  const size_t at = side == ASH_BLOCK_LEFT ? 0 : block->snippets.count;
  memmove(all + at + 1, all + at, (block->snippets.count - at) * sizeof *all);
  all[at] = (ash_snippet){.parts = copy, .count = count};
  block->snippets.count++;
  return ash_zone_check(ctx, &ctx->keep);
}

ash_status ash_block_text(ash_block *block, ash_block_side side,
                          const char *text) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && text);
  const ash_snippet_part part = {.text = text, .buffer = ASH_NO_ID};
  return ash_block_add(block, side, &part, 1);
}

ash_status ash_block_wrap(ash_block *block, const char *before,
                          const char *behind) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && before && behind);
  for (size_t i = 0; i < block->snippets.count; i++)
    block->snippets.items[i].indent++;
  ASH_TRY(ash_block_text(block, ASH_BLOCK_LEFT, before));
  return ash_block_text(block, ASH_BLOCK_RIGHT, behind);
}

size_t ash_block_snippets(const ash_block *block) {
  if (!block)
    return 0;
  return block->snippets.count;
}

/* ---- rendering ----------------------------------------------------------- */

static void put_part(const ash_scope *scope, ash_text *t,
                     const ash_block_part *p) {
  ash_text_string(t, p->text);
  if (p->buffer == ASH_NO_ID || p->silent)
    return;
  ash_text_format(t, "%s%s", p->dereferenced ? "*" : "",
                  ash_scope_buffer(scope, p->buffer)->name);
  if (p->index)
    ash_text_format(t, "[%s]", p->index);
}

/* Lines that are not empty get the snippet's indentation. */
static void put_lines(ash_text *to, const char *text, size_t count,
                      uint32_t indent) {
  for (const char *end = text + count; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    const size_t n = (size_t)((stop ? stop : end) - text);
    for (uint32_t i = 0; n && text[0] != '#' && i < indent; i++)
      ash_text_string(to, "  ");
    ash_text_put(to, text, n);
    ash_text_blank(to);
    text += n + 1;
  }
}

ash_status ash_block_render(const ash_block *block, const char **text) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && text);
  ASH_ASSERT(block->scope);
  ash_ctx *ctx = block->scope->ctx;
  ash_text all, one;
  ash_text_init(&all, &ctx->mem);
  for (size_t i = 0; i < block->snippets.count; i++) {
    const ash_snippet *s = &block->snippets.items[i];
    ash_text_init(&one, &ctx->mem);
    for (size_t k = 0; k < s->count; k++)
      put_part(block->scope, &one, &s->parts[k]);
    put_lines(&all, one.bytes, one.count, s->indent);
    all.failed |= one.failed;
    ash_text_drop(&one);
  }
  ash_text_put(&all, "", 1);
  ash_status status = ash_text_check(ctx, &all);
  if (status == ASH_OK) {
    *text = ash_zone_copy(&ctx->keep, all.bytes, all.count);
    status = ash_zone_check(ctx, &ctx->keep);
  }
  ash_text_drop(&all);
  return status;
}

/* ---- references ---------------------------------------------------------- */

/* Marks the buffer and, if asked, all that structs lead to. No recursion: the
 * list of those to be looked at grows while it is read. */
static ash_status mark(const ash_scope *scope, bool *seen, uint32_t *list,
                       uint32_t buffer, bool structs) {
  ASH_ASSERT(buffer < scope->buffers.count);
  size_t count = 0;
  if (!seen[buffer]) {
    seen[buffer] = true;
    list[count++] = buffer;
  }
  for (size_t i = 0; structs && i < count; i++) {
    const ash_block_buffer *b = ash_scope_buffer(scope, list[i]);
    for (uint32_t k = 0; k < b->field_count; k++) {
      const uint32_t to = b->fields[k];
      if (to != ASH_NO_ID)
        ASH_TRY(ash_scope_check(scope, to));
      if (to != ASH_NO_ID && !seen[to]) {
        seen[to] = true;
        list[count++] = to;
      }
    }
  }
  return ASH_OK;
}

static ash_status mark_all(const ash_block *block, bool *seen, uint32_t *list,
                           bool structs) {
  for (size_t i = 0; i < block->snippets.count; i++)
    for (size_t k = 0; k < block->snippets.items[i].count; k++) {
      const uint32_t b = block->snippets.items[i].parts[k].buffer;
      if (b != ASH_NO_ID)
        ASH_TRY(mark(block->scope, seen, list, b, structs));
    }
  return ASH_OK;
}

/* Those of the program, in the order of the scope. */
static size_t list_seen(const ash_scope *scope, const bool *seen, bool globals,
                        uint32_t *list) {
  size_t count = 0;
  for (uint32_t b = 0; b < scope->buffers.count; b++) {
    const ash_block_buffer *is = ash_scope_buffer(scope, b);
    const bool global = is->global || is->kind == ASH_BUFFER_CONSTANT;
    if (seen[b] && !is->ignored && (globals || !global))
      list[count++] = b;
  }
  return count;
}

ash_status ash_block_references(const ash_block *block, bool structs,
                                bool globals, const uint32_t **out,
                                size_t *count) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && out && count);
  const ash_scope *scope = block->scope;
  ash_ctx *ctx = scope->ctx;
  const size_t all = scope->buffers.count;
  const ash_mark start = ash_zone_mark(&ctx->scratch);
  bool *seen = ASH_NEW_ARRAY(&ctx->scratch, bool, all + 1);
  uint32_t *list = ASH_NEW_ARRAY(&ctx->scratch, uint32_t, all + 1);
  *out = NULL;
  *count = 0;
  if (!seen || !list)
    return ash_nomem(ctx);
  ash_status status = mark_all(block, seen, list, structs);
  if (status == ASH_OK) {
    *count = list_seen(scope, seen, globals, list);
    *out = ash_zone_copy(&ctx->keep, list, (*count + 1) * sizeof *list);
    status = ash_zone_check(ctx, &ctx->keep);
  }
  ash_zone_rewind(&ctx->scratch, start);
  return status;
}

static bool is_listed(const uint32_t *buffers, size_t count, uint32_t b) {
  for (size_t i = 0; i < count; i++)
    if (buffers[i] == b)
      return true;
  return false;
}

static ash_status change(ash_block *block, size_t i, const uint32_t *buffers,
                         size_t count, const char *index) {
  ash_ctx *ctx = block->scope->ctx;
  if (i >= block->snippets.count)
    return ash_fail(ctx, ASH_MISUSE, ASH_D_block_snippet, ASH_NOWHERE,
                    "the block has no snippet %zu", i);
  ash_snippet *s = &block->snippets.items[i];
  for (size_t k = 0; k < s->count; k++) {
    if (!is_listed(buffers, count, s->parts[k].buffer))
      continue;
    if (index)
      s->parts[k].index = ash_zone_string(&ctx->keep, index);
    else
      s->parts[k].dereferenced = true;
  }
  return ash_zone_check(ctx, &ctx->keep);
}

ash_status ash_block_dereference(ash_block *block, size_t i,
                                 const uint32_t *buffers, size_t count) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && (buffers || count == 0));
  return change(block, i, buffers, count, NULL);
}

ash_status ash_block_index(ash_block *block, size_t i, const uint32_t *buffers,
                           size_t count, const char *index) {
  ASH_NEED(block ? block->scope->ctx : NULL, block && (buffers || count == 0));
  return change(block, i, buffers, count, index ? index : "0");
}

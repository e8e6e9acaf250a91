/* block_close.c - the closure pass: a block becomes a function.
 *
 *   typedef struct NAME_args { T *a; ... } NAME_args;
 *   static void NAME(const NAME_args *args) { T *a = args->a; ... }
 *
 * and the block the call of it, with the same references. */
#include "emit/block/block.h"

static ash_status put_definitions(const ash_block *block, const char *name,
                                  const uint32_t *refs, size_t count,
                                  ash_text *t) {
  ASH_ASSERT(name && (refs || count == 0));
  const char *body;
  ASH_TRY(ash_block_render(block, &body));
  ash_text_line(t, "typedef struct %s_args {", name);
  for (size_t i = 0; i < count; i++) {
    const ash_block_buffer *b = ash_scope_buffer(block->scope, refs[i]);
    ash_text_line(t, "  %s *%s;",
                  b->kind == ASH_BUFFER_TRANSIENT ? "void" : b->type, b->name);
  }
  if (count == 0)
    ash_text_line(t, "  int none;");
  ash_text_line(t, "} %s_args;", name);
  ash_text_blank(t);
  ash_text_line(t, "static void %s(const %s_args *args) {", name, name);
  for (size_t i = 0; i < count; i++) {
    const ash_block_buffer *b = ash_scope_buffer(block->scope, refs[i]);
    ash_text_line(t, "  %s *%s = args->%s;",
                  b->kind == ASH_BUFFER_TRANSIENT ? "void" : b->type, b->name,
                  b->name);
  }
  if (count == 0)
    ash_text_line(t, "  (void)args;");
  for (const char *p = body; *p;) {
    const char *stop = p;
    while (*stop && *stop != '\n')
      stop++;
    ash_text_string(t, stop > p ? "  " : "");
    ash_text_put(t, p, (size_t)(stop - p));
    ash_text_blank(t);
    p = *stop ? stop + 1 : stop;
  }
  ash_text_line(t, "}");
  return ASH_OK;
}

/* "const NAME_args NAME_of = {a, b};" and the call. */
static ash_status put_call(ash_block *block, const char *name,
                           const uint32_t *refs, size_t count) {
  ASH_ASSERT(name && (refs || count == 0));
  ash_ctx *ctx = block->scope->ctx;
  ash_snippet_part *parts =
      ASH_NEW_ARRAY(&ctx->scratch, ash_snippet_part, count + 2);
  const char *before = ash_zone_format(
      &ctx->scratch, "const %s_args %s_of = {%s", name, name, count ? "" : "0");
  const char *behind =
      ash_zone_format(&ctx->scratch, "};\n%s(&%s_of);", name, name);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (size_t i = 0; i < count; i++)
    parts[i] = (ash_snippet_part){i ? ", " : before, refs[i], false};
  if (count == 0)
    parts[0] = (ash_snippet_part){before, ASH_NO_ID, false};
  parts[count ? count : 1] = (ash_snippet_part){behind, ASH_NO_ID, false};
  block->snippets.count = 0;
  return ash_block_add(block, ASH_BLOCK_RIGHT, parts, (count ? count : 1) + 1);
}

ash_status ash_block_close(ash_block *block, const char *name,
                           const char **definitions) {
  ASH_NEED(block ? block->scope->ctx : NULL,
           block && name && ash_text_is_identifier(name) && definitions);
  ash_ctx *ctx = block->scope->ctx;
  const uint32_t *refs;
  size_t count;
  ash_text t;
  ASH_TRY(ash_block_references(block, false, true, &refs, &count));
  ash_text_init(&t, &ctx->mem);
  ash_status status = put_definitions(block, name, refs, count, &t);
  ash_text_put(&t, "", 1);
  if (status == ASH_OK)
    status = ash_text_check(ctx, &t);
  if (status == ASH_OK) {
    *definitions = ash_zone_copy(&ctx->keep, t.bytes, t.count);
    status = ash_zone_check(ctx, &ctx->keep);
  }
  ash_text_drop(&t);
  if (status != ASH_OK)
    return status;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  status = put_call(block, name, refs, count);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

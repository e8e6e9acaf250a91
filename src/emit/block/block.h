/* block.h - inside scopes and blocks; see ashlar/block.h. */
#ifndef ASH_EMIT_BLOCK_H
#define ASH_EMIT_BLOCK_H

#include "ashlar/block.h"
#include "base/ctx.h"
#include "base/text.h"

typedef struct ash_scope_memory {
  const char *name; /* NULL: buffers without a memory */
  uint64_t bytes, peak;
} ash_scope_memory;

typedef struct ash_scope_entry {
  ash_block_buffer is;
  bool live;
  bool counted; /* its bytes are among those of its memory */
  struct {
    uint32_t *items;
    size_t capacity, count;
  } aliases;
} ash_scope_entry;

struct ash_scope {
  ash_ctx *ctx;
  struct {
    ash_scope_entry *items;
    size_t capacity, count;
  } buffers;
  struct {
    ash_scope_memory *items;
    size_t capacity, count;
  } memories;
};

typedef struct ash_block_part {
  const char *text;
  uint32_t buffer;
  bool silent;
  bool dereferenced;
  const char *index; /* or NULL */
} ash_block_part;

typedef struct ash_snippet {
  ash_block_part *parts;
  size_t count;
  uint32_t indent;
} ash_snippet;

struct ash_block {
  ash_scope *scope;
  struct {
    ash_snippet *items;
    size_t capacity, count;
  } snippets;
};

/* ASH_MISUSE if the scope has no such buffer. */
ash_status ash_scope_check(const ash_scope *scope, uint32_t buffer);

/* Does a pass on `memory` work on buffers of the memory `name`?
 * block_selector.c
 */
ash_status ash_selector_matches(ash_ctx *ctx, bool *out,
                                ash_memory_selector memory, const char *name);

/* The counts of a memory; NULL without memory. */
ash_scope_memory *ash_scope_count_of(ash_scope *scope, const char *memory);

#endif

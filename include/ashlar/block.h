/* ashlar/block.h - execution blocks: C text that knows which buffers it uses.
 *
 * A block is a list of snippets; a snippet is text with references to buffers
 * between. References are data, never found by searching text. Passes work on
 * blocks: they put snippets to the left and to the right, and keep account of
 * which buffers are live.
 *
 *   scope: the buffers of a network, which of them are live, and how many bytes
 *          of each memory that takes now and took at most;
 *   allocation pass: what a node makes becomes live and gets its address before
 *          the block; what it uses last dies behind it;
 *   passthrough pass: the same marks and counts without a line of code, for
 *          nodes that hand a pointer on (reshapes);
 *   closure pass: the block becomes a static function with a struct of its
 *          arguments, and a call of it;
 *   ash_block_wrap: a loop around a block (src/emit/tile/tile.c writes those).
 *
 * Nodes are numbers of the caller's choice. */
#ifndef ASHLAR_BLOCK_H
#define ASHLAR_BLOCK_H

#include "ashlar/base.h"
#include "ashlar/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_scope ash_scope;
typedef struct ash_block ash_block;

/* ---- buffers ------------------------------------------------------------ */

typedef enum ash_buffer_kind {
  ASH_BUFFER_VARIABLE,
  ASH_BUFFER_TRANSIENT, /* work memory of one node                           */
  ASH_BUFFER_CONSTANT,  /* always live, never counted                        */
  ASH_BUFFER_STRUCT     /* arguments: points to other buffers                */
} ash_buffer_kind;

typedef struct ash_block_buffer {
  const char *name; /* a C identifier, unique in the scope                   */
  const char *type; /* of its elements, as C spells it; NULL: uint8_t        */
  ash_buffer_kind kind;
  const char *memory; /* NULL: none was chosen                               */
  uint64_t bytes;
  const char *place; /* C expression of its address, for the allocation pass */
  bool global;       /* of the network itself: live from first to last       */
  bool ignored;      /* not part of the program                              */
  const uint32_t *users; /* nodes that read it, in order of execution        */
  uint32_t user_count;
  uint32_t base;   /* this one is a part of that buffer, or ASH_NO_ID        */
  uint64_t offset; /* ... from this byte on                                  */
  const uint32_t *fields; /* of a struct: buffers, ASH_NO_ID: a null pointer */
  uint32_t field_count;
} ash_block_buffer;

/* Both are kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_new(ash_ctx *ctx, ash_scope **out);
/* A name that is taken is an error. Everything behind pointers is copied. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_add(ash_scope *scope, uint32_t *out,
                                                const ash_block_buffer *buffer);
/* Two buffers share their storage. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_alias(ash_scope *scope, uint32_t a,
                                                  uint32_t b);
ASH_API const ash_block_buffer *ash_scope_buffer(const ash_scope *scope,
                                                 uint32_t buffer);
ASH_API uint32_t ash_scope_find(const ash_scope *scope, const char *name);
ASH_API bool ash_scope_is_live(const ash_scope *scope, uint32_t buffer);
/* Bytes of live buffers in a memory (NULL: of those without one), now and at
 * most so far. */
ASH_API uint64_t ash_scope_bytes(const ash_scope *scope, const char *memory);
ASH_API uint64_t ash_scope_peak(const ash_scope *scope, const char *memory);

/* ---- questions about buffers -------------------------------------------- */

/* Which memory a pass works on: NULL: buffers without one; "L2": that one;
 * "/L[23]/": all whose whole name matches the regular expression. */
typedef const char *ash_memory_selector;

/* The node makes it: nobody's struct or work memory, and not read by it. */
ASH_API bool ash_buffer_is_output(const ash_scope *scope, uint32_t buffer,
                                  uint32_t node);
/* The node is the last to read it. */
ASH_API bool ash_buffer_is_final_input(const ash_scope *scope, uint32_t buffer,
                                       uint32_t node);
ASH_API bool ash_buffer_is_transient(const ash_scope *scope, uint32_t buffer,
                                     uint32_t node);
/* ASH_MISUSE for an expression that is none. */
ASH_API ASH_MUST_CHECK ash_status
ash_buffer_is_memory_level(const ash_scope *scope, bool *out, uint32_t buffer,
                           ash_memory_selector memory);
/* Sorts so that buffers stand before those that are parts of them; otherwise
 * the order stays. A circle is an error that names it. */
ASH_API ASH_MUST_CHECK ash_status ash_buffer_sort(const ash_scope *scope,
                                                  uint32_t *buffers,
                                                  size_t count);

/* ---- snippets and blocks ------------------------------------------------ */

/* Text, then, if `buffer` is not ASH_NO_ID, a reference to that buffer. */
typedef struct ash_snippet_part {
  const char *text;
  uint32_t buffer;
  bool silent; /* the buffer is used, but its name is in the text already   */
} ash_snippet_part;

typedef enum ash_block_side { ASH_BLOCK_LEFT, ASH_BLOCK_RIGHT } ash_block_side;

/* Kept by the context of the scope. */
ASH_API ASH_MUST_CHECK ash_status ash_block_new(ash_scope *scope,
                                                ash_block **out);
ASH_API ASH_MUST_CHECK ash_status ash_block_add(ash_block *block,
                                                ash_block_side side,
                                                const ash_snippet_part *parts,
                                                size_t count);
/* A snippet of text alone. */
ASH_API ASH_MUST_CHECK ash_status ash_block_text(ash_block *block,
                                                 ash_block_side side,
                                                 const char *text);
/* Puts the block between two texts, one level further in. */
ASH_API ASH_MUST_CHECK ash_status ash_block_wrap(ash_block *block,
                                                 const char *before,
                                                 const char *behind);
ASH_API size_t ash_block_snippets(const ash_block *block);
/* As C; kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_block_render(const ash_block *block,
                                                   const char **text);

/* The buffers that a block refers to, each once, in the order of the scope.
 * `structs`: also what the structs among them point to, however deep;
 * `globals`: also those of the network. Kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_block_references(const ash_block *block,
                                                       bool structs,
                                                       bool globals,
                                                       const uint32_t **out,
                                                       size_t *count);
/* Every reference of snippet `i` to one of the buffers is written as "*name",
 * or as "name[index]". */
ASH_API ASH_MUST_CHECK ash_status ash_block_dereference(ash_block *block,
                                                        size_t i,
                                                        const uint32_t *buffers,
                                                        size_t count);
ASH_API ASH_MUST_CHECK ash_status ash_block_index(ash_block *block, size_t i,
                                                  const uint32_t *buffers,
                                                  size_t count,
                                                  const char *index);

/* ---- passes ------------------------------------------------------------- */

ASH_API ASH_MUST_CHECK ash_status
ash_block_allocate(ash_block *block, uint32_t node, ash_memory_selector memory);
ASH_API ASH_MUST_CHECK ash_status ash_block_pass_through(
    ash_block *block, uint32_t node, ash_memory_selector memory);
/* `definitions` (kept by the context) hold the struct and the function `name`;
 * the block becomes its call. */
ASH_API ASH_MUST_CHECK ash_status ash_block_close(ash_block *block,
                                                  const char *name,
                                                  const char **definitions);

#ifdef __cplusplus
}
#endif
#endif

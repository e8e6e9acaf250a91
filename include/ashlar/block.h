/* ashlar/block.h - execution blocks: C text that knows which buffers it uses.
 *
 * A block is a list of snippets; a snippet is text interleaved with references
 * to buffers. References are data, never found by searching text. Passes work
 * on blocks: they add snippets to the left and to the right, and track which
 * buffers are live.
 *
 *   scope: the buffers of a network, which of them are live, and how many bytes
 *          of each memory that takes now and took at most;
 *   allocation pass: the outputs of a node become live and get their addresses
 *          before the block; inputs that it reads last die after it;
 *   passthrough pass: the same accounting without code, for nodes that pass a
 *          pointer on (reshapes);
 *   closure pass: the block becomes a static function with a struct of
 *          arguments, and a call of it;
 *   ash_block_wrap: a loop around a block (src/emit/tile/tile.c writes those).
 *
 * Nodes are numbers that the caller chooses. A number that is no buffer of the
 * scope is ASH_MISUSE, and so is a node that makes what is live already, or
 * that is the last to use what is not.
 *
 * A pass of one's own is a function over blocks: examples/extend/own_pass.c has
 * one that passes pointers on, indexes and dereferences them. */
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
  ASH_BUFFER_STRUCT     /* arguments: pointers to other buffers              */
} ash_buffer_kind;

typedef struct ash_block_buffer {
  const char *name; /* a C identifier, unique in the scope                   */
  const char *type; /* of its elements, as C spells it; NULL: uint8_t        */
  ash_buffer_kind kind;
  const char *memory; /* NULL: not chosen yet                                */
  uint64_t bytes;
  const char *place; /* C expression of its address, for the allocation pass */
  bool global;       /* of the network: always live                          */
  bool ignored;      /* not part of the program                              */
  const uint32_t *users; /* nodes that read it, in order of execution        */
  uint32_t user_count;
  uint32_t base;   /* the buffer that this one is a part of, or ASH_NO_ID    */
  uint64_t offset; /* ... from this byte on                                  */
  const uint32_t *fields; /* of a struct: buffers, ASH_NO_ID: a null pointer */
  uint32_t field_count;
} ash_block_buffer;

/* A scope and its buffers are kept by the context. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_new(ash_ctx *ctx, ash_scope **out);
/* A name that is taken is an error. The struct is copied deeply. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_add(ash_scope *scope, uint32_t *out,
                                                const ash_block_buffer *buffer);
/* Two buffers share their storage. */
ASH_API ASH_MUST_CHECK ash_status ash_scope_alias(ash_scope *scope, uint32_t a,
                                                  uint32_t b);
/* NULL: there is none of that number. */
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
 * "/L[23]/": all whose whole name matches the regular expression, as Python
 * writes it: \d, \w, \s, lazy quantifiers and (?:...) are known, what is
 * not (back references, looking around, flags) is ASH_MISUSE. */
typedef const char *ash_memory_selector;

/* The node writes it: not a struct, not work memory, not read by the node. */
ASH_API bool ash_buffer_is_output(const ash_scope *scope, uint32_t buffer,
                                  uint32_t node);
/* The node is its last reader. */
ASH_API bool ash_buffer_is_final_input(const ash_scope *scope, uint32_t buffer,
                                       uint32_t node);
ASH_API bool ash_buffer_is_transient(const ash_scope *scope, uint32_t buffer,
                                     uint32_t node);
/* ASH_MISUSE for an invalid expression. */
ASH_API ASH_MUST_CHECK ash_status
ash_buffer_is_memory_level(const ash_scope *scope, bool *out, uint32_t buffer,
                           ash_memory_selector memory);
/* Topological sort: a buffer comes before the buffers that are parts of it;
 * stable. A cycle is an error that names it. */
ASH_API ASH_MUST_CHECK ash_status ash_buffer_sort(const ash_scope *scope,
                                                  uint32_t *buffers,
                                                  size_t count);

/* ---- snippets and blocks ------------------------------------------------ */

/* Text, then, if `buffer` is not ASH_NO_ID, a reference to that buffer. */
typedef struct ash_snippet_part {
  const char *text;
  uint32_t buffer;
  bool silent; /* the buffer is used, but the text already has its name     */
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
/* Puts the block between two texts, indented by one level. */
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
 * or as "name[index]" (NULL: 0). */
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

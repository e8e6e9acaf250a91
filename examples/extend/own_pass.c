/* own_pass.c - a pass of one's own over execution blocks.
 *
 * A network of three nodes is written as C: node 0 doubles its input, tile by
 * tile, with two buffers for the tiles; node 1 is a reshape, which passes its
 * pointer on; node 2 adds all up. The pass of this file, `fetch_tiles`, puts a
 * loop and a copy in front of a block and lets it use the buffers in turn. The
 * program prints the C, which the tests compile and run.
 *
 *   own_pass > made.c && cc made.c -o made && ./made                       */
#include "ashlar/block.h"

#include <stdio.h>

enum { DOUBLE, RESHAPE, SUM };

#define TRY(call)                                                              \
  do {                                                                         \
    const ash_status status_ = (call);                                         \
    if (status_ != ASH_OK)                                                     \
      return status_;                                                          \
  } while (0)

typedef struct network {
  ash_scope *scope;
  uint32_t x, tiles, count, y, flat, sum;
} network;

static ash_status add(network *n, uint32_t *out, ash_block_buffer b) {
  b.base = ASH_NO_ID;
  return ash_scope_add(n->scope, out, &b);
}

static ash_status add_buffers(network *n) {
  static const uint32_t by_double = DOUBLE, by_reshape = RESHAPE, by_sum = SUM;
  TRY(add(n, &n->x,
          (ash_block_buffer){.name = "x", .type = "int", .global = true}));
  TRY(add(n, &n->sum,
          (ash_block_buffer){.name = "sum", .type = "int", .global = true}));
  TRY(add(n, &n->tiles,
          (ash_block_buffer){.name = "tiles",
                             .type = "int *",
                             .kind = ASH_BUFFER_TRANSIENT,
                             .memory = "L1",
                             .bytes = 2 * 4 * sizeof(int),
                             .place = "(int *[]){l1, l1 + 4}",
                             .users = &by_double,
                             .user_count = 1}));
  TRY(add(n, &n->count,
          (ash_block_buffer){.name = "count", .type = "int", .global = true}));
  TRY(add(n, &n->y,
          (ash_block_buffer){.name = "y",
                             .type = "int",
                             .memory = "L2",
                             .bytes = 16 * sizeof(int),
                             .place = "l2",
                             .users = &by_reshape,
                             .user_count = 1}));
  TRY(add(n, &n->flat,
          (ash_block_buffer){.name = "flat",
                             .type = "int",
                             .memory = "L2",
                             .bytes = 16 * sizeof(int),
                             .users = &by_sum,
                             .user_count = 1}));
  return ash_scope_alias(n->scope, n->y, n->flat);
}

/* The pass: every reference of the block's snippets to `tiles` becomes that of
 * one of two buffers in turn, `count` is read through its pointer, and a loop
 * brings one tile after the other. */
static ash_status fetch_tiles(ash_block *block, const network *n) {
  const size_t own = ash_block_snippets(block);
  for (size_t i = 0; i < own; i++) {
    TRY(ash_block_index(block, i, &n->tiles, 1, "k & 1"));
    TRY(ash_block_dereference(block, i, &n->count, 1));
  }
  const ash_snippet_part copy[] = {
      {"memcpy(", n->tiles, false},
      {", ", n->x, false},
      {" + 4 * k, 4 * sizeof(int));", ASH_NO_ID, false}};
  TRY(ash_block_add(block, ASH_BLOCK_LEFT, copy, 3));
  TRY(ash_block_index(block, 0, &n->tiles, 1, "k & 1"));
  return ash_block_wrap(block, "for (int k = 0; k < 4; k++) {", "}");
}

static ash_status print_block(const ash_block *block) {
  const char *text;
  TRY(ash_block_render(block, &text));
  fputs(text, stdout);
  return ASH_OK;
}

static ash_status write_double(network *n) {
  ash_block *block;
  const ash_snippet_part kernel[] = {{"twice(", n->tiles, false},
                                     {", ", n->y, false},
                                     {" + 4 * k, ", n->count, false},
                                     {");", ASH_NO_ID, false}};
  TRY(ash_block_new(n->scope, &block));
  TRY(ash_block_add(block, ASH_BLOCK_RIGHT, kernel, 4));
  TRY(fetch_tiles(block, n));
  TRY(ash_block_allocate(block, DOUBLE, "/L\\d/"));
  return print_block(block);
}

/* Memory changes hands and no code allocates or frees any. */
static ash_status write_reshape(network *n) {
  ash_block *block;
  const ash_snippet_part pass[] = {
      {"int *", n->flat, false}, {" = ", n->y, false}, {";", ASH_NO_ID, false}};
  TRY(ash_block_new(n->scope, &block));
  TRY(ash_block_add(block, ASH_BLOCK_RIGHT, pass, 3));
  TRY(ash_block_pass_through(block, RESHAPE, "/L\\d/"));
  return print_block(block);
}

static ash_status write_sum(network *n) {
  ash_block *block;
  const ash_snippet_part kernel[] = {
      {"", n->sum, false}, {" += ", n->flat, false}, {";", ASH_NO_ID, false}};
  TRY(ash_block_new(n->scope, &block));
  TRY(ash_block_add(block, ASH_BLOCK_RIGHT, kernel, 3));
  TRY(ash_block_dereference(block, 0, &n->sum, 1));
  TRY(ash_block_index(block, 0, &n->flat, 1, "i"));
  TRY(ash_block_wrap(block, "for (int i = 0; i < 16; i++) {", "}"));
  TRY(ash_block_allocate(block, SUM, "/L\\d/"));
  return print_block(block);
}

static ash_status write_network(ash_ctx *ctx) {
  network n;
  TRY(ash_scope_new(ctx, &n.scope));
  TRY(add_buffers(&n));
  puts("#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n\n"
       "static int l1[8], l2[16];\n\n"
       "static void twice(const int *in, int *out, int n) {\n"
       "  for (int i = 0; i < n; i++)\n    out[i] = 2 * in[i];\n}\n\n"
       "static void run(const int *x, int *sum, const int *count) {");
  TRY(write_double(&n));
  TRY(write_reshape(&n));
  TRY(write_sum(&n));
  printf(
      "}\n\nint main(void) {\n  int x[16], sum = 0, count = 4;\n"
      "  for (int i = 0; i < 16; i++)\n    x[i] = i;\n"
      "  run(x, &sum, &count);\n"
      "  printf(\"sum %%d, L1 %u, L2 %u\\n\", sum);\n  return sum != 240;\n}\n",
      (unsigned)ash_scope_peak(n.scope, "L1"),
      (unsigned)ash_scope_peak(n.scope, "L2"));
  return ASH_OK;
}

int main(void) {
  ash_ctx *ctx;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 1;
  const ash_status status = write_network(ctx);
  ash_ctx_free(ctx);
  return status != ASH_OK;
}

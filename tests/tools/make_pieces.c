/* make_pieces.c - writes a C program that runs random operators twice: as a
 * whole, and cut into pieces, sums into parts, each piece alone on nothing but
 * its boxes. Both times with the calls that the emitter writes. The program
 * says how many operators it ran and how many differed.
 *
 *   make_pieces SEED SHARE > pieces.c     (one operator in SHARE is taken) */
#include "cuts.h"
#include "domain/piece_graph.h"
#include "emit/call/call.h"
#include "op/reads.h"
#include "op/sums.h"

#include <inttypes.h>

enum { MOST_PIECES = 14, ROOM = 65536 };

static uint32_t made, share = 8;
static ash_rng choice;

static const char head[] =
    "#include \"ash_rt_compare.h\"\n"
    "#include \"ash_rt_folds.h\"\n"
    "#include \"ash_rt_fourier.h\"\n"
    "#include \"ash_rt_hybrid.h\"\n"
    "#include \"ash_rt_layers_any.h\"\n"
    "#include \"ash_rt_layers_f32.h\"\n"
    "#include \"ash_rt_layers_s8.h\"\n"
    "#include \"ash_rt_loops.h\"\n"
    "#include \"ash_rt_maps.h\"\n"
    "#include \"ash_rt_attention.h\"\n"
    "#include \"ash_rt_matmul.h\"\n"
    "#include \"ash_rt_moves.h\"\n"
    "#include \"ash_rt_pairs.h\"\n"
    "#include \"ash_rt_quantize.h\"\n"
    "#include \"ash_rt_resize.h\"\n"
    "#include \"ash_rt_rows.h\"\n"
    "#include \"ash_rt_state.h\"\n"
    "#include <math.h>\n#include <stdio.h>\n#include <string.h>\n"
    "static uint64_t b[8][8192], r[4][8192], acc[8192], work[8192];\n"
    "static uint64_t want[4][8192], got[4][8192];\n"
    "/* Between a box of a tensor and a dense piece. */\n"
    "static void move(uint8_t *whole, uint8_t *piece, int rank,\n"
    "                 const int *dim, const int *start, const int *size,\n"
    "                 int bytes, int out) {\n"
    "  int at[8] = {0};\n"
    "  for (int d = rank;;) {\n"
    "    size_t from = 0;\n"
    "    for (int k = 0; k < rank; k++)\n"
    "      from = from * (size_t)dim[k] + (size_t)(start[k] + at[k]);\n"
    "    if (out)\n"
    "      memcpy(whole + from * (size_t)bytes, piece, (size_t)bytes);\n"
    "    else\n"
    "      memcpy(piece, whole + from * (size_t)bytes, (size_t)bytes);\n"
    "    piece += bytes;\n"
    "    for (d = rank; d-- > 0 && ++at[d] == size[d];)\n"
    "      at[d] = 0;\n"
    "    if (d < 0)\n"
    "      return;\n"
    "  }\n"
    "}\n"
    "static int near(const void *a, const void *b, size_t count) {\n"
    "  for (size_t i = 0; i < count; i++) {\n"
    "    const float x = ((const float *)a)[i], y = ((const float *)b)[i];\n"
    "    const float d = x < y ? y - x : x - y, m = x < 0 ? -x : x;\n"
    "    if (!(d <= 1e-5f + 1e-5f * m))\n"
    "      return 0;\n"
    "  }\n"
    "  return 1;\n"
    "}\n";

/* ---- text ---------------------------------------------------------------- */

static void put_data(const char *name, const uint8_t *bytes, uint64_t count) {
  printf("  static const _Alignas(16) uint8_t %s[] = {", name);
  for (uint64_t i = 0; i < count; i++)
    printf("%u,", bytes[i]);
  printf("};\n");
}

static void put_list(const char *before, const int64_t *values, uint32_t n) {
  printf("%s(const int[]){", before);
  for (uint32_t d = 0; d < n; d++)
    printf("%s%" PRId64, d ? "," : "", values[d]);
  printf("%s}", n ? "" : "0");
}

static void put_move(const ash_graph *g, const ash_tile_operand *o,
                     const ash_box *box) {
  const ash_tensor *t = &g->tensors.items[o->tensor];
  int64_t dim[ASH_RANK_MAX];
  for (uint32_t d = 0; d < box->rank; d++) {
    if (box->size[d] == 0)
      return;
    dim[d] = t->shape.dim[d];
  }
  if (o->is_output)
    printf("    move((uint8_t *)got[%u], (uint8_t *)r[%u], %u", o->position,
           o->position, box->rank);
  else
    printf("    move((uint8_t *)x%u, (uint8_t *)b[%u], %u", o->position,
           o->position, box->rank);
  put_list(", ", dim, box->rank);
  put_list(", ", box->start, box->rank);
  put_list(", ", box->size, box->rank);
  printf(", %u, %d);\n", ash_type_bits(t->type) / 8, o->is_output);
}

/* The call of an op whose operands are at <in><k> (or <in>[<k>]) and
 * <out>[<k>]. */
static void put_call(net *n, const ash_graph *g, const char *in,
                     const char *out, ash_tile_part part, int64_t folded) {
  char names[16][24], results[8][24];
  const char *inputs[16], *outputs[8];
  const char *tail = strchr(in, '[') ? "]" : "";
  ash_text text;
  for (uint32_t k = 0; k < 16; k++) {
    (void)snprintf(names[k], sizeof names[k], "%s%u%s", in, k, tail);
    inputs[k] = names[k];
  }
  for (uint32_t k = 0; k < 8; k++) {
    (void)snprintf(results[k], sizeof results[k], "%s[%u]", out, k);
    outputs[k] = results[k];
  }
  ash_text_init(&text, &n->ctx->mem);
  ash_call call = {.graph = g,
                   .inputs = inputs,
                   .outputs = outputs,
                   .scratch = "work",
                   .text = &text,
                   .part = part,
                   .accumulator = "acc",
                   .folded = folded,
                   .apart = *tail != '\0'}; /* pieces: pixels in pairs */
  text.indent = 2;
  call.kernel = ash_kernel_find(g, 0, NULL, false);
  if (ash_kernel_check(n->ctx, call.kernel, g, 0) != ASH_OK ||
      ash_emit_call(n->ctx, &call) != ASH_OK)
    print_newest(n->ctx);
  printf("    {\n%.*s    }\n", (int)text.count, text.bytes ? text.bytes : "");
  ash_text_drop(&text);
}

/* ---- cuts ---------------------------------------------------------------- */

static uint64_t choose(const ash_tile_space *s, int64_t *tile) {
  uint64_t pieces = 1;
  for (uint32_t a = 0; a < s->axis_count; a++) {
    const ash_tile_axis *x = &s->axes[a];
    const int64_t steps = (x->extent + x->granule - 1) / x->granule;
    tile[a] =
        x->granule * (1 + (int64_t)ash_rng_below(&choice, (uint64_t)steps));
    if (tile[a] > x->extent)
      tile[a] = x->extent;
    pieces *= (uint64_t)((x->extent + tile[a] - 1) / tile[a]);
  }
  return pieces;
}

static bool cuts_sum(const ash_tile_space *s, const int64_t *tile) {
  for (uint32_t a = 0; a < s->axis_count; a++)
    if (s->axes[a].kind == ASH_AXIS_SUM && tile[a] < s->axes[a].extent)
      return true;
  return false;
}

static void put_piece(net *n, const ash_tile_space *s, const int64_t *at,
                      const int64_t *size) {
  const ash_tile_part part = ash_domain_part_of(s, at, size);
  ash_graph *p;
  CHECK_EQ(ash_domain_piece_graph(n->ctx, &p, n->g, s, at, size, part), ASH_OK);
  printf("  {\n");
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < s->operand_count; i++) {
      ash_box box;
      ash_tile_box(&box, n->g, s, i, at, size);
      if (s->operands[i].is_output == (pass == 1) &&
          (pass == 0 || part == ASH_PART_WHOLE || part == ASH_PART_LAST))
        put_move(n->g, &s->operands[i], &box);
    }
    if (pass == 0)
      put_call(n, p, "b[", "r", part, ash_domain_folded(n->g, s));
  }
  printf("  }\n");
  ash_graph_free(p);
}

/* Free axes outside, sums inside. */
static void put_pieces(net *n, const ash_tile_space *s, const int64_t *tile) {
  int64_t at[ASH_TILE_AXES] = {0}, size[ASH_TILE_AXES];
  uint32_t order[ASH_TILE_AXES], count = 0;
  for (int kind = 0; kind < 2; kind++)
    for (uint32_t a = 0; a < s->axis_count; a++)
      if ((s->axes[a].kind == ASH_AXIS_SUM) == (kind == 1))
        order[count++] = a;
  for (uint32_t k = 0; k != UINT32_MAX;) {
    for (uint32_t a = 0; a < s->axis_count; a++)
      size[a] = tile[a] < s->axes[a].extent - at[a] ? tile[a]
                                                    : s->axes[a].extent - at[a];
    put_piece(n, s, at, size);
    for (k = count; k-- > 0;) {
      at[order[k]] += tile[order[k]];
      if (at[order[k]] < s->axes[order[k]].extent)
        break;
      at[order[k]] = 0;
    }
  }
}

static bool fits(const net *n, const ash_tile_space *s) {
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (n->g->tensors.items[s->operands[i].tensor].bytes > ROOM ||
        s->operands[i].position >= 4)
      return s->operands[i].position < 8 && !s->operands[i].is_output;
  return true;
}

/* A convolution of floats sums channels and taps in another order. */
static bool is_near(const net *n, const ash_tile_space *s,
                    const int64_t *tile) {
  const ash_op *op = &n->g->ops.items[0];
  const ash_tensor *w = ash_op_in(n->g, op, 1);
  return (op->kind == ASH_OP_conv_2d || op->kind == ASH_OP_transpose_conv) &&
         w->type == ASH_FLOAT32 && w->shape.dim[1] * w->shape.dim[2] > 1 &&
         cuts_sum(s, tile);
}

static void put_case(net *n, const ash_tile_space *s, const int64_t *tile) {
  const ash_op *op = &n->g->ops.items[0];
  void **values = pieces_values(&n->ctx->scratch, n->g);
  for (size_t i = 0; i < n->g->input_count; i++)
    pieces_fill(&choice, &n->g->tensors.items[n->g->inputs[i]],
                values[n->g->inputs[i]]);
  printf("static int case_%u(void) { /* %s%s */\n", made,
         ash_op_kind_text(op->kind), cuts_sum(s, tile) ? ", in parts" : "");
  for (uint32_t k = 0; k < op->input_count; k++)
    if (op->inputs[k] != ASH_NO_ID && ash_kernel_reads(NULL, n->g, 0, k)) {
      char name[16];
      (void)snprintf(name, sizeof name, "x%u", k);
      put_data(name, values[op->inputs[k]],
               n->g->tensors.items[op->inputs[k]].bytes);
    }
  printf("  memset(got, 0x5a, sizeof got);\n  {\n");
  put_call(n, n->g, "x", "want", ASH_PART_WHOLE, 0);
  printf("  }\n");
  put_pieces(n, s, tile);
  printf("  return 1");
  for (uint32_t k = 0; k < op->output_count; k++) {
    const ash_tensor *y = ash_op_out(n->g, op, k);
    if (is_near(n, s, tile))
      printf(" && near(want, got, %" PRIu64 ")", y->bytes / 4);
    else
      printf(" && memcmp(want[%u], got[%u], %" PRIu64 ") == 0", k, k, y->bytes);
  }
  printf(";\n}\n");
  made++;
}

/* Operators with sums are taken more often. */
static uint32_t write_case(net *n, uint32_t op) {
  const ash_tile_space *s;
  const char *why;
  int64_t tile[ASH_TILE_AXES];
  CHECK_EQ(ash_tile_space_of(n->ctx, &s, &why, n->g, op), ASH_OK);
  CHECK(s);
  const uint32_t chance = s->accumulator_bytes ? (share + 2) / 3 : share;
  if (ash_rng_below(&choice, chance) != 0 || !fits(n, s))
    return s->axis_count;
  const ash_mark mark = ash_zone_mark(&n->ctx->scratch);
  for (uint32_t tries = 0; tries < 20; tries++) {
    const uint64_t pieces = choose(s, tile);
    if (pieces > MOST_PIECES || (pieces == 1 && tries < 19))
      continue;
    if (s->accumulator_bytes && !cuts_sum(s, tile) && tries < 15)
      continue;
    put_case(n, s, tile);
    break;
  }
  ash_zone_rewind(&n->ctx->scratch, mark);
  return s->axis_count;
}

/* ---- all ----------------------------------------------------------------- */

int main(int argc, char **argv) {
  choice.state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  cut_rng.state = choice.state * 977;
  share = argc > 2 ? (uint32_t)atoi(argv[2]) : 8;
  cut_sink = write_case;
  fputs(head, stdout);
  for (const check_case *const *table = cut_tables; *table; table++)
    for (const check_case *c = *table; c->name; c++)
      c->run();
  printf("static int (*const cases[])(void) = {\n");
  for (uint32_t i = 0; i < made; i++)
    printf("  case_%u,\n", i);
  printf("};\nint main(void) {\n"
         "  int wrong = 0;\n"
         "  for (int i = 0; i < %u; i++)\n"
         "    if (!cases[i]()) {\n"
         "      printf(\"differs: case %%d\\n\", i);\n"
         "      wrong++;\n"
         "    }\n"
         "  printf(\"operators %u\\nwrong %%d\\n\", wrong);\n"
         "  return wrong != 0;\n}\n",
         made, made);
  return 0;
}

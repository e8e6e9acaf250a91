/* share.c - the share of one core: some lines, with the kernel's function for
 * lines, or a piece, with the kernel on operands that begin further on. */
#include "domain/piece_graph.h"
#include "domain/shares.h"
#include "emit/cores/cores.h"
#include "op/sums.h"

#include <inttypes.h>
#include <string.h>

typedef struct sharer {
  ash_ctx *ctx;
  const ash_call *whole;
  ash_domain_shares shares;
  const char *scratch; /* of the core */
} sharer;

static const char *scratch_of(sharer *s, uint64_t core_scratch) {
  const char *all = s->whole->scratch;
  if (!all || core_scratch == 0)
    return all;
  return ash_zone_format(&s->ctx->scratch,
                         "((uint8_t *)(%s) + core * %" PRIu64 "u)", all,
                         core_scratch);
}

/* ---- lines --------------------------------------------------------------- */

static void put_lines(const sharer *s, const char *name, const char *base,
                      uint32_t tensor) {
  const ash_tensor *t = &s->whole->graph->tensors.items[tensor];
  ASH_ASSERT(t->shape.rank == 4 && t->shape.dim[0] == 1);
  ash_text_line(s->whole->text,
                "const ash_rt_lines %s = {%s, 0, 0, %" PRIu64 "};", name, base,
                t->bytes / (uint64_t)t->shape.dim[1]);
}

static ash_status put_line_call(sharer *s) {
  const ash_op *o = &s->whole->graph->ops.items[s->whole->op];
  ash_zone *z = &s->ctx->scratch;
  const char **in =
      ash_zone_copy(z, s->whole->inputs, o->input_count * sizeof *in);
  const char *out[] = {"&out"};
  ash_call call = *s->whole;
  ASH_TRY(ash_zone_check(s->ctx, z));
  put_lines(s, "in", in[0], o->inputs[0]);
  put_lines(s, "out", s->whole->outputs[0], o->outputs[0]);
  ash_text_line(call.text,
                "const int32_t from = (int32_t)(core * %" PRId64 "u / %" PRIu32
                "u);",
                s->shares.blocks, s->shares.count);
  ash_text_line(call.text,
                "const int32_t to = (int32_t)((core + 1u) * %" PRId64
                "u / %" PRIu32 "u);",
                s->shares.blocks, s->shares.count);
  in[0] = "&in";
  call.inputs = in;
  call.outputs = out;
  call.lines = true;
  call.scratch = s->scratch;
  return ash_emit_call(s->ctx, &call);
}

/* ---- pieces -------------------------------------------------------------- */

/* Where an operand of a share begins: a table if that differs. */
static const char *put_place(const sharer *s, bool is_output,
                             uint32_t position) {
  const ash_call *c = s->whole;
  const char *base = is_output ? c->outputs[position] : c->inputs[position];
  const ash_op *o = &c->graph->ops.items[c->op];
  if (!base || strcmp(base, "NULL") == 0 ||
      (!is_output && o->inputs[position] == ASH_NO_ID))
    return base;
  uint64_t from[ASH_SHARES_MAX];
  bool differs = false;
  for (uint32_t core = 0; core < s->shares.count; core++) {
    from[core] = ash_domain_share_bytes(c->graph, &s->shares, c->op, core,
                                        is_output, position)
                     .from;
    differs = differs || from[core] != 0;
  }
  if (!differs)
    return base;
  const char *name = is_output ? "at_out" : "at_in";
  ash_text_format(c->text, "  static const uint32_t %s_%" PRIu32 "[] = {", name,
                  position);
  for (uint32_t core = 0; core < s->shares.count; core++)
    ash_text_format(c->text, "%s%" PRIu64, core ? ", " : "", from[core]);
  ash_text_string(c->text, "};\n");
  if (c->part != ASH_PART_WHOLE) /* not all parts have all operands */
    ash_text_line(c->text, "(void)%s_%" PRIu32 ";", name, position);
  return ash_zone_format(&s->ctx->scratch,
                         "((%suint8_t *)(%s) + %s_%" PRIu32 "[core])",
                         is_output ? "" : "const ", base, name, position);
}

/* An element for each of the result, in its order. What the space says of
 * accumulators does not count here: a part of one position along the summed
 * axis has a space without a sum. */
static const char *put_accumulator(const sharer *s) {
  const ash_call *c = s->whole;
  const ash_op *o = &c->graph->ops.items[c->op];
  const uint64_t element = ash_type_bits(ash_op_out(c->graph, o, 0)->type) / 8;
  const uint64_t bytes = ash_accumulator_bytes(ash_op_accumulator(c->graph, o));
  ASH_ASSERT(bytes > 0);
  ash_text_string(c->text, "  static const uint32_t at_sum[] = {");
  for (uint32_t core = 0; core < s->shares.count; core++) {
    const uint64_t from =
        ash_domain_share_bytes(c->graph, &s->shares, c->op, core, true, 0).from;
    ash_text_format(c->text, "%s%" PRIu64, core ? ", " : "",
                    from / element * bytes);
  }
  ash_text_string(c->text, "};\n");
  return ash_zone_format(&s->ctx->scratch, "((uint8_t *)(%s) + at_sum[core])",
                         c->accumulator);
}

static uint64_t class_of(const sharer *s, uint32_t core) {
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  ash_domain_share_piece(&s->shares, core, at, n);
  return ash_domain_class(s->whole->graph, s->shares.space, at, n,
                          ASH_PART_WHOLE);
}

static ash_status put_piece(const sharer *s, const ash_call *moved,
                            uint32_t core) {
  int64_t at[ASH_TILE_AXES], n[ASH_TILE_AXES];
  ash_graph *piece = NULL;
  ash_call call = *moved;
  ash_domain_share_piece(&s->shares, core, at, n);
  ASH_TRY(ash_domain_piece_graph(s->ctx, &piece, s->whole->graph,
                                 s->shares.space, at, n, ASH_PART_WHOLE));
  call.graph = piece;
  call.op = 0;
  const ash_status status = ash_emit_call(s->ctx, &call);
  ash_graph_free(piece);
  return status;
}

/* Cores whose pieces the same C runs, from `core` on; all others in `rest`. */
static void put_cases(const sharer *s, uint32_t core) {
  const uint64_t class = class_of(s, core);
  for (uint32_t other = core; other < s->shares.count; other++)
    if (class_of(s, other) == class)
      ash_text_line(s->whole->text, "case %" PRIu32 ":", other);
}

static bool is_first_of_class(const sharer *s, uint32_t core) {
  for (uint32_t other = 0; other < core; other++)
    if (class_of(s, other) == class_of(s, core))
      return false;
  return true;
}

static ash_status put_choice(const sharer *s, const ash_call *moved) {
  ash_text *t = s->whole->text;
  ash_text_line(t, "switch (core) {");
  for (uint32_t core = 0; core < s->shares.count; core++) {
    if (!is_first_of_class(s, core))
      continue;
    if (core == 0)
      ash_text_line(t, "default:");
    else
      put_cases(s, core);
    ash_text_line(t, "{");
    t->indent++;
    ASH_TRY(put_piece(s, moved, core));
    ash_text_line(t, "break;");
    t->indent--;
    ash_text_line(t, "}");
  }
  ash_text_line(t, "}");
  return ASH_OK;
}

static ash_status put_pieces(sharer *s) {
  const ash_op *o = &s->whole->graph->ops.items[s->whole->op];
  ash_zone *z = &s->ctx->scratch;
  const char **in = ASH_NEW_ARRAY(z, const char *, o->input_count + 1u);
  const char *out[1];
  ash_call moved = *s->whole;
  bool alike = true;
  ASH_TRY(ash_zone_check(s->ctx, z));
  for (uint32_t k = 0; k < o->input_count; k++)
    in[k] = put_place(s, false, k);
  out[0] = put_place(s, true, 0);
  ASH_TRY(ash_zone_check(s->ctx, z));
  moved.inputs = in;
  moved.outputs = out;
  moved.scratch = s->scratch;
  if (moved.part != ASH_PART_WHOLE)
    moved.accumulator = put_accumulator(s);
  for (uint32_t core = 1; core < s->shares.count; core++)
    alike = alike && class_of(s, core) == class_of(s, 0);
  return alike ? put_piece(s, &moved, 0) : put_choice(s, &moved);
}

ash_status ash_emit_share(ash_ctx *ctx, const ash_call *whole, uint32_t cores,
                          uint64_t core_scratch) {
  sharer s = {.ctx = ctx, .whole = whole};
  ASH_TRY(ash_domain_shares_of(ctx, &s.shares, whole->graph, whole->op,
                               whole->kernel, cores,
                               whole->part == ASH_PART_WHOLE));
  ASH_INVARIANT(ctx, s.shares.count == cores && cores > 1);
  s.scratch = scratch_of(&s, core_scratch);
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  return s.shares.lines ? put_line_call(&s) : put_pieces(&s);
}

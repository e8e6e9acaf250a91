/* tile_kernel.c - one function a class of pieces: the kernel of the operator on
 * tensors as small as the piece's boxes. */
#include "emit/call/call.h"
#include "emit/tile/tile.h"

#include <inttypes.h>

const char *ash_emit_tile_name(ash_zone *z, const ash_tile_operand *o) {
  ASH_ASSERT(o->rank <= ASH_RANK_MAX);
  const char *name = ash_zone_format(z, "%s_%" PRIu32,
                                     o->is_output ? "out" : "in", o->position);
  return name ? name : "";
}

/* "const uint8_t *in_0, uint8_t *out_0, ..." */
static void put_parameters(ash_module *m, ash_text *t,
                           const ash_tiling *tiling) {
  ASH_ASSERT(tiling->space->operand_count > 0);
  const ash_tile_space *s = tiling->space;
  for (uint32_t i = 0; i < s->operand_count; i++)
    ash_text_format(t, "%s%suint8_t *%s", i ? ", " : "",
                    s->operands[i].is_output ? "" : "const ",
                    ash_emit_tile_name(&m->ctx->scratch, &s->operands[i]));
  ash_text_string(t, ", void *work_memory, void *sum_memory");
}

static void put_unused(ash_module *m, ash_text *t, const ash_tiling *tiling) {
  const ash_tile_space *s = tiling->space;
  ash_text_string(t, "  ");
  for (uint32_t i = 0; i < s->operand_count; i++)
    ash_text_format(t, "(void)%s, ",
                    ash_emit_tile_name(&m->ctx->scratch, &s->operands[i]));
  ash_text_string(t, "(void)work_memory, (void)sum_memory;\n");
}

/* Names of the parameters where the op has its operands. */
static ash_status name_operands(ash_module *m, const ash_tiling *tiling,
                                const char ***in, const char ***out) {
  ASH_ASSERT(tiling->op < m->g->op_count);
  const ash_op *o = &m->g->ops.items[tiling->op];
  ash_zone *z = &m->ctx->scratch;
  *in = ASH_NEW_ARRAY(z, const char *, o->input_count + 1u);
  *out = ASH_NEW_ARRAY(z, const char *, o->output_count + 1u);
  ASH_TRY(ash_zone_check(m->ctx, z));
  for (uint32_t k = 0; k < o->input_count; k++)
    (*in)[k] = "NULL";
  for (uint32_t k = 0; k < o->output_count; k++)
    (*out)[k] = "NULL";
  for (uint32_t i = 0; i < tiling->space->operand_count; i++) {
    const ash_tile_operand *p = &tiling->space->operands[i];
    ASH_ASSERT(p->position < (p->is_output ? o->output_count : o->input_count));
    (p->is_output ? *out : *in)[p->position] = ash_emit_tile_name(z, p);
  }
  return ash_zone_check(m->ctx, z);
}

static ash_status put_body(ash_module *m, ash_text *t, const ash_tiling *tiling,
                           const ash_graph *piece, ash_tile_part part) {
  ASH_ASSERT(piece->op_count == 1);
  const char **in, **out;
  ash_call call = {.graph = piece,
                   .op = 0,
                   .scratch = "work_memory",
                   .part = part,
                   .accumulator = "sum_memory",
                   .folded = ash_domain_folded(m->g, tiling->space),
                   .text = t};
  ASH_TRY(name_operands(m, tiling, &in, &out));
  call.kernel = ash_kernel_find(piece, 0, NULL, false);
  ASH_INVARIANT(m->ctx, call.kernel != NULL); /* the whole has one */
  ASH_TRY(ash_emit_use_kernel(m, call.kernel));
  call.inputs = in;
  call.outputs = out;
  t->indent = 1;
  const ash_status status = ash_emit_call(m->ctx, &call);
  t->indent = 0;
  return status;
}

static const char *part_text(ash_tile_part part) {
  ASH_ASSERT(part <= ASH_PART_LAST);
  static const char *const words[] = {[ASH_PART_WHOLE] = "",
                                      [ASH_PART_FIRST] = ", the first of a sum",
                                      [ASH_PART_MIDDLE] = ", inside a sum",
                                      [ASH_PART_LAST] = ", a sum's last"};
  return words[part];
}

static void put_head(ash_module *m, ash_text *t, const ash_tiling *tiling,
                     const char *name, const ash_tile_function *f,
                     uint32_t number) {
  const ash_tile_space *s = tiling->space;
  ash_text_string(t, "/* Pieces of");
  for (uint32_t a = 0; a < s->axis_count; a++)
    ash_text_format(t, " %s %" PRId64, s->axes[a].name, f->n[a]);
  ash_text_format(t, "%s. */\n", part_text(f->part));
  ash_text_format(t, "static ASH_RT_STEP void %s_k%" PRIu32 "(", name, number);
  put_parameters(m, t, tiling);
  ash_text_string(t, ") {\n");
  put_unused(m, t, tiling);
}

static ash_status put_function(ash_module *m, ash_text *t,
                               const ash_tiling *tiling, const char *name,
                               const ash_tile_function *f, uint32_t number) {
  ASH_ASSERT(f->part <= ASH_PART_LAST);
  ash_graph *piece = NULL;
  ASH_TRY(ash_domain_piece_graph(m->ctx, &piece, m->g, tiling->space, f->at,
                                 f->n, f->part));
  put_head(m, t, tiling, name, f, number);
  const ash_status status = put_body(m, t, tiling, piece, f->part);
  ash_text_line(t, "}");
  ash_text_blank(t);
  ash_graph_free(piece);
  return status;
}

static void put_call(ash_module *m, ash_text *t, const ash_tiling *tiling,
                     const char *name, uint32_t function) {
  ASH_ASSERT(tiling->space->operand_count > 0);
  const ash_tile_space *s = tiling->space;
  ash_text_format(t, "%s_k%" PRIu32 "(", name, function);
  for (uint32_t i = 0; i < s->operand_count; i++)
    ash_text_format(t, "%s, ",
                    ash_emit_tile_name(&m->ctx->scratch, &s->operands[i]));
  ash_text_string(t, "work_memory, sum_memory);\n");
}

static void put_choice(ash_module *m, ash_text *t, const ash_tiling *tiling,
                       const char *name, const ash_tile_classes *c) {
  ASH_ASSERT(c->function_count > 0);
  ash_text_format(t, "static void %s_kernel(const ash_rt_piece *p, ", name);
  put_parameters(m, t, tiling);
  ash_text_string(t, ") {\n");
  if (c->function_count == 1) {
    ash_text_string(t, "  (void)p;\n  ");
    put_call(m, t, tiling, name, 0);
    ash_text_line(t, "}");
    ash_text_blank(t);
    return;
  }
  ash_text_line(t, "  switch (%s_class(p)) {", name);
  for (uint32_t f = 1; f < c->function_count; f++) {
    for (uint32_t i = 0; i < c->case_count; i++)
      if (c->cases[i].function == f)
        ash_text_line(t, "  case %" PRIu32 ":", c->cases[i].number);
    ash_text_string(t, "    ");
    put_call(m, t, tiling, name, f);
    ash_text_line(t, "    break;");
  }
  ash_text_line(t, "  default:");
  ash_text_string(t, "    ");
  put_call(m, t, tiling, name, 0);
  ash_text_line(t, "  }");
  ash_text_line(t, "}");
  ash_text_blank(t);
}

ash_status ash_emit_tile_kernels(ash_module *m, ash_text *t,
                                 const ash_tiling *tiling, const char *name,
                                 const ash_tile_classes *c) {
  ASH_ASSERT(tiling->op < m->g->op_count && c->function_count > 0);
  for (uint32_t i = 0; i < c->function_count; i++)
    ASH_TRY(put_function(m, t, tiling, name, &c->functions[i], i));
  if (c->function_count > 1)
    ash_emit_tile_classes(t, name, c, tiling->space->axis_count);
  put_choice(m, t, tiling, name, c);
  return ASH_OK;
}

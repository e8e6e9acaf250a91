/* tile_kernel.c - one function a class of pieces: the kernel of the operator on
 * tensors as small as the piece's boxes. */
#include "domain/shares.h"
#include "emit/cores/cores.h"
#include "emit/tile/tile.h"
#include "plan/record/record.h"

#include <inttypes.h>

const char *ash_emit_tile_name(ash_zone *z, const ash_tile_operand *o) {
  ASH_ASSERT(o->rank <= ASH_RANK_MAX);
  const char *name = ash_zone_format(z, "%s_%" PRIu32,
                                     o->is_output ? "out" : "in", o->position);
  return name ? name : "";
}

/* May pieces be split? Then their functions need the context. */
static bool has_cores(const ash_module *m, const ash_tiling *tiling) {
  return m->code[tiling->op].cores > 1;
}

/* "const uint8_t *in_0, uint8_t *out_0, ..." */
static void put_parameters(ash_module *m, ash_text *t,
                           const ash_tiling *tiling) {
  ASH_ASSERT(tiling->space->operand_count > 0);
  const ash_tile_space *s = tiling->space;
  if (has_cores(m, tiling))
    ash_text_format(t, "const %s_context *ctx, ", m->prefix);
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
                           const ash_graph *piece, ash_tile_part part,
                           uint32_t cores) {
  ASH_ASSERT(piece->op_count == 1);
  const char **in, **out;
  ash_call call = {.graph = piece,
                   .op = 0,
                   .scratch = "work_memory",
                   .part = part,
                   .accumulator = "sum_memory",
                   .folded = ash_domain_folded(m->g, tiling->space),
                   .apart = true,
                   .text = t};
  ASH_TRY(name_operands(m, tiling, &in, &out));
  call.kernel = ash_kernel_find(piece, 0, NULL, false);
  ASH_INVARIANT(m->ctx, call.kernel != NULL); /* the whole has one */
  call.inputs = in;
  call.outputs = out;
  t->indent = 1;
  const ash_status status = cores > 1 ? ash_emit_share(m->ctx, &call, cores, 0)
                                      : ash_emit_call(m->ctx, &call);
  t->indent = 0;
  return status;
}

/* ---- pieces on several cores --------------------------------------------- */

/* What one piece is split into: it has no work memory, which all would share,
 * and takes less time so. Parts of sums are made by loops, which know no lines:
 * they are split into pieces. */
static ash_status split_of(ash_module *m, uint32_t *cores,
                           const ash_tiling *tiling, const ash_graph *piece,
                           ash_tile_part part) {
  ash_domain_shares shares;
  ash_choice one = ash_choose(piece, 0, NULL);
  ASH_INVARIANT(m->ctx, one.kernel != NULL);
  *cores = one.scratch ? 1 : m->code[tiling->op].cores;
  ASH_TRY(ash_domain_shares_of(m->ctx, &shares, piece, 0, one.kernel, *cores,
                               part == ASH_PART_WHOLE));
  ash_choice all = one;
  all.cores = shares.count;
  all.largest_share = ash_domain_share_largest(&shares);
  *cores = shares.count > 1 && ash_plan_choice_cycles(piece, 0, &all) <
                                   ash_plan_choice_cycles(piece, 0, &one)
               ? shares.count
               : 1;
  return ash_emit_use_kernel(m, one.kernel, *cores > 1 && shares.lines);
}

/* The operands, one after the other, are what a share is told. */
static void put_unpacking(ash_module *m, ash_text *t,
                          const ash_tiling *tiling) {
  const ash_tile_space *s = tiling->space;
  ash_text_line(t, "  uint8_t *const *const operand = (uint8_t *const "
                   "*)argument;");
  for (uint32_t i = 0; i < s->operand_count; i++)
    ash_text_line(t, "  %suint8_t *const %s = operand[%" PRIu32 "];",
                  s->operands[i].is_output ? "" : "const ",
                  ash_emit_tile_name(&m->ctx->scratch, &s->operands[i]), i);
  ash_text_line(t, "  void *const work_memory = operand[%" PRIu32 "];",
                s->operand_count);
  ash_text_line(t, "  void *const sum_memory = operand[%" PRIu32 "];",
                s->operand_count + 1);
}

static void put_packing(ash_module *m, ash_text *t, const ash_tiling *tiling,
                        const char *name, uint32_t number, uint32_t cores) {
  const ash_tile_space *s = tiling->space;
  ash_text_string(t, "  uint8_t *const operand[] = {");
  for (uint32_t i = 0; i < s->operand_count; i++)
    ash_text_format(t, "\n      (uint8_t *)(uintptr_t)%s,",
                    ash_emit_tile_name(&m->ctx->scratch, &s->operands[i]));
  ash_text_string(t, "\n      (uint8_t *)work_memory, (uint8_t "
                     "*)sum_memory};\n");
  ash_text_line(
      t, "  %s_on_cores(ctx, %s_k%" PRIu32 "_share, operand, %" PRIu32 ");",
      m->prefix, name, number, cores);
}

static ash_status put_share(ash_module *m, ash_text *t,
                            const ash_tiling *tiling, const char *name,
                            const ash_graph *piece, ash_tile_part part,
                            uint32_t cores) {
  ASH_ASSERT(cores > 1 && name);
  ash_text_line(t,
                "static ASH_RT_STEP void %s_share(const void *argument,\n"
                "    uint32_t core) {",
                name);
  put_unpacking(m, t, tiling);
  put_unused(m, t, tiling);
  ASH_TRY(put_body(m, t, tiling, piece, part, cores));
  ash_text_line(t, "}");
  ash_text_blank(t);
  return ASH_OK;
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
  if (has_cores(m, tiling))
    ash_text_line(t, "  (void)ctx;");
  put_unused(m, t, tiling);
}

static ash_status put_function(ash_module *m, ash_text *t,
                               const ash_tiling *tiling, const char *name,
                               const ash_tile_function *f, uint32_t number) {
  ASH_ASSERT(f->part <= ASH_PART_LAST);
  ash_graph *piece = NULL;
  uint32_t cores = 1;
  ASH_TRY(ash_domain_piece_graph(m->ctx, &piece, m->g, tiling->space, f->at,
                                 f->n, f->part));
  ash_status status = split_of(m, &cores, tiling, piece, f->part);
  const char *own =
      ash_zone_format(&m->ctx->scratch, "%s_k%" PRIu32, name, number);
  if (status == ASH_OK)
    status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (status == ASH_OK && cores > 1)
    status = put_share(m, t, tiling, own, piece, f->part, cores);
  put_head(m, t, tiling, name, f, number);
  if (cores > 1)
    put_packing(m, t, tiling, name, number, cores);
  else if (status == ASH_OK)
    status = put_body(m, t, tiling, piece, f->part, 1);
  ash_text_line(t, "}");
  ash_text_blank(t);
  ash_graph_free(piece);
  return status;
}

void ash_emit_tile_call(ash_module *m, ash_text *t, const ash_tiling *tiling,
                        const char *name, uint32_t function) {
  ASH_ASSERT(tiling->space->operand_count > 0);
  const ash_tile_space *s = tiling->space;
  ash_text_format(t, "%s_k%" PRIu32 "(%s", name, function,
                  has_cores(m, tiling) ? "ctx, " : "");
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
    ash_emit_tile_call(m, t, tiling, name, 0);
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
    ash_emit_tile_call(m, t, tiling, name, f);
    ash_text_line(t, "    break;");
  }
  ash_text_line(t, "  default:");
  ash_text_string(t, "    ");
  ash_emit_tile_call(m, t, tiling, name, 0);
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
  if (!ash_emit_tile_is_whole(m, tiling))
    put_choice(m, t, tiling, name, c);
  return ASH_OK;
}

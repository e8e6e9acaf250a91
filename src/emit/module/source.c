/* source.c - <prefix>.c: the memory map, one function a step, their order. */
#include "base/sort.h"
#include "emit/cores/cores.h"
#include "emit/rows/rows.h"
#include "emit/tile/tile.h"
#include "plan/record/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- the memory map, drawn in a comment ---------------------------------- */

static int by_offset(const void *a, const void *b, const void *user) {
  const ash_slot *slots = user;
  const ash_slot *x = &slots[*(const uint32_t *)a];
  const ash_slot *y = &slots[*(const uint32_t *)b];
  if (x->binding.offset != y->binding.offset)
    return x->binding.offset < y->binding.offset ? -1 : 1;
  return 0;
}

/* " (in place)" behind a tensor that lies in another's storage. */
static const char *shared(ash_module *m, const ash_slot *s) {
  ASH_ASSERT(s->alias_of == ASH_NO_ID || s->alias_of < m->plan->slot_count);
  return s->alias_of == ASH_NO_ID
             ? ""
             : ash_zone_format(&m->ctx->scratch, " (%s)",
                               ash_alias_text(s->alias_kind));
}

/* Rows of one tensor are one line, at the lowest of them; the size is that of
 * the rows that exist at once. */
static void put_slot(ash_module *m, const ash_slot *s, bool *done) {
  ash_lifetime life = s->life;
  uint64_t bytes = s->size;
  const char *more = shared(m, s);
  if (s->has_row) {
    const ash_row_tensor *r = ash_emit_rows_of(m, s->tensor);
    ASH_ASSERT(r && r->tensor == s->tensor);
    if (done[s->tensor])
      return;
    done[s->tensor] = true;
    life = r->life;
    bytes = r->alive * r->row_bytes;
    more = ash_zone_format(
        &m->ctx->scratch,
        ", %" PRIu32 " rows of %" PRIu64 ", %" PRIu32 " at once%s%s", r->rows,
        r->row_bytes, r->alive, r->in_one_piece ? "" : ", apart",
        r->moves ? ", some move" : "");
  }
  ash_text_line(m->text,
                " * %10" PRIu64 " %10" PRIu64 "   %4" PRIu32 "-%-4" PRIu32
                "  %s%s",
                s->binding.offset, bytes, life.first_step, life.end_step - 1,
                ash_emit_comment(m, s->name), more ? more : "");
}

static ash_status put_map(ash_module *m) {
  const ash_plan *p = m->plan;
  ASH_ASSERT(p->arena_count == m->render->arena_count);
  uint32_t *order =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, p->slot_count + 1u);
  uint32_t *spare =
      ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t, p->slot_count + 1u);
  bool *done = ASH_NEW_ARRAY(&m->ctx->scratch, bool, m->g->tensor_count + 1);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t i = 0; i < p->slot_count; i++)
    order[i] = i;
  ash_sort(order, spare, p->slot_count, sizeof *order, by_offset, p->slots);
  for (uint32_t k = 0; k < p->arena_count; k++) {
    const ash_arena *a = &p->arenas[k];
    if (a->role == ASH_CONSTANT)
      continue;
    ash_text_line(m->text,
                  "/* %s arena in %s: %" PRIu64 " bytes, lower bound %" PRIu64
                  ", %s.",
                  ash_role_text(a->role), a->memory, a->size, a->lower_bound,
                  ash_verdict_text(a->verdict));
    ash_text_line(m->text, " *     offset       size   steps      tensor");
    for (uint32_t i = 0; i < p->slot_count; i++) {
      const ash_slot *s = &p->slots[order[i]];
      if (s->binding.role == a->role &&
          strcmp(s->binding.memory, a->memory) == 0)
        put_slot(m, s, done);
    }
    ash_text_line(m->text, " */");
  }
  return ASH_OK;
}

/* ---- steps --------------------------------------------------------------- */

static void put_tensors(ash_module *m, const char *what, const uint32_t *ids,
                        uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (ids[k] == ASH_NO_ID)
      continue;
    ASH_ASSERT(ids[k] < m->g->tensor_count);
    const ash_tensor *x = &m->g->tensors.items[ids[k]];
    if (x->kind != ASH_TENSOR_CONSTANT)
      ash_text_line(m->text, " *   %s '%s' %s", what,
                    ash_emit_comment(m, x->name), ash_emit_type(m, x));
  }
}

/* Is no input being read where the first result is written? */
static bool is_apart(const ash_module *m, uint32_t op) {
  const ash_plan *p = m->plan;
  uint32_t slot = ash_plan_slot_of_tensor(p, m->g->ops.items[op].outputs[0]);
  while (slot != ASH_NO_ID && p->slots[slot].follows == ASH_NO_ID &&
         p->slots[slot].alias_of != ASH_NO_ID)
    slot = p->slots[slot].alias_of;
  return slot != ASH_NO_ID && p->slots[slot].follows == ASH_NO_ID;
}

static ash_status put_call(ash_module *m, uint32_t op) {
  ASH_ASSERT(op < m->g->op_count && m->code[op].kernel && !m->code[op].tiling);
  const ash_op *o = &m->g->ops.items[op];
  ash_zone *z = &m->ctx->scratch;
  const char **in = ASH_NEW_ARRAY(z, const char *, o->input_count + 1u);
  const char **out = ASH_NEW_ARRAY(z, const char *, o->output_count + 1u);
  bool *there = ASH_NEW_ARRAY(z, bool, o->input_count + 1u);
  bool *made = ASH_NEW_ARRAY(z, bool, o->output_count + 1u);
  ASH_TRY(ash_zone_check(m->ctx, z));
  for (uint32_t k = 0; k < o->input_count; k++) {
    ASH_INVARIANT(m->ctx, !ash_plan_reads(m->plan, m->g, op, k) ||
                              !ash_emit_is_scattered(m, o->inputs[k]));
    in[k] = ash_emit_tensor(m, o->inputs[k]);
    there[k] = ash_plan_in_place(m->plan, m->g, op, k);
  }
  for (uint32_t k = 0; k < o->output_count; k++) {
    ASH_INVARIANT(m->ctx, !ash_emit_is_scattered(m, o->outputs[k]));
    out[k] = ash_emit_tensor(m, o->outputs[k]);
    made[k] = ash_plan_is_made(m->plan, m->g, op, k);
  }
  const uint32_t work = ash_plan_slot_of_op(m->plan, op);
  const ash_choice choice = ash_plan_choice(m->plan, m->g, op);
  ash_text body;
  ash_text_init(&body, &m->ctx->mem);
  body.indent = 1;
  const ash_call call = {
      .graph = m->g,
      .op = op,
      .kernel = m->code[op].kernel,
      .special = m->code[op].special,
      .inputs = in,
      .outputs = out,
      .in_place = there,
      .made = made,
      .apart = is_apart(m, op),
      .scratch =
          work == ASH_NO_ID ? "NULL" : ash_emit_slot(m, &m->plan->slots[work]),
      .prefix = m->prefix,
      .text = &body};
  ASH_TRY(ash_zone_check(m->ctx, z));
  const ash_status status =
      choice.cores > 1
          ? ash_emit_share(m->ctx, &call, choice.cores, choice.core_scratch)
          : ash_emit_call(m->ctx, &call);
  if (status == ASH_OK)
    ash_emit_renamed(m, body.bytes, body.count);
  m->text->failed |= body.failed;
  ash_text_drop(&body);
  return status;
}

static void put_head(ash_module *m, const ash_op *o) {
  ASH_ASSERT(o->id && o->input_count + o->output_count > 0);
  ash_text_line(m->text, "/* %s%s%s", o->id, o->name ? " " : "",
                o->name ? ash_emit_comment(m, o->name) : "");
  put_tensors(m, "reads ", o->inputs, o->input_count);
  put_tensors(m, "writes", o->outputs, o->output_count);
}

void ash_emit_step_parameters(ash_module *m) {
  ash_text_format(m->text, "const %s_context *ctx%s", m->prefix,
                  m->rows ? ",\n    int32_t from, int32_t to" : "");
}

static ash_status put_tiled(ash_module *m, const ash_tiling *t) {
  ASH_ASSERT(t->op < m->g->op_count && m->code[t->op].tiling == t);
  size_t loops;
  ASH_TRY(ash_emit_tiled_loops(m, t, &loops));
  put_head(m, &m->g->ops.items[t->op]);
  ash_emit_tiled_step(m, t, loops);
  return ASH_OK;
}

/* What stands before the name of a step, or of its share. */
static void put_kind(ash_module *m, uint32_t op, bool is_static) {
  const char *memory = ash_emit_code_memory(m, op);
  if (memory)
    ash_text_line(m->text, "%s_CODE_IN_%s", m->upper,
                  ash_emit_upper(m, memory));
  ash_text_string(m->text, is_static ? "static " : "");
  if (m->code[op].special || m->code[op].kernel->params == ASH_PARAMS_loop)
    ash_text_line(m->text, "%s_RT_STEP void", m->upper);
  else
    ash_text_string(m->text, "void ");
}

/* A step whose operator is split: the share of a core, and the call of all. */
static ash_status put_split(ash_module *m, uint32_t op) {
  const char *id = m->g->ops.items[op].id;
  ash_text *t = m->text;
  ASH_ASSERT(m->code[op].cores > 1 && !m->rows);
  put_kind(m, op, true);
  ash_text_line(t, "%s_%s_share(const void *argument, uint32_t core) {",
                m->prefix, id);
  ash_text_line(t, "  const %s_context *const ctx =", m->prefix);
  ash_text_line(t, "      (const %s_context *)argument;", m->prefix);
  ASH_TRY(put_call(m, op));
  ash_text_line(t, "}");
  ash_text_blank(t);
  ash_text_line(t, "%svoid %s_%s(const %s_context *ctx) {",
                m->code[op].special ? "" : "static ", m->prefix, id, m->prefix);
  ash_text_line(t, "  %s_on_cores(ctx, %s_%s_share, ctx, %" PRIu32 ");",
                m->prefix, m->prefix, id, m->code[op].cores);
  ash_text_line(t, "}");
  ash_text_blank(t);
  return ASH_OK;
}

ash_status ash_emit_step(ash_module *m, uint32_t op) {
  ASH_ASSERT(op < m->g->op_count && m->code[op].kernel);
  const ash_op *o = &m->g->ops.items[op];
  put_head(m, o);
  if (m->code[op].cores > 1) {
    ash_text_line(m->text, " *   on %" PRIu32 " cores */", m->code[op].cores);
    return put_split(m, op);
  }
  ash_text_line(m->text, " */");
  put_kind(m, op, !m->code[op].special);
  ash_text_format(m->text, "%s_%s(", m->prefix, o->id);
  ash_emit_step_parameters(m);
  ash_text_string(m->text, ") {\n");
  if (m->code[op].rows != ASH_CODE_WHOLE) {
    ASH_TRY(ash_emit_row_body(m, op));
  } else {
    if (m->rows)
      ash_text_line(m->text, "  (void)from, (void)to; /* all rows at once */");
    ASH_TRY(put_call(m, op));
  }
  ash_text_line(m->text, "}");
  ash_text_blank(m->text);
  return ASH_OK;
}

static ash_status put_op(ash_module *m, uint32_t op) {
  ASH_ASSERT(op < m->g->op_count);
  if (!m->code[op].kernel || m->code[op].special)
    return ASH_OK;
  if (m->code[op].tiling)
    return put_tiled(m, m->code[op].tiling);
  return ash_emit_step(m, op);
}

static ash_status put_steps(ash_module *m) {
  bool *done = ASH_NEW_ARRAY(&m->ctx->scratch, bool, m->g->op_count + 1);
  ASH_TRY(ash_zone_check(m->ctx, &m->ctx->scratch));
  for (uint32_t s = 0; s < m->plan->steps.count; s++)
    for (uint32_t k = 0; k < m->plan->steps.items[s].op_count; k++) {
      const uint32_t op = m->plan->steps.items[s].ops[k];
      if (done[op]) /* another run of it */
        continue;
      done[op] = true;
      const ash_mark mark = ash_zone_mark(&m->ctx->scratch);
      const ash_status status = put_op(m, op);
      ash_zone_rewind(&m->ctx->scratch, mark);
      ASH_TRY(status);
    }
  return ASH_OK;
}

static void put_table_line(ash_module *m, uint32_t op) {
  ASH_ASSERT(m->code[op].kernel);
  ash_text_line(m->text, "    {%s_%s, %" PRIu32 "},", m->prefix,
                m->g->ops.items[op].id, m->g->ops.items[op].source_index);
}

/* The operators; how many there are. */
static uint32_t put_table_lines(ash_module *m) {
  uint32_t count = 0;
  for (uint32_t i = 0; m->rows && i < m->rows->source_count; i++)
    if (m->rows->sources[i].kind == ASH_ROWS_OP) {
      put_table_line(m, m->rows->sources[i].op);
      count++;
    }
  for (uint32_t s = 0; !m->rows && s < m->plan->steps.count; s++)
    for (uint32_t k = 0; k < m->plan->steps.items[s].op_count; k++)
      if (m->code[m->plan->steps.items[s].ops[k]].kernel) {
        put_table_line(m, m->plan->steps.items[s].ops[k]);
        count++;
      }
  return count;
}

static void put_table(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, m->rows ? "/* The operators, in the order of their first "
                             "rows. */"
                           : "/* The order of execution. Views cost nothing "
                             "and are not in it. */");
  ash_text_line(t, "static const struct {");
  ash_text_string(t, "  void (*run)(");
  ash_emit_step_parameters(m);
  ash_text_string(t, ");\n");
  ash_text_line(t, "  uint32_t op;");
  ash_text_line(t, "} %s_steps[] = {", m->prefix);
  const uint32_t count = put_table_lines(m);
  if (count == 0)
    ash_text_line(t, "    {0, 0},");
  ash_text_line(t, "};");
  ash_text_line(t, "enum { %s_step_count = %" PRIu32 " };", m->prefix, count);
  ash_text_blank(t);
}

/* Does its code call functions of the C library, or bound by infinity? */
static bool has_math(const ash_op *op, const ash_kernel *kernel) {
  if (kernel->params == ASH_PARAMS_attention_f32)
    return isinf(ash_attr_float(op, "filler", 0));
  if (op->kind != ASH_OP_map && op->kind != ASH_OP_chain &&
      op->kind != ASH_OP_row_chain)
    return false;
  return kernel->params == ASH_PARAMS_loop ||
         (kernel->params == ASH_PARAMS_binary_f32 && !ash_attr_find(op, "act"));
}

static bool needs_math(const ash_module *m) {
  for (uint32_t i = 0; i < m->g->op_count; i++)
    if (m->code[i].kernel && has_math(&m->g->ops.items[i], m->code[i].kernel))
      return true;
  return false;
}

ash_status ash_emit_source(ash_module *m) {
  ASH_ASSERT(m->text && m->render && m->code);
  ash_text *t = m->text;
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.c", m->prefix),
                  "the steps of the model, in order");
  ash_text_line(t, "#include \"%s.h\"", m->prefix);
  ash_text_line(t, "#include \"%s_kernels.h\"", m->prefix);
  ash_text_line(t, "#include \"%s_memory.h\"", m->prefix);
  ash_text_blank(t);
  ash_text_line(t, "#ifndef %s_PLAN_%s", m->upper, m->render->plan_hash);
  ash_text_line(t, "#error \"%s.h belongs to another plan than %s.c\"",
                m->prefix, m->prefix);
  ash_text_line(t, "#endif");
  ash_text_blank(t);
  if (needs_math(m)) {
    ash_text_line(t, "#include <math.h>");
    ash_text_blank(t);
  }
  ASH_TRY(put_map(m));
  ash_text_blank(t);
  ash_emit_arenas(m);
  if (m->rows)
    ash_emit_row_places(m);
  if (ash_emit_has_cores(m)) {
    ash_emit_cores_prototype(m);
    ash_text_blank(t);
    ash_emit_cores_function(m);
  }
  ASH_TRY(put_steps(m));
  put_table(m);
  if (m->rows)
    ash_emit_row_order(m);
  ash_emit_life(m);
  ash_emit_views(m);
  return ASH_OK;
}

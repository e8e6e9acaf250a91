/* source.c - <prefix>.c: arenas, one function a step, init and run. */
#include "base/sort.h"
#include "emit/call.h"
#include "emit/module.h"

#include <inttypes.h>
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

static ash_status put_map(ash_module *m) {
  const ash_plan *p = m->plan;
  uint32_t *order = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t,
                                  p->slot_count + 1u);
  uint32_t *spare = ASH_NEW_ARRAY(&m->ctx->scratch, uint32_t,
                                  p->slot_count + 1u);
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
        ash_text_line(m->text,
                      " * %10" PRIu64 " %10" PRIu64 "   %4" PRIu32 "-%-4" PRIu32
                      "  %s%s",
                      s->binding.offset, s->size, s->life.first_step,
                      s->life.end_step - 1, ash_emit_comment(m, s->name),
                      s->alias_of == ASH_NO_ID ? "" : " (view)");
    }
    ash_text_line(m->text, " */");
  }
  return ASH_OK;
}

/* ---- references ----------------------------------------------------------- */

/* A C expression for the first byte of a slot. */
static const char *slot_expression(ash_module *m, const ash_slot *s) {
  const ash_render_arena *a =
      ash_render_region(m->render, s->binding.role, s->binding.memory);
  if (s->binding.role == ASH_CONSTANT && !a->is_staged)
    return ash_zone_format(&m->ctx->scratch, "(%s__blob + %" PRIu64 ")",
                           a->symbol, s->binding.offset);
  return ash_zone_format(&m->ctx->scratch,
                         "(ctx->region[%" PRIu32 "] + %" PRIu64 ")",
                         a->region_id, s->binding.offset);
}

static const char *tensor_expression(ash_module *m, uint32_t tensor) {
  const uint32_t slot = tensor == ASH_NO_ID
                            ? ASH_NO_ID
                            : ash_plan_slot_of_tensor(m->plan, tensor);
  return slot == ASH_NO_ID ? "NULL"
                           : slot_expression(m, &m->plan->slots[slot]);
}

/* ---- steps ---------------------------------------------------------------- */

static void put_tensors(ash_module *m, const char *what, const uint32_t *ids,
                        uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    if (ids[k] == ASH_NO_ID)
      continue;
    const ash_tensor *x = &m->g->tensors.items[ids[k]];
    if (x->kind != ASH_TENSOR_CONSTANT)
      ash_text_line(m->text, " *   %s '%s' %s", what,
                    ash_emit_comment(m, x->name), ash_emit_type(m, x));
  }
}

static ash_status put_call(ash_module *m, uint32_t op) {
  const ash_op *o = &m->g->ops.items[op];
  ash_zone *z = &m->ctx->scratch;
  const char **in = ASH_NEW_ARRAY(z, const char *, o->input_count + 1u);
  const char **out = ASH_NEW_ARRAY(z, const char *, o->output_count + 1u);
  ASH_TRY(ash_zone_check(m->ctx, z));
  for (uint32_t k = 0; k < o->input_count; k++)
    in[k] = tensor_expression(m, o->inputs[k]);
  for (uint32_t k = 0; k < o->output_count; k++)
    out[k] = tensor_expression(m, o->outputs[k]);
  const uint32_t work = ash_plan_slot_of_op(m->plan, op);
  ash_text body;
  ash_text_init(&body, &m->ctx->mem);
  body.indent = 1;
  const ash_call call = {
      .graph = m->g,
      .op = op,
      .kernel = m->kernels[op],
      .inputs = in,
      .outputs = out,
      .scratch = work == ASH_NO_ID ? "NULL"
                                   : slot_expression(m, &m->plan->slots[work]),
      .text = &body};
  ASH_TRY(ash_zone_check(m->ctx, z));
  const ash_status status = ash_emit_call(m->ctx, &call);
  if (status == ASH_OK)
    ash_emit_renamed(m, body.bytes, body.count);
  m->text->failed |= body.failed;
  ash_text_drop(&body);
  return status;
}

static ash_status put_op(ash_module *m, uint32_t op) {
  const ash_op *o = &m->g->ops.items[op];
  ash_text_line(m->text, "/* %s%s%s", o->id, o->name ? " " : "",
                o->name ? ash_emit_comment(m, o->name) : "");
  put_tensors(m, "reads ", o->inputs, o->input_count);
  put_tensors(m, "writes", o->outputs, o->output_count);
  ash_text_line(m->text, " */");
  ash_text_line(m->text, "static void %s_%s(const %s_context *ctx) {",
                m->prefix, o->id, m->prefix);
  ASH_TRY(put_call(m, op));
  ash_text_line(m->text, "}");
  ash_text_blank(m->text);
  return ASH_OK;
}

static ash_status put_steps(ash_module *m) {
  for (uint32_t s = 0; s < m->plan->steps.count; s++)
    for (uint32_t k = 0; k < m->plan->steps.items[s].op_count; k++) {
      const uint32_t op = m->plan->steps.items[s].ops[k];
      const ash_mark mark = ash_zone_mark(&m->ctx->scratch);
      const ash_status status = m->kernels[op] ? put_op(m, op) : ASH_OK;
      ash_zone_rewind(&m->ctx->scratch, mark);
      ASH_TRY(status);
    }
  return ASH_OK;
}

static void put_table(ash_module *m) {
  ash_text *t = m->text;
  uint32_t count = 0;
  ash_text_line(t, "/* The order of execution. Views cost nothing and are not "
                   "in it. */");
  ash_text_line(t, "static const struct {");
  ash_text_line(t, "  void (*run)(const %s_context *ctx);", m->prefix);
  ash_text_line(t, "  uint32_t op;");
  ash_text_line(t, "} %s_steps[] = {", m->prefix);
  for (uint32_t s = 0; s < m->plan->steps.count; s++)
    for (uint32_t k = 0; k < m->plan->steps.items[s].op_count; k++) {
      const uint32_t op = m->plan->steps.items[s].ops[k];
      if (!m->kernels[op])
        continue;
      count++;
      ash_text_line(t, "    {%s_%s, %" PRIu32 "},", m->prefix,
                    m->g->ops.items[op].id, m->g->ops.items[op].source_index);
    }
  if (count == 0)
    ash_text_line(t, "    {0, 0},");
  ash_text_line(t, "};");
  ash_text_line(t, "enum { %s_step_count = %" PRIu32 " };", m->prefix, count);
  ash_text_blank(t);
}

/* ---- arenas, init, run ---------------------------------------------------- */

static bool is_constant(const ash_render_arena *a) {
  return strcmp(a->role, "constant") == 0;
}

static void put_arenas(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "#ifndef %s_EXTERNAL_ARENAS", m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (is_constant(a) && !a->is_staged)
      continue;
    ash_text_line(t, "static %s_PUT_IN_%s uint8_t", m->upper,
                  ash_emit_upper(m, a->memory));
    ash_text_line(t, "    %s_RT_ALIGN(%" PRIu64 ") %s[%" PRIu64 "];", m->upper,
                  a->alignment, a->symbol, a->size ? a->size : 1);
  }
  ash_text_line(t, "#endif");
  ash_text_blank(t);
}

static void put_region_tables(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "static const struct {");
  ash_text_line(t, "  size_t bytes;");
  ash_text_line(t, "  uint32_t alignment;");
  ash_text_line(t, "} %s_regions[%s_REGION_COUNT + 1] = {", m->prefix,
                m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++)
    ash_text_line(t, "    {%" PRIu64 "u, %" PRIu64 "u},",
                  m->render->all_arenas[i].size,
                  m->render->all_arenas[i].alignment);
  ash_text_line(t, "    {0u, 1u},");
  ash_text_line(t, "};");
  ash_text_blank(t);
}

static void put_bind(ash_module *m) {
  ash_text *t = m->text;
  const char *p = m->prefix, *u = m->upper;
  ash_text_line(t, "int %s_bind_arena(%s_context *ctx, uint32_t region, void "
                   "*buffer,",
                p, p);
  ash_text_line(t, "                 size_t bytes) {");
  ash_text_line(t, "  if (!ctx)");
  ash_text_line(t, "    return %s_NULL_CONTEXT;", u);
  ash_text_line(t, "  if (region >= %s_REGION_COUNT)", u);
  ash_text_line(t, "    return %s_UNKNOWN_REGION;", u);
  ash_text_line(t, "  if (!buffer)");
  ash_text_line(t, "    return %s_NULL_BUFFER;", u);
  ash_text_line(t, "  if (bytes < %s_regions[region].bytes)", p);
  ash_text_line(t, "    return %s_UNDERSIZED;", u);
  ash_text_line(t, "  if ((uintptr_t)buffer %% %s_regions[region].alignment "
                   "!= 0)",
                p);
  ash_text_line(t, "    return %s_MISALIGNED;", u);
  ash_text_line(t, "  ctx->region[region] = (uint8_t *)buffer;");
  ash_text_line(t, "  return %s_OK;", u);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static void put_init_arenas(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "#ifndef %s_EXTERNAL_ARENAS", m->upper);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    if (is_constant(a) && !a->is_staged)
      continue;
    ash_text_line(t, "  if (!ctx->region[%" PRIu32 "])", i);
    ash_text_line(t, "    ctx->region[%" PRIu32 "] = %s;", i, a->symbol);
  }
  ash_text_line(t, "#endif");
}

static void put_init_checks(ash_module *m) {
  ash_text *t = m->text;
  uint32_t blob = 0;
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    const bool constant = is_constant(a);
    const ash_render_blob *b =
        constant ? &m->render->constant_blobs[blob++] : NULL;
    if (constant && !a->is_staged)
      continue; /* read through its symbol */
    ash_text_line(t, "  if (!ctx->region[%" PRIu32 "])", i);
    ash_text_line(t, "    return %s_UNBOUND;", m->upper);
    if (b)
      ash_text_line(t, "  %s_RT_COPY(ctx->region[%" PRIu32 "], %s, %" PRIu64
                       "u);",
                    m->upper, i, b->symbol, b->size);
  }
}

static void put_init(ash_module *m) {
  ash_text *t = m->text;
  ash_text_line(t, "int %s_init(%s_context *ctx) {", m->prefix, m->prefix);
  ash_text_line(t, "  if (!ctx)");
  ash_text_line(t, "    return %s_NULL_CONTEXT;", m->upper);
  put_init_arenas(m);
  put_init_checks(m);
  ash_text_line(t, "  ctx->ready = 1;");
  ash_text_line(t, "  return %s_OK;", m->upper);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

static void put_run(ash_module *m) {
  ash_text *t = m->text;
  const char *p = m->prefix;
  ash_text_line(t, "int %s_run(%s_context *ctx) {", p, p);
  ash_text_line(t, "  if (!ctx)");
  ash_text_line(t, "    return %s_NULL_CONTEXT;", m->upper);
  ash_text_line(t, "  if (!ctx->ready)");
  ash_text_line(t, "    return %s_NOT_INITIALISED;", m->upper);
  ash_text_line(t, "  for (int i = 0; i < (int)%s_step_count; i++) {", p);
  ash_text_line(t, "    if (ctx->callback)");
  ash_text_line(t, "      ctx->callback(ctx->user, %s_steps[i].op, 0);", p);
  ash_text_line(t, "    %s_steps[i].run(ctx);", p);
  ash_text_line(t, "    if (ctx->callback)");
  ash_text_line(t, "      ctx->callback(ctx->user, %s_steps[i].op, 1);", p);
  ash_text_line(t, "  }");
  ash_text_line(t, "  return %s_OK;", m->upper);
  ash_text_line(t, "}");
  ash_text_blank(t);
}

/* ---- views of inputs and outputs ------------------------------------------ */

static void put_shapes(ash_module *m, const char *what, const uint32_t *ids,
                       size_t count) {
  for (size_t i = 0; i < count; i++) {
    const ash_tensor *x = &m->g->tensors.items[ids[i]];
    ash_text_format(m->text, "static const int32_t %s_%s_%zu_shape[] = {",
                    m->prefix, what, i);
    for (uint32_t k = 0; k < x->shape.rank; k++)
      ash_text_format(m->text, "%" PRId32 ", ", x->shape.dim[k]);
    ash_text_string(m->text, "0};\n");
  }
}

/* A C string literal of printable characters. */
static void put_literal(ash_text *t, const char *s) {
  ash_text_string(t, "\"");
  for (; *s; s++) {
    const unsigned char c = (unsigned char)*s;
    if (c == '"' || c == '\\' || c < 0x20 || c > 0x7e || c == '?')
      ash_text_format(t, "\\%03o", c);
    else
      ash_text_put(t, s, 1);
  }
  ash_text_string(t, "\"");
}

static void put_view_case(ash_module *m, const char *what, size_t i,
                          uint32_t tensor) {
  const ash_tensor *x = &m->g->tensors.items[tensor];
  const uint32_t slot = ash_plan_slot_of_tensor(m->plan, tensor);
  ash_text *t = m->text;
  const char *place = slot == ASH_NO_ID
                          ? "NULL"
                          : slot_expression(m, &m->plan->slots[slot]);
  const bool cold = slot != ASH_NO_ID &&
                    m->plan->slots[slot].binding.role == ASH_CONSTANT;
  ash_text_line(t, "  case %zu:", i);
  ash_text_line(t, "    view.data = %s%s;", cold ? "(void *)(uintptr_t)" : "",
                place ? place : "");
  ash_text_string(t, "    view.name = ");
  put_literal(t, x->name);
  ash_text_string(t, ";\n");
  ash_text_line(t, "    view.bytes = %" PRIu64 "u;", x->bytes);
  ash_text_line(t, "    view.elements = %" PRIu64 "u;",
                ash_shape_elements(&x->shape));
  ash_text_line(t, "    view.rank = %" PRIu32 "u;", x->shape.rank);
  ash_text_line(t, "    view.shape = %s_%s_%zu_shape;", m->prefix, what, i);
  if (x->quant.count == 1) {
    ash_text_string(t, "    view.scale = ");
    ash_text_float(t, x->quant.scale[0]);
    ash_text_string(t, "f;\n");
    ash_text_line(t, "    view.zero_point = %" PRId32 ";",
                  x->quant.zero_point[0]);
  }
  ash_text_line(t, "    break;");
}

static void put_view(ash_module *m, const char *what, const uint32_t *ids,
                     size_t count) {
  ash_text *t = m->text;
  put_shapes(m, what, ids, count);
  ash_text_line(t, "%s_tensor %s_%s(const %s_context *ctx, uint32_t index) {",
                m->prefix, m->prefix, what, m->prefix);
  ash_text_line(t, "  %s_tensor view = {0, 0, 0, 0, 0, 0, 0.0f, 0};",
                m->prefix);
  ash_text_line(t, "  if (!ctx || !ctx->ready)");
  ash_text_line(t, "    return view;");
  ash_text_line(t, "  switch (index) {");
  for (size_t i = 0; i < count; i++)
    put_view_case(m, what, i, ids[i]);
  ash_text_line(t, "  default:");
  ash_text_line(t, "    break;");
  ash_text_line(t, "  }");
  ash_text_line(t, "  return view;");
  ash_text_line(t, "}");
}

/* Do loops in this file call functions of the C library? */
static bool needs_math(const ash_module *m) {
  for (uint32_t i = 0; i < m->g->op_count; i++)
    if (m->kernels[i] && m->g->ops.items[i].kind == ASH_OP_map)
      return true;
  return false;
}

ash_status ash_emit_source(ash_module *m) {
  ash_text *t = m->text;
  ash_emit_banner(m, ash_zone_format(&m->ctx->scratch, "%s.c", m->prefix),
                  "the steps of the model, in order");
  ash_text_line(t, "#include \"%s.h\"", m->prefix);
  ash_text_line(t, "#include \"%s_kernels.h\"", m->prefix);
  ash_text_line(t, "#include \"%s_memory.h\"", m->prefix);
  ash_text_blank(t);
  if (needs_math(m)) {
    ash_text_line(t, "#include <math.h>");
    ash_text_blank(t);
  }
  ASH_TRY(put_map(m));
  ash_text_blank(t);
  put_arenas(m);
  ASH_TRY(put_steps(m));
  put_table(m);
  put_region_tables(m);
  put_bind(m);
  put_init(m);
  put_run(m);
  put_view(m, "input", m->g->inputs, m->g->input_count);
  ash_text_blank(t);
  put_view(m, "output", m->g->outputs, m->g->output_count);
  return ASH_OK;
}

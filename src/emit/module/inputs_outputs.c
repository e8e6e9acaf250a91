/* inputs_outputs.c - the functions of <prefix>.c that describe inputs and
 * outputs. */
#include "emit/rows/rows.h"

#include <inttypes.h>

static void put_shapes(ash_module *m, const char *what, const uint32_t *ids,
                       size_t count) {
  for (size_t i = 0; i < count; i++) {
    ASH_ASSERT(ids[i] < m->g->tensor_count);
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

/* Does it arrive or leave row by row? */
static bool is_in_rows(const ash_module *m, const uint32_t *ids, size_t i) {
  return ids == m->g->inputs ? ash_emit_is_fed(m, i)
                             : ash_emit_is_drained(m, i);
}

static void put_view_case(ash_module *m, const char *what, size_t i,
                          const uint32_t *ids) {
  const uint32_t tensor = ids[i];
  ASH_ASSERT(tensor < m->g->tensor_count);
  const ash_tensor *x = &m->g->tensors.items[tensor];
  const uint32_t slot = ash_plan_slot_of_tensor(m->plan, tensor);
  ASH_ASSERT(slot == ASH_NO_ID || slot < m->plan->slot_count);
  ash_text *t = m->text;
  const char *place = is_in_rows(m, ids, i) ? "0" : ash_emit_tensor(m, tensor);
  const bool cold =
      slot != ASH_NO_ID && m->plan->slots[slot].binding.role == ASH_CONSTANT;
  ash_text_line(t, "  case %zu:", i);
  ash_text_line(t, "    view.data = %s%s;", cold ? "(void *)(uintptr_t)" : "",
                place ? place : "");
  ash_text_string(t, "    view.name = ");
  put_literal(t, x->name);
  ash_text_string(t, ";\n");
  ash_text_line(t, "    view.bytes = %" PRIu64 "u;", x->bytes);
  if (is_in_rows(m, ids, i))
    ash_text_line(t, "    view.row_bytes = %" PRIu64 "u;",
                  ash_domain_row_bytes(ash_emit_rows_shown(m, tensor)));
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
  ASH_ASSERT(ids == m->g->inputs || ids == m->g->outputs);
  ash_text *t = m->text;
  put_shapes(m, what, ids, count);
  ash_text_line(t, "%s_tensor %s_%s(const %s_context *ctx, uint32_t index) {",
                m->prefix, m->prefix, what, m->prefix);
  ash_text_line(t, "  %s_tensor view = {0, 0, 0, 0, 0, 0, 0.0f, 0%s};",
                m->prefix, ash_emit_has_row_ends(m) ? ", 0" : "");
  ash_text_line(t, "  if (!ctx || !ctx->ready)");
  ash_text_line(t, "    return view;");
  ash_text_line(t, "  switch (index) {");
  for (size_t i = 0; i < count; i++)
    put_view_case(m, what, i, ids);
  ash_text_line(t, "  default:");
  ash_text_line(t, "    break;");
  ash_text_line(t, "  }");
  ash_text_line(t, "  return view;");
  ash_text_line(t, "}");
}

void ash_emit_views(ash_module *m) {
  ASH_ASSERT(m->text && m->g->input_count + m->g->output_count > 0);
  put_view(m, "input", m->g->inputs, m->g->input_count);
  ash_text_blank(m->text);
  put_view(m, "output", m->g->outputs, m->g->output_count);
}

/* row_step.c - rows [from, to) of an operator: one call of a kernel that works
 * on lines, or row after row the kernel of the operator on one row, which is a
 * piece of it (domain/piece_graph.h). Rows of several kinds, as at the edges of
 * a padded image, are several pieces. */
#include "domain/piece_graph.h"
#include "emit/call/call.h"
#include "emit/rows/rows.h"

#include <inttypes.h>

/* The operands of an operator, as C expressions. */
typedef struct operands {
  const char **in, **out;
} operands;

static ash_status new_operands(ash_module *m, operands *x, const ash_op *o) {
  ash_zone *z = &m->ctx->scratch;
  x->in = ASH_NEW_ARRAY(z, const char *, o->input_count + 1u);
  x->out = ASH_NEW_ARRAY(z, const char *, o->output_count + 1u);
  return ash_zone_check(m->ctx, z);
}

static ash_call call_of(ash_module *m, uint32_t op, const operands *x,
                        ash_text *text) {
  const uint32_t work = ash_plan_slot_of_op(m->plan, op);
  return (ash_call){.graph = m->g,
                    .op = op,
                    .kernel = m->code[op].kernel,
                    .special = m->code[op].special,
                    .inputs = x->in,
                    .outputs = x->out,
                    .scratch = work == ASH_NO_ID
                                   ? "NULL"
                                   : ash_emit_slot(m, &m->plan->slots[work]),
                    .prefix = m->prefix,
                    .text = text};
}

/* ---- lines --------------------------------------------------------------- */

/* "const ash_rt_lines in_0 = {base, table, unit, pitch};" */
static void put_lines(ash_module *m, ash_text *text, const char *name,
                      uint32_t tensor) {
  const ash_tensor *x = &m->g->tensors.items[tensor];
  const ash_row_tensor *t = ash_emit_rows_of(m, tensor);
  ASH_ASSERT(x->shape.rank == 4 && x->shape.dim[0] == 1);
  const uint64_t line = x->bytes / (uint64_t)x->shape.dim[1];
  if (t && !t->in_one_piece) {
    ASH_ASSERT(t->row_bytes == line);
    ash_text_line(text, "const ash_rt_lines %s = {%s, %s, %" PRIu64 ", 0};",
                  name, ash_emit_rows_base(m, t), ash_emit_row_table(m, t),
                  t->unit);
  } else {
    ash_text_line(text, "const ash_rt_lines %s = {%s, 0, 0, %" PRIu64 "};",
                  name, ash_emit_tensor(m, tensor), line);
  }
}

static ash_status put_line_call(ash_module *m, uint32_t op, ash_text *text) {
  const ash_op *o = &m->g->ops.items[op];
  operands x;
  ASH_TRY(new_operands(m, &x, o));
  for (uint32_t k = 0; k < o->input_count; k++)
    x.in[k] = ash_emit_tensor(m, o->inputs[k]);
  put_lines(m, text, "in", o->inputs[0]);
  put_lines(m, text, "out", o->outputs[0]);
  x.in[0] = "&in";
  x.out[0] = "&out";
  ash_call call = call_of(m, op, &x, text);
  call.lines = true;
  return ash_emit_call(m->ctx, &call);
}

/* ---- pieces of one row --------------------------------------------------- */

/* Some rows of an operator that run the same C. */
typedef struct segment {
  int64_t first, end; /* of rows */
  bool is_all;
  ash_graph *piece; /* one of them, as a graph of its own */
} segment;

/* "row", or which row of an operand goes with it. */
static const char *row_of(ash_module *m, const ash_domain_row_rule *rows,
                          uint32_t operand) {
  const ash_domain_row_line l = ash_domain_row_rule_line(m->g, rows, operand);
  ash_zone *z = &m->ctx->scratch;
  if (l.stride == 1 && l.shift == 0)
    return "row";
  if (l.stride == 1)
    return ash_zone_format(z, "(row %c %" PRId64 ")", l.shift < 0 ? '-' : '+',
                           l.shift < 0 ? -l.shift : l.shift);
  return ash_zone_format(z, "(row * %" PRId64 " + %" PRId64 ")", l.stride,
                         l.shift);
}

/* Declares where the row of an operand lies that goes with row `row`; false: it
 * is read whole. */
static bool put_row(ash_module *m, ash_text *text,
                    const ash_domain_row_rule *rows, const char *name,
                    uint32_t operand) {
  ASH_ASSERT(operand < rows->space->operand_count);
  const ash_tile_operand *o = &rows->space->operands[operand];
  if (!rows->follows[operand])
    return false;
  const ash_row_tensor *t = ash_emit_rows_of(m, o->tensor);
  const uint64_t bytes = ash_domain_row_bytes(&m->g->tensors.items[o->tensor]);
  const char *row = row_of(m, rows, operand);
  if (!row)
    return true; /* no memory, which the caller notices */
  ash_text_line(
      text, "%suint8_t *const %s = %s;", o->is_output ? "" : "const ", name,
      t && t->row_bytes == bytes
          ? ash_emit_row_at(m, t, row)
          : ash_zone_format(&m->ctx->scratch, "%s + %s * %" PRIu64,
                            ash_emit_tensor(m, o->tensor), row, bytes));
  return true;
}

/* Has the piece nothing of an input? */
static bool is_missing(const ash_graph *piece, uint32_t input) {
  const ash_tensor *t = ash_op_in(piece, &piece->ops.items[0], input);
  return t && ash_shape_elements(&t->shape) == 0;
}

static ash_status put_rows(ash_module *m, ash_text *text,
                           const ash_domain_row_rule *rows, const ash_op *o,
                           const ash_graph *piece, const operands *x) {
  for (uint32_t k = 0; k < o->input_count + o->output_count; k++) {
    const bool is_output = k >= o->input_count;
    const uint32_t at = is_output ? k - o->input_count : k;
    const uint32_t tensor = is_output ? o->outputs[at] : o->inputs[at];
    const char **place = is_output ? &x->out[at] : &x->in[at];
    const uint32_t operand = ash_domain_row_rule_operand(rows, is_output, at);
    const char *name = ash_zone_format(&m->ctx->scratch, "%s_%" PRIu32,
                                       is_output ? "out" : "in", at);
    *place = name;
    if (!is_output && operand != ASH_NO_ID && is_missing(piece, at)) {
      *place = "NULL";
      continue;
    }
    if (operand != ASH_NO_ID && put_row(m, text, rows, name, operand))
      continue;
    ASH_INVARIANT(m->ctx,
                  operand == ASH_NO_ID || !ash_emit_is_scattered(m, tensor));
    *place = ash_emit_tensor(m, tensor);
  }
  return ash_zone_check(m->ctx, &m->ctx->scratch);
}

/* The rows from `first` on that are of one kind, and the piece that they are.
 */
static ash_status next_segment(ash_module *m, segment *s,
                               const ash_domain_row_rule *rows, int64_t first) {
  const ash_tile_space *space = rows->space;
  const int64_t extent = space->axes[rows->axis].extent;
  int64_t at[ASH_TILE_AXES] = {0}, n[ASH_TILE_AXES] = {0};
  ASH_ASSERT(first < extent);
  for (uint32_t a = 0; a < space->axis_count; a++)
    n[a] = space->axes[a].extent;
  n[rows->axis] = 1;
  at[rows->axis] = first;
  ASH_TRY(ash_domain_piece_graph(m->ctx, &s->piece, m->g, space, at, n,
                                 ASH_PART_WHOLE));
  const uint64_t class = ash_domain_class(m->g, space, at, n, ASH_PART_WHOLE);
  s->first = first;
  s->end = first + 1;
  for (; s->end < extent; s->end++) {
    at[rows->axis] = s->end;
    if (ash_domain_class(m->g, space, at, n, ASH_PART_WHOLE) != class)
      break;
  }
  s->is_all = first == 0 && s->end == extent;
  return ASH_OK;
}

/* "if (row < 2) {", "} else if (row < 9) {", "} else {" */
static void open_segment(ash_text *text, const segment *s, bool is_last) {
  if (s->is_all)
    return;
  text->indent -= s->first > 0 ? 1 : 0;
  if (is_last)
    ash_text_line(text, "} else {");
  else
    ash_text_line(text, "%sif (row < %" PRId64 ") {",
                  s->first > 0 ? "} else " : "", s->end);
  text->indent++;
}

static ash_status put_segment(ash_module *m, uint32_t op, ash_text *text,
                              const ash_domain_row_rule *rows,
                              const segment *s) {
  const ash_op *o = &m->g->ops.items[op];
  operands x;
  open_segment(text, s, s->end == rows->space->axes[rows->axis].extent);
  ASH_TRY(new_operands(m, &x, o));
  ASH_TRY(put_rows(m, text, rows, o, s->piece, &x));
  ash_call call = call_of(m, op, &x, text);
  call.graph = s->piece;
  call.op = 0;
  return ash_emit_call(m->ctx, &call);
}

static ash_status put_piece_call(ash_module *m, uint32_t op, ash_text *text) {
  ash_domain_row_rule rows;
  segment s = {0};
  ASH_TRY(ash_domain_row_rule_of(m->ctx, &rows, m->g, op));
  ASH_INVARIANT(m->ctx, rows.axis != ASH_NO_AXIS && rows.is_row_to_row);
  ash_text_line(text, "for (int32_t row = from; row < to; row++) {");
  text->indent++;
  while (s.end < rows.space->axes[rows.axis].extent) {
    ASH_TRY(next_segment(m, &s, &rows, s.end));
    const ash_status status = put_segment(m, op, text, &rows, &s);
    ash_graph_free(s.piece);
    ASH_TRY(status);
  }
  if (!s.is_all) {
    text->indent--;
    ash_text_line(text, "}");
  }
  text->indent--;
  ash_text_line(text, "}");
  return ASH_OK;
}

ash_status ash_emit_row_body(ash_module *m, uint32_t op) {
  ASH_ASSERT(m->rows && m->code[op].rows != ASH_CODE_WHOLE);
  ash_text text;
  ash_text_init(&text, &m->ctx->mem);
  text.indent = 1;
  ash_status status = m->code[op].rows == ASH_CODE_LINES
                          ? put_line_call(m, op, &text)
                          : put_piece_call(m, op, &text);
  if (status == ASH_OK)
    status = ash_zone_check(m->ctx, &m->ctx->scratch);
  if (status == ASH_OK)
    ash_emit_renamed(m, text.bytes, text.count);
  m->text->failed |= text.failed;
  ash_text_drop(&text);
  return status;
}

/* row_tables.c - tables of <prefix>.c: where the rows of tensors lie, which
 * move, and which operator is next. */
#include "emit/rows/rows.h"

#include <inttypes.h>

/* ---- expressions --------------------------------------------------------- */

static uint64_t base_of(const ash_row_tensor *t) {
  ASH_ASSERT(t->in_one_piece);
  uint32_t row = 0;
  while (t->place[row] == ASH_NO_PLACE)
    row++;
  return t->place[row] - row * t->row_bytes;
}

static uint32_t number_of(const ash_module *m, const ash_row_tensor *t) {
  ASH_ASSERT(t >= m->rows->tensors &&
             t < m->rows->tensors + m->rows->tensor_count);
  return (uint32_t)(t - m->rows->tensors);
}

const char *ash_emit_row_table(ash_module *m, const ash_row_tensor *t) {
  ASH_ASSERT(!t->in_one_piece);
  const char *text =
      t->moves ? ash_zone_format(&m->ctx->scratch, "ctx->rows_%" PRIu32,
                                 number_of(m, t))
               : ash_zone_format(&m->ctx->scratch, "%s_rows_%" PRIu32,
                                 m->prefix, number_of(m, t));
  return text ? text : "";
}

const char *ash_emit_row_at(ash_module *m, const ash_row_tensor *t,
                            const char *row) {
  ASH_ASSERT(t->arena->region_id < m->render->arena_count);
  ash_zone *z = &m->ctx->scratch;
  const uint32_t region = t->arena->region_id;
  const char *text;
  if (t->in_one_piece)
    text = ash_zone_format(
        z, "(ctx->region[%" PRIu32 "] + %" PRIu64 " + %s * %" PRIu64 ")",
        region, base_of(t), row, t->row_bytes);
  else if (t->unit == 1)
    text = ash_zone_format(z, "(ctx->region[%" PRIu32 "] + %s[%s])", region,
                           ash_emit_row_table(m, t), row);
  else
    text =
        ash_zone_format(z, "(ctx->region[%" PRIu32 "] + %s[%s] * %" PRIu64 ")",
                        region, ash_emit_row_table(m, t), row, t->unit);
  return text ? text : "";
}

const char *ash_emit_rows_base(ash_module *m, const ash_row_tensor *t) {
  const char *text = ash_zone_format(
      &m->ctx->scratch, "(ctx->region[%" PRIu32 "] + %" PRIu64 ")",
      t->arena->region_id, t->in_one_piece ? base_of(t) : 0);
  return text ? text : "";
}

/* ---- pipelines, in a comment --------------------------------------------- */

/* Does the entry run a whole operator? Such are between pipelines. */
static bool is_whole(const ash_rows *r, size_t entry) {
  const ash_row_entry *e = &r->entries.items[entry];
  return r->sources[e->source].kind == ASH_ROWS_OP && e->rows == 0;
}

static void put_operators(ash_module *m, size_t from, size_t to) {
  const ash_rows *r = m->rows;
  for (uint32_t i = 0; i < r->source_count; i++) {
    const ash_row_source *s = &r->sources[i];
    uint32_t runs = 0, rows = 0;
    for (size_t e = from; e < to; e++)
      if (r->entries.items[e].source == i) {
        runs++;
        rows += r->entries.items[e].rows;
      }
    if (runs == 0)
      continue;
    if (s->kind == ASH_ROWS_OP)
      ash_text_line(m->text, " *   %-32s %5" PRIu32 " rows in %" PRIu32 " runs",
                    m->g->ops.items[s->op].id, rows, runs);
    else if (s->kind == ASH_ROWS_FEED)
      ash_text_line(m->text, " *   input %-26" PRIu32 " %5" PRIu32 " rows",
                    s->input, rows);
    else
      ash_text_line(m->text, " *   rows that move %23" PRIu32, rows);
  }
}

static void put_pipelines(ash_module *m) {
  const ash_rows *r = m->rows;
  ash_text_line(m->text,
                "/* Operators run row by row: they take turns, each makes rows "
                "as soon as those");
  ash_text_line(m->text, " * that they need are there, and bytes of rows that "
                         "nothing needs any more hold");
  ash_text_line(m->text, " * others. Activations: %" PRIu64 " bytes at once.",
                m->plan->order.peak);
  for (size_t from = 0, to; from < r->entries.count; from = to) {
    to = from;
    if (is_whole(r, from)) {
      to++;
      continue;
    }
    while (to < r->entries.count && !is_whole(r, to))
      to++;
    ash_text_line(m->text, " *");
    ash_text_line(m->text, " * Steps %zu to %zu:", from, to - 1);
    put_operators(m, from, to);
  }
  ash_text_line(m->text, " */");
}

/* ---- where rows lie ------------------------------------------------------ */

enum { PLACES_OF_LINE = 11, ENTRIES_OF_LINE = 9 };

/* Does an operator whose step is beside its kernel use the table? */
static bool is_shared(const ash_module *m, const ash_row_tensor *t) {
  for (uint32_t op = 0; op < m->g->op_count; op++) {
    const ash_op *o = &m->g->ops.items[op];
    if (m->code[op].special && m->code[op].rows == ASH_CODE_LINES &&
        (ash_emit_rows_of(m, o->inputs[0]) == t ||
         ash_emit_rows_of(m, o->outputs[0]) == t))
      return !t->in_one_piece && !t->moves;
  }
  return false;
}

void ash_emit_row_externs(ash_module *m) {
  for (uint32_t i = 0; i < m->rows->tensor_count; i++)
    if (is_shared(m, &m->rows->tensors[i]))
      ash_text_line(m->text,
                    "extern const uint16_t %s_rows_%" PRIu32 "[%" PRIu32 "];",
                    m->prefix, i, m->rows->tensors[i].rows);
}

static void put_places(ash_module *m, const ash_row_tensor *t) {
  ASH_ASSERT(!t->in_one_piece && t->unit > 0);
  const ash_tensor *x = &m->g->tensors.items[t->tensor];
  ash_text_line(m->text,
                "/* '%s': rows of %" PRIu64 " bytes, %" PRIu32
                " at once; in units of %" PRIu64 "%s. */",
                ash_emit_comment(m, x->name), t->row_bytes, t->alive, t->unit,
                t->moves ? "; at first" : "");
  ash_text_format(
      m->text, "%sconst uint16_t %s_rows_%" PRIu32 "[%" PRIu32 "] = {",
      is_shared(m, t) ? "" : "static ", m->prefix, number_of(m, t), t->rows);
  for (uint32_t k = 0; k < t->rows; k++) {
    const uint64_t place = t->place[k] == ASH_NO_PLACE ? 0 : t->place[k];
    ASH_ASSERT(place % t->unit == 0 && place / t->unit <= UINT16_MAX);
    ash_text_format(m->text, "%s%" PRIu64,
                    k % PLACES_OF_LINE ? ", "
                    : k                ? ",\n    "
                                       : "\n    ",
                    place / t->unit);
  }
  ash_text_string(m->text, "};\n");
}

void ash_emit_row_places(ash_module *m) {
  put_pipelines(m);
  for (uint32_t i = 0; i < m->rows->tensor_count; i++)
    if (!m->rows->tensors[i].in_one_piece)
      put_places(m, &m->rows->tensors[i]);
  ash_text_blank(m->text);
}

/* ---- fields of the context ----------------------------------------------- */

/* Does a count of rows or moves need more than 16 bits? */
static bool is_long(const ash_rows *r) {
  bool is = r->moves.count > UINT16_MAX;
  for (uint32_t i = 0; i < r->tensor_count; i++)
    is = is || r->tensors[i].rows > UINT16_MAX;
  return is;
}

const char *ash_emit_row_count_type(const ash_module *m) {
  return is_long(m->rows) ? "uint32_t" : "uint16_t";
}

void ash_emit_row_fields(ash_module *m) {
  ASH_ASSERT(m->rows && m->rows->source_count > 0);
  const ash_rows *r = m->rows;
  ash_text_line(m->text,
                "  %s made[%" PRIu32 "]; /* rows so far, by operator */",
                ash_emit_row_count_type(m), r->source_count);
  for (uint32_t i = 0; i < r->tensor_count; i++)
    if (r->tensors[i].moves)
      ash_text_line(m->text,
                    "  uint16_t rows_%" PRIu32 "[%" PRIu32
                    "]; /* where rows are */",
                    i, r->tensors[i].rows);
}

/* ---- moves --------------------------------------------------------------- */

static const char *const move_row[] = {
    "/* Sixteen bytes: a register of processors with Helium. */",
    "#if defined(__ARM_FEATURE_MVE)",
    "typedef uint8_t %_sixteen __attribute__((vector_size(16)));",
    "#else",
    "typedef struct %_sixteen {",
    "  uint32_t words[4];",
    "} %_sixteen;",
    "#endif",
    "",
    "/* Both places may overlap. */",
    "static void %_move_row(uint8_t *to, const uint8_t *from,",
    "                       uint32_t bytes) {",
    "  %_sixteen some;",
    "  uint32_t i = 0;",
    "  if (to < from) {",
    "    for (; i + 16u <= bytes; i += 16u) {",
    "      $_RT_COPY(&some, from + i, 16);",
    "      $_RT_COPY(to + i, &some, 16);",
    "    }",
    "    for (; i < bytes; i++)",
    "      to[i] = from[i];",
    "    return;",
    "  }",
    "  for (i = bytes; i >= 16u; i -= 16u) {",
    "    $_RT_COPY(&some, from + i - 16u, 16);",
    "    $_RT_COPY(to + i - 16u, &some, 16);",
    "  }",
    "  for (; i > 0; i--)",
    "    to[i - 1u] = from[i - 1u];",
    "}",
    "",
    NULL};

static int bits_of_move(const ash_rows *r) {
  bool is_small = true;
  for (size_t i = 0; i < r->moves.count; i++)
    is_small = is_small && r->moves.items[i].tensor <= UINT8_MAX &&
               r->moves.items[i].row <= UINT8_MAX;
  return is_small ? 8 : 16;
}

static void put_move_table(ash_module *m) {
  const ash_rows *r = m->rows;
  ash_text_line(m->text, "/* Rows that move to another place, in order. */");
  ash_text_line(m->text, "static const struct {");
  ash_text_line(m->text, "  uint%d_t tensor, row;", bits_of_move(r));
  ash_text_line(m->text, "  uint16_t to;");
  ash_text_format(m->text, "} %s_moves[] = {", m->prefix);
  for (size_t i = 0; i < r->moves.count; i++) {
    const ash_row_move *move = &r->moves.items[i];
    ash_text_format(m->text, "%s{%" PRIu32 ", %" PRIu32 ", %" PRIu64 "},",
                    i % 5 ? " " : "\n    ", move->tensor, move->row,
                    move->place / r->tensors[move->tensor].unit);
  }
  ash_text_string(m->text, "};\n\n");
}

static void put_move(ash_module *m) {
  ash_text *t = m->text;
  put_move_table(m);
  ash_emit_template(m, move_row);
  ash_text_line(t,
                "static void %s_move(%s_context *ctx, uint32_t from, "
                "uint32_t to) {",
                m->prefix, m->prefix);
  ash_text_line(t, "  for (; from < to; from++) {");
  ash_text_line(t, "    const uint32_t row = %s_moves[from].row;", m->prefix);
  ash_text_line(t, "    const uint16_t place = %s_moves[from].to;", m->prefix);
  ash_text_line(t, "    switch (%s_moves[from].tensor) {", m->prefix);
  for (uint32_t i = 0; i < m->rows->tensor_count; i++) {
    const ash_row_tensor *x = &m->rows->tensors[i];
    if (!x->moves)
      continue;
    ash_text_line(t, "    case %" PRIu32 ":", i);
    ash_text_line(t,
                  "      %s_move_row(ctx->region[%" PRIu32
                  "] + place * %" PRIu64 "u, %s, %" PRIu64 "u);",
                  m->prefix, x->arena->region_id, x->unit,
                  ash_emit_row_at(m, x, "row"), x->row_bytes);
    ash_text_line(t, "      ctx->rows_%" PRIu32 "[row] = place;", i);
    ash_text_line(t, "      break;");
  }
  ash_text_line(t, "    default:");
  ash_text_line(t, "      break;");
  ash_text_line(t, "    }");
  ash_text_line(t, "  }");
  ash_text_line(t, "}");
  ash_text_blank(t);
}

/* ---- the order ----------------------------------------------------------- */

static void put_order_comment(ash_module *m) {
  const ash_rows *r = m->rows;
  ash_text *t = m->text;
  ash_text_line(t, "/* The order of execution: who is next. It makes one row, "
                   "or as many as the number");
  ash_text_line(t,
                " * after it says (0: all) if it has the bit %s_counted. "
                "Numbers from %" PRIu32 " on are",
                m->prefix, r->source_count - ash_emit_row_ops(m));
  ash_text_format(t, " * those of %s_steps", m->prefix);
  if (r->feed_count > 0)
    ash_text_string(t, "; the first are inputs whose rows\n * arrive (0: it is "
                       "not stored)");
  if (r->moves.count > 0)
    ash_text_string(t, "; the one before: rows move");
  ash_text_string(t, ". */\n");
}

static const char *const entry_rows[] = {
    "static uint32_t %_entry_rows(uint32_t at) {",
    "  return %_order[at] & %_counted ? %_order[at + 1u] : 1u;", "}", "", NULL};

/* Most entries are one row. */
static void put_order(ash_module *m) {
  const ash_rows *r = m->rows;
  ash_text *t = m->text;
  const int bits = r->source_count > INT8_MAX ? 16 : 8;
  size_t count = 0;
  ash_text_line(t, "#define %s_counted %" PRIu32 "u", m->prefix,
                UINT32_C(1) << (bits - 1));
  ash_text_format(t, "static const uint%d_t %s_order[] = {", bits, m->prefix);
  for (size_t i = 0; i < r->entries.count; i++) {
    const ash_row_entry *e = &r->entries.items[i];
    ASH_ASSERT(e->source >> (bits - 1) == 0 && e->rows <= UINT8_MAX);
    const char *gap = i % ENTRIES_OF_LINE ? " " : "\n    ";
    if (e->rows == 1)
      ash_text_format(t, "%s%" PRIu32 ",", gap, e->source);
    else
      ash_text_format(t, "%s%" PRIu32 " | %s_counted, %" PRIu32 ",", gap,
                      e->source, m->prefix, e->rows);
    count += e->rows == 1 ? 1 : 2;
  }
  ash_text_string(t, "};\n");
  ash_text_line(t, "enum { %s_order_count = %zu };", m->prefix, count);
  ash_text_blank(t);
  ash_emit_template(m, entry_rows);
}

void ash_emit_row_order(ash_module *m) {
  ASH_ASSERT(m->rows && m->rows->entries.count > 0);
  put_order_comment(m);
  put_order(m);
  if (m->rows->moves.count > 0)
    put_move(m);
}

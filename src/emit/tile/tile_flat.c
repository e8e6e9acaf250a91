/* tile_flat.c - loops over pieces with one memory between home and kernel, the
 * usual case: one loop an axis that is cut, and everything about a piece that
 * is known here written as numbers. Boxes are not computed but advanced: each
 * operand has a cursor of its own, which runs ahead of the loops by as many
 * pieces as there are buffers, and one transfer with constant steps.
 *
 * Whatever is not so simple (boxes that repeat in another rhythm than that of
 * the loops, more dimensions than the engine has, several memories) is left to
 * tile_loop.c. */
#include "emit/tile/tile_flat.h"

#include <inttypes.h>
#include <string.h>

/* Before a line that is written in parts. */
static void put_indent(const ash_flat *w) {
  for (uint32_t i = 0; i < w->text->indent; i++)
    ash_text_string(w->text, "  ");
}

static bool is_steady(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->turn <= w->cut_count);
  return x->turn == w->cut_count;
}

/* Has it loads that run ahead of the loops? */
static bool runs_ahead(const ash_flat *w, const ash_flat_operand *x) {
  return !x->o->is_output && !is_steady(w, x) && x->copies > 1;
}

/* "_future[in_0_turn]", or "_future". */
static const char *future_of(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->copies > 0);
  const char *text =
      is_steady(w, x) || x->copies == 1
          ? ash_zone_format(ash_flat_zone(w), "%s_future", x->name)
          : ash_zone_format(ash_flat_zone(w), "%s_future[%s_turn]", x->name,
                            x->name);
  return text ? text : "";
}

/* "copy[4 + in_0_turn]" */
static const char *buffer_of(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->copies > 0);
  const char *text =
      is_steady(w, x) || x->copies == 1
          ? ash_zone_format(ash_flat_zone(w), "copy[%" PRIu32 "]", x->first)
          : ash_zone_format(ash_flat_zone(w), "copy[%" PRIu32 " + %s_turn]",
                            x->first, x->name);
  return text ? text : "";
}

/* "in_0(dma, copy[0], home[0], p.at[1])" with places of that name. */
static void put_call(const ash_flat *w, const ash_flat_operand *x,
                     const char *buffer, const char *prefix,
                     const char *suffix) {
  ash_text_format(w->text, "%s_%s(dma, %s, home[%" PRIu32 "]", w->name, x->name,
                  buffer, x->index);
  ash_flat_put_places(w, x, prefix, suffix);
  ash_text_string(w->text, ");\n");
}

static void put_state(const ash_flat *w, const ash_flat_operand *x) {
  const char *name = x->name;
  if (x->copies == 0)
    return;
  if (is_steady(w, x) && !x->o->is_output) {
    put_indent(w);
    ash_text_format(w->text, "uint32_t %s_future = ", name);
    put_call(w, x, buffer_of(w, x), "", "");
    return;
  }
  if (is_steady(w, x) || x->copies == 1)
    ash_text_line(w->text, "uint32_t %s_future = 0;", name);
  else
    ash_text_line(w->text,
                  "uint32_t %s_future[%" PRIu32 "] = {0}, %s_turn = %" PRIu32
                  ";",
                  name, x->copies, name, x->copies - 1);
  if (runs_ahead(w, x))
    ash_text_line(w->text, "uint32_t %s_ready = 0, %s_left = %" PRIu64 ";",
                  name, name, x->turns);
  else if (x->o->is_output && !is_steady(w, x))
    ash_text_line(w->text, "int32_t %s_open = 0;", name);
  if (!is_steady(w, x) && (runs_ahead(w, x) || x->o->is_output))
    for (uint32_t k = x->turn; k < w->cut_count; k++)
      if (runs_ahead(w, x) || ash_flat_follows(x, w->cut[k]))
        ash_text_line(w->text, "int32_t %s_at_%" PRIu32 " = 0;", name,
                      w->cut[k]);
}

/* What happens only where an operand's box is another one begins .. */
static void open_turn(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(!is_steady(w, x));
  if (x->turn == 0)
    return;
  put_indent(w);
  ash_text_string(w->text, "if (");
  for (uint32_t k = 0; k < x->turn; k++)
    ash_text_format(w->text, "%sp.at[%" PRIu32 "] == 0", k ? " && " : "",
                    w->cut[k]);
  ash_text_string(w->text, ") {\n");
  w->text->indent++;
}

/* .. and ends. */
static void close_turn(const ash_flat *w, const ash_flat_operand *x) {
  if (x->turn == 0)
    return;
  w->text->indent--;
  ash_text_line(w->text, "}");
}

static void put_next_turn(const ash_flat *w, const ash_flat_operand *x) {
  if (x->copies > 1)
    ash_text_line(w->text,
                  "%s_turn = %s_turn + 1 < %" PRIu32 " ? %s_turn + 1 : 0;",
                  x->name, x->name, x->copies, x->name);
}

/* The cursor goes to the next box. */
static void put_advance(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->turn < w->cut_count);
  for (uint32_t k = x->turn; k < w->cut_count; k++) {
    const uint32_t axis = w->cut[k];
    ash_text_line(w->text, "%s_at_%" PRIu32 " += %" PRId64 ";", x->name, axis,
                  ash_flat_tile(w, axis));
    ash_text_line(w->text, "if (%s_at_%" PRIu32 " >= %" PRId64 ") {", x->name,
                  axis, ash_flat_extent(w, axis));
    w->text->indent++;
    ash_text_line(w->text, "%s_at_%" PRIu32 " = 0;", x->name, axis);
  }
  for (uint32_t k = x->turn; k < w->cut_count; k++) {
    w->text->indent--;
    ash_text_line(w->text, "}");
  }
}

/* As many boxes as there are buffers for, this piece's first. */
static void put_loads_ahead(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(runs_ahead(w, x) && x->turns > 1);
  const char *name = x->name;
  put_next_turn(w, x);
  ash_text_line(w->text, "%s_ready -= %s_ready > 0;", name, name);
  ash_text_line(w->text,
                "for (; %s_ready < %" PRIu32 " && %s_left > 0; %s_ready++, "
                "%s_left--) {",
                name, x->copies, name, name, name);
  w->text->indent++;
  ash_text_line(w->text,
                "const uint32_t to = (%s_turn + %s_ready) %% %" PRIu32 ";",
                name, name, x->copies);
  const char *buffer =
      ash_zone_format(ash_flat_zone(w), "copy[%" PRIu32 " + to]", x->first);
  const char *place = ash_zone_format(ash_flat_zone(w), "%s_at_", name);
  put_indent(w);
  ash_text_format(w->text, "%s_future[to] = ", name);
  put_call(w, x, buffer ? buffer : "", place ? place : "", "");
  put_advance(w, x);
  w->text->indent--;
  ash_text_line(w->text, "}");
}

static void put_loads(const ash_flat *w, const ash_flat_operand *x) {
  open_turn(w, x);
  if (runs_ahead(w, x)) {
    put_loads_ahead(w, x);
  } else {
    put_indent(w);
    ash_text_format(w->text, "%s = ", future_of(w, x));
    put_call(w, x, buffer_of(w, x), "p.at[", "]");
  }
  close_turn(w, x);
}

static void put_store(const ash_flat *w, const ash_flat_operand *x) {
  const char *place = ash_zone_format(ash_flat_zone(w), "%s_at_", x->name);
  put_indent(w);
  ash_text_format(w->text, "%s = ", future_of(w, x));
  put_call(w, x, buffer_of(w, x), place ? place : "", "");
}

/* Stores the box before, opens this piece's. */
static void put_opening(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->o->is_output && x->copies > 0);
  open_turn(w, x);
  ash_text_line(w->text, "if (%s_open)", x->name);
  w->text->indent++;
  put_store(w, x);
  w->text->indent--;
  ash_text_line(w->text, "%s_open = 1;", x->name);
  put_next_turn(w, x);
  for (uint32_t k = x->turn; k < w->cut_count; k++)
    if (ash_flat_follows(x, w->cut[k]))
      ash_text_line(w->text, "%s_at_%" PRIu32 " = p.at[%" PRIu32 "];", x->name,
                    w->cut[k], w->cut[k]);
  close_turn(w, x);
}

static void put_await(const ash_flat *w, const ash_flat_operand *x) {
  ash_text_line(w->text, "ash_rt_move_await(dma, &%s);", future_of(w, x));
}

/* Waits for this piece's inputs, and until outputs' buffers are free. */
static void put_awaits(const ash_flat *w) {
  for (uint32_t i = 0; i < w->t->space->operand_count; i++) {
    const ash_flat_operand *x = &w->operands[i];
    if (x->copies == 0 || (is_steady(w, x) && x->o->is_output))
      continue;
    if (!is_steady(w, x))
      open_turn(w, x);
    put_await(w, x);
    if (!is_steady(w, x))
      close_turn(w, x);
  }
}

static void put_kernel(const ash_flat *w) {
  put_indent(w);
  ash_text_format(w->text, "%s_kernel(&p%s", w->name,
                  w->m->code[w->t->op].cores > 1 ? ", ctx" : "");
  for (uint32_t i = 0; i < w->t->space->operand_count; i++) {
    const ash_flat_operand *x = &w->operands[i];
    if (x->copies) {
      ash_text_format(w->text, ", %s", buffer_of(w, x));
      continue;
    }
    ash_text_format(w->text, ", %s_%s(home[%" PRIu32 "]", w->name, x->name, i);
    ash_flat_put_places(w, x, "p.at[", "]");
    ash_text_string(w->text, ")");
  }
  const uint32_t work = ash_emit_tile_copy(w->t, 1, 0);
  ash_text_format(w->text, ", copy[%" PRIu32 "], copy[%" PRIu32 "]);\n", work,
                  work + 1);
}

static void put_inside_loops(const ash_flat *w) {
  const uint32_t count = w->t->space->operand_count;
  for (uint32_t i = 0; i < count; i++) {
    const ash_flat_operand *x = &w->operands[i];
    if (x->copies && x->o->is_output && !is_steady(w, x))
      put_opening(w, x);
  }
  for (uint32_t i = 0; i < count; i++) {
    const ash_flat_operand *x = &w->operands[i];
    if (x->copies && !x->o->is_output && !is_steady(w, x))
      put_loads(w, x);
  }
  put_awaits(w);
  put_kernel(w);
}

static void put_heads(const ash_flat *w) {
  for (uint32_t k = w->cut_count; k-- > 0;) {
    const uint32_t a = w->cut[k];
    const int64_t extent = ash_flat_extent(w, a), tile = ash_flat_tile(w, a);
    ash_text_line(w->text,
                  "for (p.at[%" PRIu32 "] = 0; p.at[%" PRIu32 "] < %" PRId64
                  "; p.at[%" PRIu32 "] += %" PRId64 ") { /* %s */",
                  a, a, extent, a, tile, w->t->space->axes[a].name);
    w->text->indent++;
    if (extent % tile)
      ash_text_line(w->text,
                    "p.n[%" PRIu32 "] = %" PRId64 " - p.at[%" PRIu32
                    "] < %" PRId64 " ? %" PRId64 " - p.at[%" PRIu32
                    "] : %" PRId64 ";",
                    a, extent, a, tile, extent, a, tile);
  }
}

/* The last boxes of outputs go home. */
static void put_ends(const ash_flat *w) {
  const uint32_t count = w->t->space->operand_count;
  for (uint32_t i = 0; i < count; i++)
    if (w->operands[i].o->is_output && w->operands[i].copies)
      put_store(w, &w->operands[i]);
  for (uint32_t i = 0; i < count; i++) {
    const ash_flat_operand *x = &w->operands[i];
    if (!x->o->is_output || !x->copies)
      continue;
    if (is_steady(w, x) || x->copies == 1)
      put_await(w, x);
    else
      for (uint32_t k = 0; k < x->copies; k++)
        ash_text_line(w->text,
                      "ash_rt_move_await(dma, &%s_future[%" PRIu32 "]);",
                      x->name, k);
  }
}

static void put_function(const ash_flat *w) {
  ASH_ASSERT(w->cut_count > 0 || w->t->space->operand_count > 0);
  ash_text_line(w->text,
                "static void %s(const %s_context *ctx, uint8_t *const *home,\n"
                "    uint8_t *const *copy) {",
                w->name, w->m->prefix);
  w->text->indent = 1;
  ash_text_line(w->text, "const ash_dma *const dma = ctx->dma;");
  put_indent(w);
  ash_text_string(w->text, "ash_rt_piece p = {{0}, {");
  for (uint32_t a = 0; a < w->t->space->axis_count; a++)
    ash_text_format(w->text, "%s%" PRId64, a ? ", " : "",
                    ash_flat_extent(w, a) < ash_flat_tile(w, a)
                        ? ash_flat_extent(w, a)
                        : ash_flat_tile(w, a));
  ash_text_format(w->text, "%s}};\n", w->t->space->axis_count ? "" : "0");
  ash_text_line(w->text, "(void)dma;");
  for (uint32_t i = 0; i < w->t->space->operand_count; i++)
    put_state(w, &w->operands[i]);
  put_heads(w);
  put_inside_loops(w);
  for (uint32_t k = 0; k < w->cut_count; k++) {
    w->text->indent--;
    ash_text_line(w->text, "}");
  }
  put_ends(w);
  w->text->indent = 0;
  ash_text_line(w->text, "}");
  ash_text_blank(w->text);
}

bool ash_emit_tile_flat(ash_module *m, ash_text *out, const ash_tiling *tiling,
                        const char *name) {
  ASH_ASSERT(tiling->op < m->g->op_count && tiling->level_count > 0);
  ash_flat w = {.m = m, .t = tiling, .name = name, .text = out};
  if (!ash_flat_look(&w))
    return false;
  for (uint32_t i = 0; i < tiling->space->operand_count; i++)
    ash_flat_put_transfer(&w, &w.operands[i]);
  put_function(&w);
  return true;
}

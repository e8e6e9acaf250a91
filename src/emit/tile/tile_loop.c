/* tile_loop.c - the function of a tiled step: loops over pieces around the
 * kernel. Where tile_flat.c cannot write them as numbers they are built from
 * the inside out as an execution block (ashlar/block.h).
 *
 *   for each piece of the level:
 *     outputs whose box changes: start to store the old one, open the new one;
 *     inputs: start what there are free copies for, this piece's first;
 *     wait for this piece's inputs, and for the outputs' buffers to be free;
 *     the loop of the next level, or the kernel.
 *
 * At the end what is left is stored, innermost level first. */
#include "device/device.h"
#include "emit/block/block.h"
#include "emit/tile/tile.h"

#include <inttypes.h>

typedef struct writer {
  ash_module *m;
  const ash_tiling *t;
  const char *name; /* of the step's function */
  ash_text *text;   /* of the snippet being written */
} writer;

static ash_zone *zone_of(const writer *w) {
  return &w->m->ctx->scratch;
}

static const ash_tile_buffer *buffer_of(const ash_tiling *t, uint32_t level,
                                        uint32_t operand) {
  ASH_ASSERT(level < t->level_count && operand < t->space->operand_count);
  return &t->buffers[level * t->space->operand_count + operand];
}

static bool is_staged(const ash_tiling *t, uint32_t level, uint32_t operand) {
  return buffer_of(t, level, operand)->copies > 0;
}

static const char *operand_name(const writer *w, uint32_t i) {
  ASH_ASSERT(i < w->t->space->operand_count);
  return ash_emit_tile_name(zone_of(w), &w->t->space->operands[i]);
}

/* "in_0_l1": an operand at a level. */
static const char *stage_name(const writer *w, uint32_t level, uint32_t i) {
  ASH_ASSERT(w->t->levels[level].memory < w->m->device->memory_count);
  const char *memory = w->m->device->memories[w->t->levels[level].memory].name;
  const char *text = ash_zone_format(zone_of(w), "%s_%s", operand_name(w, i),
                                     ash_emit_lower(w->m, memory));
  return text ? text : "";
}

/* The nearest level outside `level` that has the operand; ASH_NO_ID: its home
 * has it. */
static uint32_t level_outside(const ash_tiling *t, uint32_t level, uint32_t i) {
  ASH_ASSERT(level <= t->level_count);
  while (level-- > 0)
    if (is_staged(t, level, i))
      return level;
  return ASH_NO_ID;
}

/* What holds the operand outside `level`, as a pointer to a part. */
static const char *outside(const writer *w, uint32_t level, uint32_t i) {
  ASH_ASSERT(i < w->t->space->operand_count);
  const uint32_t from = level_outside(w->t, level, i);
  const char *text =
      from == ASH_NO_ID
          ? ash_zone_format(zone_of(w), "&%s_home", operand_name(w, i))
          : ash_zone_format(zone_of(w), "ash_rt_stage_current(&%s)",
                            stage_name(w, from, i));
  return text ? text : "";
}

/* ---- tables -------------------------------------------------------------- */

static void put_dim(ash_text *t, const ash_tile_dim *d, int32_t extent) {
  ASH_ASSERT(d->axis == ASH_NO_AXIS || d->axis < ASH_TILE_AXES);
  if (d->axis == ASH_NO_AXIS)
    ash_text_format(t, "{%d, 1, 1, 0, 1, %" PRId32 "}", ASH_TILE_AXES, extent);
  else
    ash_text_format(t,
                    "{%" PRIu32 ", %" PRId64 ", %" PRId64 ", %" PRId64
                    ", %" PRId64 ", %" PRId32 "}",
                    d->axis, d->stride, d->window, d->before, d->divide,
                    extent);
}

/* How the dimensions of each operand follow the axes. */
static void put_tensors(const writer *w) {
  const ash_tile_space *s = w->t->space;
  for (uint32_t i = 0; i < s->operand_count; i++) {
    ASH_ASSERT(s->operands[i].tensor < w->m->g->tensor_count);
    const ash_tensor *x = &w->m->g->tensors.items[s->operands[i].tensor];
    ash_text_format(
        w->text,
        "static const ash_rt_tensor %s_%s = {\n    %" PRIu32 ", %" PRIu32 ", {",
        w->name, operand_name(w, i), x->shape.rank, ash_type_bits(x->type) / 8);
    for (uint32_t d = 0; d < x->shape.rank; d++) {
      ash_text_string(w->text, d ? ", " : "");
      put_dim(w->text, &s->operands[i].dim[d], x->shape.dim[d]);
    }
    if (x->shape.rank == 0)
      ash_text_string(w->text, "{0, 0, 0, 0, 0, 0}");
    ash_text_string(w->text, "}};\n");
  }
}

static int64_t region_size(const ash_tiling *t, uint32_t level, uint32_t axis) {
  ASH_ASSERT(level <= t->level_count && axis < t->space->axis_count);
  int64_t n = t->space->axes[axis].extent;
  for (uint32_t k = 0; k < level; k++)
    n = t->levels[k].tile[axis] < n ? t->levels[k].tile[axis] : n;
  return n;
}

/* Axes that a level cuts, innermost loop first. */
static void put_cuts(const writer *w, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  const ash_tile_level *l = &w->t->levels[level];
  const uint32_t axes = w->t->space->axis_count;
  uint32_t cut[ASH_TILE_AXES], count = 0;
  for (uint32_t k = axes; k-- > 0;)
    if (l->tile[l->order[k]] < region_size(w->t, level, l->order[k]))
      cut[count++] = l->order[k];
  ash_text_format(w->text,
                  "static const ash_rt_cuts cuts_%" PRIu32 " = {%" PRIu32 ", {",
                  level, count);
  for (uint32_t k = 0; k < (count ? count : 1); k++)
    ash_text_format(w->text, "%s%" PRIu32, k ? ", " : "", count ? cut[k] : 0);
  ash_text_string(w->text, "}, {");
  for (uint32_t k = 0; k < (count ? count : 1); k++)
    ash_text_format(w->text, "%s%" PRId64, k ? ", " : "",
                    count ? l->tile[cut[k]] : 1);
  ash_text_string(w->text, "}};\n");
}

/* ---- homes and stages ---------------------------------------------------- */

static const ash_slot *home_of(const writer *w, uint32_t i) {
  ASH_ASSERT(i < w->t->space->operand_count);
  return ash_emit_home(w->m, &w->t->space->operands[i]);
}

uint32_t ash_emit_tile_copy(const ash_tiling *t, uint32_t level, uint32_t i) {
  ASH_ASSERT(level <= t->level_count && i < t->space->operand_count);
  uint32_t count = 0;
  for (uint32_t k = 0; k < level * t->space->operand_count + i; k++)
    count += t->buffers[k].copies;
  return count;
}

static uint32_t copy_count(const ash_tiling *t) {
  return ash_emit_tile_copy(t, t->level_count, 0);
}

void ash_emit_tile_buffers(ash_module *m, const ash_tiling *t) {
  ASH_ASSERT(t->op < m->g->op_count);
  for (uint32_t k = 0; k < t->level_count; k++)
    for (uint32_t i = 0; i < t->space->operand_count; i++)
      for (uint32_t c = 0; c < buffer_of(t, k, i)->copies; c++)
        ash_text_format(m->text, "\n      %s,",
                        ash_emit_tile_slot(m, t->op, ASH_SLOT_TILE, i, k, c));
  ash_text_format(m->text, "\n      %s,",
                  ash_emit_tile_slot(m, t->op, ASH_SLOT_WORK, 0, 0, 0));
  ash_text_format(m->text, "\n      %s",
                  ash_emit_tile_slot(m, t->op, ASH_SLOT_ACCUMULATOR, 0, 0, 0));
}

static ash_status put_home(const writer *w, uint32_t i) {
  ASH_INVARIANT(w->m->ctx, home_of(w, i) != NULL);
  ash_text_line(w->text, "ash_rt_part %s_home;", operand_name(w, i));
  ash_text_line(w->text, "ash_rt_home(&%s_%s, home[%" PRIu32 "], &%s_home);",
                w->name, operand_name(w, i), i, operand_name(w, i));
  return ASH_OK;
}

uint32_t ash_emit_tile_engine(ash_module *m, const ash_tiling *tiling,
                              uint32_t level, uint32_t i) {
  ASH_ASSERT(level < tiling->level_count && i < tiling->space->operand_count);
  const ash_device *d = m->device;
  const uint32_t from = level_outside(tiling, level, i);
  const ash_slot *home = ash_emit_home(m, &tiling->space->operands[i]);
  const uint32_t memory = from == ASH_NO_ID
                              ? ash_device_memory_named(d, home->binding.memory)
                              : tiling->levels[from].memory;
  return memory == ASH_NO_MEMORY
             ? ASH_NO_DMA
             : ash_device_dma(d, memory, tiling->levels[level].memory);
}

void ash_emit_tile_way(ash_module *m, ash_text *t, const ash_tiling *tiling,
                       uint32_t level, uint32_t i) {
  const ash_device *d = m->device;
  const uint32_t e = ash_emit_tile_engine(m, tiling, level, i);
  if (e == ASH_NO_DMA)
    ash_text_string(t, "{0, 0, 0, 0, 0}");
  else
    ash_text_format(t, "{ctx->dma, %" PRIu32 ", %" PRIu32 ", %" PRIu64 ", %d}",
                    e, d->dmas[e].ranks, d->dmas[e].transfer_bytes_max,
                    !d->dmas[e].asynchronous);
}

static void put_stage(const writer *w, uint32_t level, uint32_t i) {
  ASH_ASSERT(is_staged(w->t, level, i));
  const char *stage = stage_name(w, level, i);
  ash_text_format(w->text, "const ash_rt_way %s_way = ", stage);
  ash_emit_tile_way(w->m, w->text, w->t, level, i);
  ash_text_string(w->text, ";\n");
  ash_text_line(w->text, "ash_rt_stage %s;", stage);
  ash_text_line(w->text,
                "ash_rt_stage_begin(&%s, &%s_%s, &%s_way, copy + %" PRIu32
                ", %" PRIu32 ");",
                stage, w->name, operand_name(w, i), stage,
                ash_emit_tile_copy(w->t, level, i),
                buffer_of(w->t, level, i)->copies);
}

/* A box that nobody staged must lie in one row of what has it: behind its first
 * dimension of more than one element nothing may be cut. */
static bool lies_in_a_row(const writer *w, uint32_t level, uint32_t i) {
  ASH_ASSERT(level < w->t->level_count);
  const ash_tile_space *s = w->t->space;
  const ash_tile_operand *o = &s->operands[i];
  ASH_ASSERT(o->rank <= ASH_RANK_MAX && o->tensor < w->m->g->tensor_count);
  const uint32_t from = level_outside(w->t, level, i);
  bool longer = false; /* a dimension of more than one element went before */
  for (uint32_t d = 0; d < o->rank; d++) {
    const int32_t extent = w->m->g->tensors.items[o->tensor].shape.dim[d];
    const uint32_t axis = o->dim[d].axis;
    if (extent == 1)
      continue;
    if (axis == ASH_NO_AXIS) {
      longer = true;
      continue;
    }
    const int64_t outer =
        region_size(w->t, from == ASH_NO_ID ? 0 : from + 1, axis);
    const int64_t inner = region_size(w->t, level + 1, axis);
    if (inner < outer && longer)
      return false;
    longer |= inner > 1 || o->dim[d].window > 1 || o->dim[d].stride > 1;
  }
  return true;
}

static ash_status check_rows(const writer *w) {
  const uint32_t last = w->t->level_count - 1;
  for (uint32_t i = 0; i < w->t->space->operand_count; i++)
    ASH_INVARIANT(w->m->ctx,
                  is_staged(w->t, last, i) || lies_in_a_row(w, last, i));
  return ASH_OK;
}

/* ---- a level ------------------------------------------------------------- */

/* "&p1", or the whole space outside of all levels. */
static const char *region_name(const writer *w, uint32_t level) {
  ASH_ASSERT(level <= w->t->level_count);
  const char *text = level == 0
                         ? "&all"
                         : ash_zone_format(zone_of(w), "&p%" PRIu32, level - 1);
  return text ? text : "";
}

/* Levels inside have what this one is about to store. */
static void put_inner_flushes(const writer *w, uint32_t level, uint32_t i) {
  ASH_ASSERT(w->t->space->operands[i].is_output);
  for (uint32_t k = w->t->level_count; k-- > level + 1;)
    if (is_staged(w->t, k, i))
      ash_text_line(w->text, "  ash_rt_stage_flush(&%s, %s);",
                    stage_name(w, k, i), outside(w, k, i));
}

static void put_outputs(const writer *w, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  for (uint32_t i = 0; i < w->t->space->operand_count; i++) {
    if (!w->t->space->operands[i].is_output || !is_staged(w->t, level, i))
      continue;
    const char *stage = stage_name(w, level, i);
    ash_text_line(w->text, "if (ash_rt_stage_turns(&%s, &p%" PRIu32 ")) {",
                  stage, level);
    put_inner_flushes(w, level, i);
    ash_text_line(w->text, "  ash_rt_stage_store(&%s, %s);", stage,
                  outside(w, level, i));
    ash_text_line(w->text, "  ash_rt_stage_open(&%s);", stage);
    ash_text_line(w->text, "}");
  }
}

/* Does the level cut no axis that the operand follows? Then all of its pieces
 * read the same. */
static bool is_steady(const writer *w, uint32_t level, uint32_t i) {
  const ash_tile_operand *o = &w->t->space->operands[i];
  for (uint32_t d = 0; d < o->rank; d++) {
    const uint32_t axis = o->dim[d].axis;
    if (axis != ASH_NO_AXIS &&
        w->t->levels[level].tile[axis] < region_size(w->t, level, axis))
      return false;
  }
  return !o->is_output;
}

static void put_fetch(const writer *w, uint32_t level, uint32_t i,
                      const char *piece, const char *number,
                      const char *count) {
  ash_text_line(w->text,
                "ash_rt_stage_fetch(&%s, %s, &cuts_%" PRIu32
                ", %s, %s, %s, %s);",
                stage_name(w, level, i), outside(w, level, i), level,
                region_name(w, level), piece, number, count);
}

static void put_inputs(const writer *w, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  const ash_tile_space *s = w->t->space;
  const char *piece = region_name(w, level + 1);
  const char *number = ash_zone_format(zone_of(w), "i_%" PRIu32, level);
  const char *count = ash_zone_format(zone_of(w), "count_%" PRIu32, level);
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (!s->operands[i].is_output && is_staged(w->t, level, i) &&
        !is_steady(w, level, i))
      put_fetch(w, level, i, piece, number ? number : "", count ? count : "");
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (is_staged(w->t, level, i)) {
      if (is_steady(w, level, i))
        ash_text_line(w->text, "if (i_%" PRIu32 " == 0)", level);
      ash_text_line(w->text, "%sash_rt_stage_await(&%s);",
                    is_steady(w, level, i) ? "  " : "",
                    stage_name(w, level, i));
    }
}

/* What stands before the inside of a level's loop. */
static void put_level(const writer *w, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  ash_text_line(w->text,
                "ash_rt_piece_at(&cuts_%" PRIu32 ", %s, i_%" PRIu32
                ", &p%" PRIu32 ");",
                level, region_name(w, level), level, level);
  put_outputs(w, level);
  put_inputs(w, level);
}

/* What stands before the loop itself. */
static void put_count(const writer *w, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  const ash_tile_space *s = w->t->space;
  ash_text_line(w->text,
                "const int32_t count_%" PRIu32 " = ash_rt_pieces(&cuts_%" PRIu32
                ", %s);",
                level, level, region_name(w, level));
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (!s->operands[i].is_output && is_staged(w->t, level, i)) {
      ash_text_line(w->text, "%s.ahead = 0;", stage_name(w, level, i));
      if (is_steady(w, level, i))
        put_fetch(w, level, i, region_name(w, level), "0", "1");
    }
}

static void put_kernel(const writer *w) {
  const ash_tile_space *s = w->t->space;
  const uint32_t last = w->t->level_count - 1;
  ash_text *t = w->text;
  ash_text_format(t, "%s_kernel(&p%" PRIu32 "%s", w->name, last,
                  w->m->code[w->t->op].cores > 1 ? ", ctx" : "");
  for (uint32_t i = 0; i < s->operand_count; i++)
    if (is_staged(w->t, last, i))
      ash_text_format(t, ",\n    ash_rt_stage_current(&%s)->data",
                      stage_name(w, last, i));
    else
      ash_text_format(t, ",\n    ash_rt_inside(&%s_%s, %s, &p%" PRIu32 ")",
                      w->name, operand_name(w, i), outside(w, last, i), last);
  const uint32_t work = copy_count(w->t);
  ash_text_format(t, ",\n    copy[%" PRIu32 "], copy[%" PRIu32 "]);\n", work,
                  work + 1);
}

static void put_last_flushes(const writer *w) {
  const ash_tile_space *s = w->t->space;
  ASH_ASSERT(s->operand_count > 0);
  for (uint32_t k = w->t->level_count; k-- > 0;)
    for (uint32_t i = 0; i < s->operand_count; i++)
      if (s->operands[i].is_output && is_staged(w->t, k, i))
        ash_text_line(w->text, "ash_rt_stage_flush(&%s, %s);",
                      stage_name(w, k, i), outside(w, k, i));
}

static ash_status put_declarations(const writer *w) {
  const ash_tile_space *s = w->t->space;
  ASH_ASSERT(s->axis_count <= ASH_TILE_AXES);
  ash_text *t = w->text;
  for (uint32_t k = 0; k < w->t->level_count; k++)
    put_cuts(w, k);
  ash_text_string(t, "static const ash_rt_piece all = {{0}, {");
  for (uint32_t a = 0; a < s->axis_count; a++)
    ash_text_format(t, "%s%" PRId64, a ? ", " : "", s->axes[a].extent);
  ash_text_format(t, "%s}};\n", s->axis_count ? "" : "0");
  for (uint32_t i = 0; i < s->operand_count; i++) {
    ASH_TRY(put_home(w, i));
    for (uint32_t k = 0; k < w->t->level_count; k++)
      if (is_staged(w->t, k, i))
        put_stage(w, k, i);
  }
  for (uint32_t k = 0; k < w->t->level_count; k++)
    ash_text_line(t, "ash_rt_piece p%" PRIu32 ";", k);
  return ASH_OK;
}

/* ---- the block ----------------------------------------------------------- */

/* One snippet, written by `put`. */
static ash_status take(const writer *w, ash_block *b, ash_block_side side) {
  ASH_ASSERT(w->text && b);
  ash_text_put(w->text, "", 1);
  ash_status status = ash_text_check(w->m->ctx, w->text);
  if (status == ASH_OK)
    status = ash_block_text(b, side, w->text->bytes);
  w->text->count = 0;
  return status;
}

static ash_status wrap_level(const writer *w, ash_block *b, uint32_t level) {
  ASH_ASSERT(level < w->t->level_count);
  put_level(w, level);
  ASH_TRY(take(w, b, ASH_BLOCK_LEFT));
  const char *head =
      ash_zone_format(zone_of(w),
                      "for (int32_t i_%" PRIu32 " = 0; i_%" PRIu32
                      " < count_%" PRIu32 "; i_%" PRIu32 "++) {",
                      level, level, level, level);
  ASH_TRY(ash_zone_check(w->m->ctx, zone_of(w)));
  ASH_TRY(ash_block_wrap(b, head, "}"));
  put_count(w, level);
  return take(w, b, ASH_BLOCK_LEFT);
}

static ash_status build(const writer *w, ash_block *b) {
  ASH_ASSERT(w->t->level_count > 0 && w->t->level_count <= ASH_TILE_LEVELS);
  put_kernel(w);
  ASH_TRY(take(w, b, ASH_BLOCK_RIGHT));
  for (uint32_t k = w->t->level_count; k-- > 0;)
    ASH_TRY(wrap_level(w, b, k));
  ASH_TRY(put_declarations(w));
  ASH_TRY(take(w, b, ASH_BLOCK_LEFT));
  put_last_flushes(w);
  return take(w, b, ASH_BLOCK_RIGHT);
}

static ash_status wrap_function(const writer *w, ash_block *block) {
  const char *head =
      ash_zone_format(zone_of(w),
                      "static void %s(const %s_context *ctx, uint8_t *const "
                      "*home,\n    uint8_t *const *copy) {",
                      w->name, w->m->prefix);
  ASH_TRY(ash_zone_check(w->m->ctx, zone_of(w)));
  return ash_block_wrap(block, head, "}");
}

ash_status ash_emit_tile_loops(ash_module *m, ash_text *out,
                               const ash_tiling *tiling, const char *name) {
  ASH_ASSERT(tiling->op < m->g->op_count && tiling->level_count > 0);
  if (ash_emit_tile_is_whole(m, tiling)) {
    ash_emit_tile_whole(m, out, tiling, name);
    return ash_zone_check(m->ctx, &m->ctx->scratch);
  }
  ash_scope *scope;
  ash_block *block;
  ash_text t;
  const char *body = "";
  ASH_TRY(ash_scope_new(m->ctx, &scope));
  ASH_TRY(ash_block_new(scope, &block));
  ash_text_init(&t, &m->ctx->mem);
  const writer tables = {m, tiling, name, out};
  const writer w = {m, tiling, name, &t};
  ash_status status = check_rows(&w);
  if (status != ASH_OK || ash_emit_tile_flat(m, out, tiling, name)) {
    ash_text_drop(&t);
    return status == ASH_OK ? ash_zone_check(m->ctx, &m->ctx->scratch) : status;
  }
  put_tensors(&tables);
  status = build(&w, block);
  ash_text_drop(&t);
  if (status == ASH_OK)
    status = wrap_function(&w, block);
  if (status == ASH_OK)
    status = ash_block_render(block, &body);
  ash_text_string(out, body);
  ash_text_blank(out);
  return status;
}

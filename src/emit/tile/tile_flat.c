/* tile_flat.c - loops over pieces with one memory between home and kernel, the
 * usual case: one loop an axis that is cut, and everything about a piece that
 * is known here written as numbers. Boxes are not computed but advanced: each
 * operand has a cursor of its own, which runs ahead of the loops by as many
 * pieces as there are buffers, and one transfer with constant steps.
 *
 * Whatever is not so simple (boxes that repeat in another rhythm than that of
 * the loops, more dimensions than the engine has, several memories) is left to
 * tile_loop.c. */
#include "base/checked.h"
#include "device/device.h"
#include "emit/tile/tile.h"

#include <inttypes.h>
#include <string.h>

enum { PIECES_MAX = 65536, JOB_RANK = 3, GROUPS_MAX = JOB_RANK + 1 };

/* A loop of a transfer: `count` elements, or `times` (the size of dimension
 * `dim`) as many; steps in bytes, `inner` times the sizes of dimensions. */
typedef struct group {
  uint64_t count, outer, inner;
  uint32_t dim; /* ASH_NO_ID: the size is a number */
  const char *sizes;
} group;

/* A dimension of an operand over all pieces. */
typedef struct reach {
  uint32_t axis;       /* that is cut; ASH_NO_AXIS: none, start and size are */
  int64_t start, size; /* numbers. size 0: it varies                        */
} reach;

typedef struct operand {
  const ash_tile_operand *o;
  const char *name;
  uint32_t index, first, copies; /* of the buffers: copy[first ..] */
  uint32_t turn;                 /* the innermost loop that changes the box;
                                    cut_count: none                         */
  uint64_t turns;                /* boxes, one after the other              */
  uint32_t engine;               /* ASH_NO_DMA: the processor copies        */
  reach reach[ASH_RANK_MAX];
  group groups[GROUPS_MAX];
  uint32_t group_count;
  uint32_t rank; /* of a transfer; one for each turn of the last group if that
                    is less                                                  */
} operand;

typedef struct writer {
  ash_module *m;
  const ash_tiling *t;
  const char *name;
  ash_text *text;
  uint32_t cut[ASH_TILE_AXES], cut_count; /* innermost loop first */
  operand *operands;
} writer;

static ash_zone *zone_of(const writer *w) {
  return &w->m->ctx->scratch;
}

/* Before a line that is written in parts. */
static void put_indent(const writer *w) {
  for (uint32_t i = 0; i < w->text->indent; i++)
    ash_text_string(w->text, "  ");
}

static int64_t extent_of(const writer *w, uint32_t axis) {
  ASH_ASSERT(axis < w->t->space->axis_count);
  return w->t->space->axes[axis].extent;
}

static int64_t tile_of(const writer *w, uint32_t axis) {
  ASH_ASSERT(axis < w->t->space->axis_count);
  return w->t->levels[0].tile[axis];
}

static int64_t steps_of(const writer *w, uint32_t loop) {
  ASH_ASSERT(loop < w->cut_count);
  const uint32_t axis = w->cut[loop];
  return (extent_of(w, axis) + tile_of(w, axis) - 1) / tile_of(w, axis);
}

static const ash_tensor *tensor_of(const writer *w, const operand *x) {
  ASH_ASSERT(x->o->tensor < w->m->g->tensor_count);
  return &w->m->g->tensors.items[x->o->tensor];
}

static bool follows(const operand *x, uint32_t axis) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  for (uint32_t d = 0; d < x->o->rank; d++)
    if (x->reach[d].axis == axis)
      return true;
  return false;
}

static bool is_cut(const writer *w, uint32_t axis) {
  return axis != ASH_NO_AXIS && tile_of(w, axis) < extent_of(w, axis);
}

/* ---- what is known of an operand ----------------------------------------- */

/* The box of the piece that begins at these places. */
static void box_at(const writer *w, uint32_t i, const int64_t *at,
                   ash_box *out) {
  ASH_ASSERT(i < w->t->space->operand_count);
  int64_t n[ASH_TILE_AXES] = {0};
  for (uint32_t a = 0; a < w->t->space->axis_count; a++) {
    const int64_t rest = extent_of(w, a) - at[a];
    n[a] = rest < tile_of(w, a) ? rest : tile_of(w, a);
  }
  ash_tile_box(out, w->m->g, w->t->space, i, at, n);
}

/* Where a dimension begins and how long it is, if that is always the same. */
static void look_along(const writer *w, operand *x, uint32_t d) {
  ASH_ASSERT(d < x->o->rank);
  const uint32_t axis = x->o->dim[d].axis;
  int64_t at[ASH_TILE_AXES] = {0};
  ash_box box;
  box_at(w, x->index, at, &box);
  x->reach[d] = (reach){ASH_NO_AXIS, box.start[d], box.size[d]};
  if (!is_cut(w, axis))
    return;
  x->reach[d].axis = axis;
  for (; at[axis] < extent_of(w, axis); at[axis] += tile_of(w, axis)) {
    box_at(w, x->index, at, &box);
    if (box.size[d] != x->reach[d].size)
      x->reach[d].size = 0;
  }
}

/* The innermost loop that changes the operand, and how often it turns. */
static void find_turn(const writer *w, operand *x) {
  ASH_ASSERT(w->cut_count <= ASH_TILE_AXES);
  x->turn = 0;
  x->turns = 1;
  while (x->turn < w->cut_count && !follows(x, w->cut[x->turn]))
    x->turn++;
  for (uint32_t k = x->turn; k < w->cut_count; k++)
    x->turns *= (uint64_t)steps_of(w, k);
}

/* The transfer of a box as loops, innermost first; dimensions that lie side by
 * side in both memories are one. */
static bool group_dims(const writer *w, operand *x) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  const ash_tensor *t = tensor_of(w, x);
  uint64_t far = ash_type_bits(t->type) / 8, near = far;
  const char *sizes = "";
  x->groups[0] = (group){far, 1, 1, ASH_NO_ID, ""};
  x->group_count = 1;
  for (uint32_t d = x->o->rank; d-- > 0;) {
    group *top = &x->groups[x->group_count - 1];
    const int64_t size = x->reach[d].size;
    const bool beside =
        top->dim == ASH_NO_ID && strcmp(top->sizes, sizes) == 0 &&
        top->outer * top->count == far && top->inner * top->count == near;
    if (!beside && size != 1) {
      if (x->group_count == GROUPS_MAX)
        return false;
      top = &x->groups[x->group_count++];
      *top = (group){1, far, near, ASH_NO_ID, sizes};
    }
    if (size == 0)
      top->dim = d;
    else if (beside || size != 1)
      top->count *= (uint64_t)size;
    far *= (uint64_t)t->shape.dim[d];
    near *= (uint64_t)(size ? size : 1);
    if (size == 0)
      sizes = ash_zone_format(zone_of(w), "%s * size_%" PRIu32, sizes, d);
    if (!sizes)
      return false;
  }
  return true;
}

/* Does its engine move a box in one transfer, or in one loop of them? */
static bool has_engine(const writer *w, operand *x) {
  ASH_ASSERT(x->group_count > 0 && x->group_count <= GROUPS_MAX);
  const ash_device *d = w->m->device;
  const uint64_t bytes = w->t->buffers[x->index].bytes;
  x->engine = ash_emit_tile_engine(w->m, w->t, 0, x->index);
  x->rank = x->group_count < JOB_RANK ? x->group_count : JOB_RANK;
  if (x->engine == ASH_NO_DMA)
    return x->rank == x->group_count;
  const ash_dma *e = &d->dmas[x->engine];
  while (x->rank > 1 && !(e->ranks >> x->rank & 1))
    x->rank--;
  return x->rank + 1 >= x->group_count &&
         (e->transfer_bytes_max == 0 || bytes <= e->transfer_bytes_max);
}

static bool look_at(const writer *w, uint32_t i) {
  ASH_ASSERT(i < w->t->space->operand_count);
  operand *x = &w->operands[i];
  *x = (operand){.o = &w->t->space->operands[i], .index = i};
  x->name = ash_emit_tile_name(zone_of(w), x->o);
  x->copies = w->t->buffers[i].copies;
  x->first = ash_emit_tile_copy(w->t, 0, i);
  for (uint32_t d = 0; d < x->o->rank; d++) {
    if (is_cut(w, x->o->dim[d].axis) && x->o->dim[d].divide != 1)
      return false;
    look_along(w, x, d);
  }
  find_turn(w, x);
  return x->copies == 0 || (group_dims(w, x) && has_engine(w, x));
}

static bool same_box(const ash_box *a, const ash_box *b) {
  ASH_ASSERT(a->rank == b->rank && a->rank <= ASH_RANK_MAX);
  for (uint32_t d = 0; d < a->rank; d++)
    if (a->start[d] != b->start[d] || a->size[d] != b->size[d])
      return false;
  return true;
}

/* A box that is never empty, and one that is moved in a loop of transfers never
 * so thin or so wide that fewer would do. */
static bool is_usual(const writer *w, const operand *x, const ash_box *box) {
  for (uint32_t d = 0; d < box->rank; d++) {
    const int64_t n = box->size[d];
    const bool edge = n == 1 || n == tensor_of(w, x)->shape.dim[d];
    if (n <= 0 || (x->rank < x->group_count && x->reach[d].size == 0 && edge))
      return false;
  }
  return true;
}

/* Does the box change exactly when its loop turns? */
static bool is_regular(const writer *w, const operand *x) {
  ASH_ASSERT(x->turn <= w->cut_count);
  int64_t at[ASH_TILE_AXES] = {0};
  ash_box last = {0};
  for (bool first = true;; first = false) {
    ash_box box;
    bool turn = true;
    box_at(w, x->index, at, &box);
    if (!is_usual(w, x, &box))
      return false;
    for (uint32_t k = 0; k < x->turn; k++)
      turn &= at[w->cut[k]] == 0;
    if (!first && same_box(&box, &last) == turn)
      return false;
    last = box;
    uint32_t k = 0;
    for (; k < w->cut_count; k++) {
      at[w->cut[k]] += tile_of(w, w->cut[k]);
      if (at[w->cut[k]] < extent_of(w, w->cut[k]))
        break;
      at[w->cut[k]] = 0;
    }
    if (k == w->cut_count)
      return true;
  }
}

static void find_cuts(writer *w) {
  ASH_ASSERT(w->t->level_count == 1 && w->cut_count == 0);
  const ash_tile_level *l = &w->t->levels[0];
  for (uint32_t k = w->t->space->axis_count; k-- > 0;)
    if (is_cut(w, l->order[k]))
      w->cut[w->cut_count++] = l->order[k];
}

/* Fills what is known; false: the loops are not so simple. */
static bool look(writer *w) {
  ASH_ASSERT(w->t->level_count > 0 && !w->operands);
  uint64_t pieces = 1;
  if (w->t->level_count != 1)
    return false;
  find_cuts(w);
  for (uint32_t k = 0; k < w->cut_count; k++)
    pieces *= ash_min_u64((uint64_t)steps_of(w, k), PIECES_MAX + 1);
  if (pieces > PIECES_MAX)
    return false;
  w->operands =
      ASH_NEW_ARRAY(zone_of(w), operand, w->t->space->operand_count + 1u);
  if (ash_zone_check(w->m->ctx, zone_of(w)) != ASH_OK)
    return false;
  for (uint32_t i = 0; i < w->t->space->operand_count; i++)
    if (!look_at(w, i) || !is_regular(w, &w->operands[i]))
      return false;
  return true;
}

/* ---- one transfer -------------------------------------------------------- */

/* "p->at[2], p->at[0]": where the operand's box is, of `prefix` and the axis.
 */
static void put_places(const writer *w, const operand *x, const char *prefix,
                       const char *suffix) {
  for (uint32_t k = 0; k < w->cut_count; k++)
    if (follows(x, w->cut[k]))
      ash_text_format(w->text, ", %s%" PRIu32 "%s", prefix, w->cut[k], suffix);
}

/* "const int32_t from_1 = ..": where a dimension begins. */
static void put_from(const writer *w, const operand *x, uint32_t d) {
  ASH_ASSERT(x->reach[d].axis != ASH_NO_AXIS);
  const ash_tile_dim *dim = &x->o->dim[d];
  ash_text_format(w->text, "  %sint32_t from_%" PRIu32 " = at_%" PRIu32,
                  dim->before > 0 ? "" : "const ", d, x->reach[d].axis);
  if (dim->stride != 1)
    ash_text_format(w->text, " * %" PRId64, dim->stride);
  if (dim->before > 0)
    ash_text_format(w->text, " - %" PRId64, dim->before);
  else if (dim->before < 0)
    ash_text_format(w->text, " + %" PRId64, -dim->before);
  ash_text_string(w->text, ";\n");
  if (dim->before > 0)
    ash_text_line(w->text,
                  "  from_%" PRIu32 " = from_%" PRIu32
                  " < 0 ? 0 : from_%" PRIu32 ";",
                  d, d, d);
}

/* "const uint32_t size_1 = ..": how long it is, where that varies. */
static void put_size(const writer *w, const operand *x, uint32_t d) {
  ASH_ASSERT(x->reach[d].axis != ASH_NO_AXIS && x->reach[d].size == 0);
  const ash_tile_dim *dim = &x->o->dim[d];
  const uint32_t axis = x->reach[d].axis;
  const int32_t extent = tensor_of(w, x)->shape.dim[d];
  ash_text_line(w->text,
                "  int32_t end_%" PRIu32 " = at_%" PRIu32 " + %" PRId64 ";", d,
                axis, tile_of(w, axis));
  ash_text_line(w->text,
                "  end_%" PRIu32 " = end_%" PRIu32 " < %" PRId64
                " ? end_%" PRIu32 " : %" PRId64 ";",
                d, d, extent_of(w, axis), d, extent_of(w, axis));
  ash_text_line(w->text,
                "  end_%" PRIu32 " = (end_%" PRIu32 " - 1) * %" PRId64
                " + %" PRId64 ";",
                d, d, dim->stride, dim->window - dim->before);
  ash_text_line(w->text,
                "  end_%" PRIu32 " = end_%" PRIu32 " < %" PRId32
                " ? end_%" PRIu32 " : %" PRId32 ";",
                d, d, extent, d, extent);
  ash_text_line(w->text,
                "  const uint32_t size_%" PRIu32 " = (uint32_t)(end_%" PRIu32
                " - from_%" PRIu32 ");",
                d, d, d);
}

static void put_arguments(const writer *w, const operand *x) {
  ASH_ASSERT(w->cut_count <= ASH_TILE_AXES);
  for (uint32_t k = 0; k < w->cut_count; k++)
    if (follows(x, w->cut[k]))
      ash_text_format(w->text, ", int32_t at_%" PRIu32, w->cut[k]);
  ash_text_string(w->text, ") {\n");
}

/* "home + (uint32_t)from_1 * 64u": where the box begins. */
static void put_address(const writer *w, const operand *x) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  const ash_tensor *t = tensor_of(w, x);
  uint64_t pitch = ash_type_bits(t->type) / 8, fixed = 0;
  ash_text_string(w->text, "home");
  for (uint32_t d = x->o->rank; d-- > 0;) {
    if (x->reach[d].axis == ASH_NO_AXIS)
      fixed += (uint64_t)x->reach[d].start * pitch;
    else
      ash_text_format(w->text, " + (uint32_t)from_%" PRIu32 " * %" PRIu64 "u",
                      d, pitch);
    pitch *= (uint64_t)t->shape.dim[d];
  }
  if (fixed)
    ash_text_format(w->text, " + %" PRIu64, fixed);
}

static void put_dims(const writer *w, const operand *x, bool sizes) {
  for (uint32_t d = 0; d < x->o->rank; d++)
    if (x->reach[d].axis != ASH_NO_AXIS) {
      put_from(w, x, d);
      if (sizes && x->reach[d].size == 0)
        put_size(w, x, d);
    }
}

/* Where a kernel finds the box of an operand that is not moved. */
static void put_inside(const writer *w, const operand *x) {
  ASH_ASSERT(x->copies == 0);
  ash_text_format(w->text, "static uint8_t *%s_%s(uint8_t *home", w->name,
                  x->name);
  put_arguments(w, x);
  put_dims(w, x, false);
  ash_text_string(w->text, "  return ");
  put_address(w, x);
  ash_text_string(w->text, ";\n}\n");
  ash_text_blank(w->text);
}

static void put_count(const writer *w, const operand *x, uint32_t k) {
  ASH_ASSERT(k < x->group_count);
  const group *g = &x->groups[k];
  ash_text_format(w->text, "%" PRIu64 "u", g->count);
  if (g->dim != ASH_NO_ID)
    ash_text_format(w->text, " * size_%" PRIu32, g->dim);
}

static void put_step(const writer *w, const operand *x, uint32_t k, bool far) {
  ASH_ASSERT(k < x->group_count);
  if (far)
    ash_text_format(w->text, "%" PRIu64 "u", x->groups[k].outer);
  else
    ash_text_format(w->text, "%" PRIu64 "u%s", x->groups[k].inner,
                    x->groups[k].sizes);
}

/* The transfer, or the first of a loop of them. */
static void put_job(const writer *w, const operand *x) {
  ASH_ASSERT(x->rank > 0 && x->rank <= JOB_RANK);
  const bool out = x->o->is_output;
  ash_text_format(w->text, ";\n  const ash_dma_job job = {%s, ",
                  out ? "outer, inner" : "inner, outer");
  for (uint32_t k = 0; k < JOB_RANK; k++) {
    if (k < x->rank)
      put_count(w, x, k);
    ash_text_string(w->text, k < x->rank ? ", " : "1, ");
  }
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 1; k < JOB_RANK; k++) {
      if (k < x->rank)
        put_step(w, x, k, (side == 0) == out);
      ash_text_string(w->text, k < x->rank ? ", " : "0, ");
    }
  ash_text_format(w->text, "%" PRIu32 "};\n",
                  x->engine == ASH_NO_DMA ? 0 : x->engine);
}

/* How often it is repeated, in which steps. */
static void put_repeat(const writer *w, const operand *x) {
  const uint32_t last = x->group_count - 1;
  if (x->rank == x->group_count)
    return;
  ash_text_string(w->text, ", ");
  put_count(w, x, last);
  ash_text_string(w->text, ", ");
  put_step(w, x, last, x->o->is_output);
  ash_text_string(w->text, ", ");
  put_step(w, x, last, !x->o->is_output);
}

/* Starts to move the box of a piece between home and a buffer. */
static void put_move(const writer *w, const operand *x) {
  ASH_ASSERT(x->copies > 0 && x->rank + 1 >= x->group_count);
  const bool has_dma = x->engine != ASH_NO_DMA;
  const bool waits = has_dma && !w->m->device->dmas[x->engine].asynchronous;
  ash_text_format(w->text,
                  "static uint32_t %s_%s(const ash_dma *dma, uint8_t *inner, "
                  "uint8_t *home",
                  w->name, x->name);
  put_arguments(w, x);
  put_dims(w, x, true);
  ash_text_string(w->text, "  uint8_t *const outer = ");
  put_address(w, x);
  put_job(w, x);
  if (!has_dma)
    ash_text_line(w->text, "  (void)dma; /* the processor copies */");
  ash_text_format(w->text, "  return %sash_rt_move_job%s(%s, &job",
                  waits ? "ash_rt_move_now(dma, " : "",
                  x->rank < x->group_count ? "s" : "", has_dma ? "dma" : "0");
  put_repeat(w, x);
  ash_text_string(w->text, waits ? "));\n}\n" : ");\n}\n");
  ash_text_blank(w->text);
}

/* ---- the loops ----------------------------------------------------------- */

static bool is_steady(const writer *w, const operand *x) {
  ASH_ASSERT(x->turn <= w->cut_count);
  return x->turn == w->cut_count;
}

/* Has it loads that run ahead of the loops? */
static bool runs_ahead(const writer *w, const operand *x) {
  return !x->o->is_output && !is_steady(w, x) && x->copies > 1;
}

/* "_future[in_0_turn]", or "_future". */
static const char *future_of(const writer *w, const operand *x) {
  ASH_ASSERT(x->copies > 0);
  const char *text =
      is_steady(w, x) || x->copies == 1
          ? ash_zone_format(zone_of(w), "%s_future", x->name)
          : ash_zone_format(zone_of(w), "%s_future[%s_turn]", x->name, x->name);
  return text ? text : "";
}

/* "copy[4 + in_0_turn]" */
static const char *buffer_of(const writer *w, const operand *x) {
  ASH_ASSERT(x->copies > 0);
  const char *text =
      is_steady(w, x) || x->copies == 1
          ? ash_zone_format(zone_of(w), "copy[%" PRIu32 "]", x->first)
          : ash_zone_format(zone_of(w), "copy[%" PRIu32 " + %s_turn]", x->first,
                            x->name);
  return text ? text : "";
}

/* "in_0(dma, copy[0], home[0], p.at[1])" with places of that name. */
static void put_call(const writer *w, const operand *x, const char *buffer,
                     const char *prefix, const char *suffix) {
  ash_text_format(w->text, "%s_%s(dma, %s, home[%" PRIu32 "]", w->name, x->name,
                  buffer, x->index);
  put_places(w, x, prefix, suffix);
  ash_text_string(w->text, ");\n");
}

static void put_state(const writer *w, const operand *x) {
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
      if (runs_ahead(w, x) || follows(x, w->cut[k]))
        ash_text_line(w->text, "int32_t %s_at_%" PRIu32 " = 0;", name,
                      w->cut[k]);
}

/* What happens only where an operand's box is another one begins .. */
static void open_turn(const writer *w, const operand *x) {
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
static void close_turn(const writer *w, const operand *x) {
  if (x->turn == 0)
    return;
  w->text->indent--;
  ash_text_line(w->text, "}");
}

static void put_next_turn(const writer *w, const operand *x) {
  if (x->copies > 1)
    ash_text_line(w->text,
                  "%s_turn = %s_turn + 1 < %" PRIu32 " ? %s_turn + 1 : 0;",
                  x->name, x->name, x->copies, x->name);
}

/* The cursor goes to the next box. */
static void put_advance(const writer *w, const operand *x) {
  ASH_ASSERT(x->turn < w->cut_count);
  for (uint32_t k = x->turn; k < w->cut_count; k++) {
    const uint32_t axis = w->cut[k];
    ash_text_line(w->text, "%s_at_%" PRIu32 " += %" PRId64 ";", x->name, axis,
                  tile_of(w, axis));
    ash_text_line(w->text, "if (%s_at_%" PRIu32 " >= %" PRId64 ") {", x->name,
                  axis, extent_of(w, axis));
    w->text->indent++;
    ash_text_line(w->text, "%s_at_%" PRIu32 " = 0;", x->name, axis);
  }
  for (uint32_t k = x->turn; k < w->cut_count; k++) {
    w->text->indent--;
    ash_text_line(w->text, "}");
  }
}

/* As many boxes as there are buffers for, this piece's first. */
static void put_loads_ahead(const writer *w, const operand *x) {
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
      ash_zone_format(zone_of(w), "copy[%" PRIu32 " + to]", x->first);
  const char *place = ash_zone_format(zone_of(w), "%s_at_", name);
  put_indent(w);
  ash_text_format(w->text, "%s_future[to] = ", name);
  put_call(w, x, buffer ? buffer : "", place ? place : "", "");
  put_advance(w, x);
  w->text->indent--;
  ash_text_line(w->text, "}");
}

static void put_loads(const writer *w, const operand *x) {
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

static void put_store(const writer *w, const operand *x) {
  const char *place = ash_zone_format(zone_of(w), "%s_at_", x->name);
  put_indent(w);
  ash_text_format(w->text, "%s = ", future_of(w, x));
  put_call(w, x, buffer_of(w, x), place ? place : "", "");
}

/* Stores the box before, opens this piece's. */
static void put_opening(const writer *w, const operand *x) {
  ASH_ASSERT(x->o->is_output && x->copies > 0);
  open_turn(w, x);
  ash_text_line(w->text, "if (%s_open)", x->name);
  w->text->indent++;
  put_store(w, x);
  w->text->indent--;
  ash_text_line(w->text, "%s_open = 1;", x->name);
  put_next_turn(w, x);
  for (uint32_t k = x->turn; k < w->cut_count; k++)
    if (follows(x, w->cut[k]))
      ash_text_line(w->text, "%s_at_%" PRIu32 " = p.at[%" PRIu32 "];", x->name,
                    w->cut[k], w->cut[k]);
  close_turn(w, x);
}

static void put_await(const writer *w, const operand *x) {
  ash_text_line(w->text, "ash_rt_move_await(dma, &%s);", future_of(w, x));
}

/* Waits for this piece's inputs, and until outputs' buffers are free. */
static void put_awaits(const writer *w) {
  for (uint32_t i = 0; i < w->t->space->operand_count; i++) {
    const operand *x = &w->operands[i];
    if (x->copies == 0 || (is_steady(w, x) && x->o->is_output))
      continue;
    if (!is_steady(w, x))
      open_turn(w, x);
    put_await(w, x);
    if (!is_steady(w, x))
      close_turn(w, x);
  }
}

static void put_kernel(const writer *w) {
  put_indent(w);
  ash_text_format(w->text, "%s_kernel(&p%s", w->name,
                  w->m->code[w->t->op].cores > 1 ? ", ctx" : "");
  for (uint32_t i = 0; i < w->t->space->operand_count; i++) {
    const operand *x = &w->operands[i];
    if (x->copies) {
      ash_text_format(w->text, ", %s", buffer_of(w, x));
      continue;
    }
    ash_text_format(w->text, ", %s_%s(home[%" PRIu32 "]", w->name, x->name, i);
    put_places(w, x, "p.at[", "]");
    ash_text_string(w->text, ")");
  }
  const uint32_t work = ash_emit_tile_copy(w->t, 1, 0);
  ash_text_format(w->text, ", copy[%" PRIu32 "], copy[%" PRIu32 "]);\n", work,
                  work + 1);
}

static void put_inside_loops(const writer *w) {
  const uint32_t count = w->t->space->operand_count;
  for (uint32_t i = 0; i < count; i++) {
    const operand *x = &w->operands[i];
    if (x->copies && x->o->is_output && !is_steady(w, x))
      put_opening(w, x);
  }
  for (uint32_t i = 0; i < count; i++) {
    const operand *x = &w->operands[i];
    if (x->copies && !x->o->is_output && !is_steady(w, x))
      put_loads(w, x);
  }
  put_awaits(w);
  put_kernel(w);
}

static void put_heads(const writer *w) {
  for (uint32_t k = w->cut_count; k-- > 0;) {
    const uint32_t a = w->cut[k];
    const int64_t extent = extent_of(w, a), tile = tile_of(w, a);
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
static void put_ends(const writer *w) {
  const uint32_t count = w->t->space->operand_count;
  for (uint32_t i = 0; i < count; i++)
    if (w->operands[i].o->is_output && w->operands[i].copies)
      put_store(w, &w->operands[i]);
  for (uint32_t i = 0; i < count; i++) {
    const operand *x = &w->operands[i];
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

static void put_function(const writer *w) {
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
                    extent_of(w, a) < tile_of(w, a) ? extent_of(w, a)
                                                    : tile_of(w, a));
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
  writer w = {.m = m, .t = tiling, .name = name, .text = out};
  if (!look(&w))
    return false;
  for (uint32_t i = 0; i < tiling->space->operand_count; i++)
    (w.operands[i].copies ? put_move : put_inside)(&w, &w.operands[i]);
  put_function(&w);
  return true;
}

/* tile_flat_move.c - the functions that start the transfers of one operand. */
#include "emit/tile/tile_flat.h"

#include <inttypes.h>

void ash_flat_put_places(const ash_flat *w, const ash_flat_operand *x,
                         const char *prefix, const char *suffix) {
  for (uint32_t k = 0; k < w->cut_count; k++)
    if (ash_flat_follows(x, w->cut[k]))
      ash_text_format(w->text, ", %s%" PRIu32 "%s", prefix, w->cut[k], suffix);
}

/* "const int32_t from_1 = ..": where a dimension begins. */
static void put_from(const ash_flat *w, const ash_flat_operand *x, uint32_t d) {
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
static void put_size(const ash_flat *w, const ash_flat_operand *x, uint32_t d) {
  ASH_ASSERT(x->reach[d].axis != ASH_NO_AXIS && x->reach[d].size == 0);
  const ash_tile_dim *dim = &x->o->dim[d];
  const uint32_t axis = x->reach[d].axis;
  const int32_t extent = ash_flat_tensor(w, x)->shape.dim[d];
  ash_text_line(w->text,
                "  int32_t end_%" PRIu32 " = at_%" PRIu32 " + %" PRId64 ";", d,
                axis, ash_flat_tile(w, axis));
  ash_text_line(w->text,
                "  end_%" PRIu32 " = end_%" PRIu32 " < %" PRId64
                " ? end_%" PRIu32 " : %" PRId64 ";",
                d, d, ash_flat_extent(w, axis), d, ash_flat_extent(w, axis));
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

static void put_arguments(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(w->cut_count <= ASH_TILE_AXES);
  for (uint32_t k = 0; k < w->cut_count; k++)
    if (ash_flat_follows(x, w->cut[k]))
      ash_text_format(w->text, ", int32_t at_%" PRIu32, w->cut[k]);
  ash_text_string(w->text, ") {\n");
}

/* "home + (uint32_t)from_1 * 64u": where the box begins. */
static void put_address(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->o->rank <= ASH_RANK_MAX);
  const ash_tensor *t = ash_flat_tensor(w, x);
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

static void put_dims(const ash_flat *w, const ash_flat_operand *x, bool sizes) {
  for (uint32_t d = 0; d < x->o->rank; d++)
    if (x->reach[d].axis != ASH_NO_AXIS) {
      put_from(w, x, d);
      if (sizes && x->reach[d].size == 0)
        put_size(w, x, d);
    }
}

/* Where a kernel finds the box of an operand that is not moved. */
static void put_inside(const ash_flat *w, const ash_flat_operand *x) {
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

static void put_count(const ash_flat *w, const ash_flat_operand *x,
                      uint32_t k) {
  ASH_ASSERT(k < x->group_count);
  const ash_flat_group *g = &x->groups[k];
  ash_text_format(w->text, "%" PRIu64 "u", g->count);
  if (g->dim != ASH_NO_ID)
    ash_text_format(w->text, " * size_%" PRIu32, g->dim);
}

static void put_step(const ash_flat *w, const ash_flat_operand *x, uint32_t k,
                     bool far) {
  ASH_ASSERT(k < x->group_count);
  if (far)
    ash_text_format(w->text, "%" PRIu64 "u", x->groups[k].outer);
  else
    ash_text_format(w->text, "%" PRIu64 "u%s", x->groups[k].inner,
                    x->groups[k].sizes);
}

/* The transfer, or the first of a loop of them. */
static void put_job(const ash_flat *w, const ash_flat_operand *x) {
  ASH_ASSERT(x->rank > 0 && x->rank <= ASH_FLAT_JOB_RANK);
  const bool out = x->o->is_output;
  ash_text_format(w->text, ";\n  const ash_dma_job job = {%s, ",
                  out ? "outer, inner" : "inner, outer");
  for (uint32_t k = 0; k < ASH_FLAT_JOB_RANK; k++) {
    if (k < x->rank)
      put_count(w, x, k);
    ash_text_string(w->text, k < x->rank ? ", " : "1, ");
  }
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 1; k < ASH_FLAT_JOB_RANK; k++) {
      if (k < x->rank)
        put_step(w, x, k, (side == 0) == out);
      ash_text_string(w->text, k < x->rank ? ", " : "0, ");
    }
  ash_text_format(w->text, "%" PRIu32 "};\n",
                  x->engine == ASH_NO_DMA ? 0 : x->engine);
}

/* How often it is repeated, in which steps. */
static void put_repeat(const ash_flat *w, const ash_flat_operand *x) {
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
static void put_move(const ash_flat *w, const ash_flat_operand *x) {
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

void ash_flat_put_transfer(const ash_flat *w, const ash_flat_operand *x) {
  if (x->copies)
    put_move(w, x);
  else
    put_inside(w, x);
}

/* check_run.c - the steps of a plan, gone through as the device would.
 *
 * A value is intact from when it is written until something else is written
 * over any of its bytes. Nothing here asks for lifetimes or aliases, nor how
 * the planner came to share bytes: if every read finds its value intact, the
 * sharing was legitimate. */
#include "check/check_plan.h"

#include "ashlar/plan.h"

#include "plan/record/record.h"

#include <string.h>

/* Who wrote over a value, and what. */
typedef struct killer {
  uint32_t op; /* ASH_NO_ID: nobody yet */
  const char *what;
} killer;

typedef struct runner {
  const ash_checker *c;
  const uint32_t *slot_of; /* by tensor */
  ash_intact *intact;
  killer *killers; /* by slot   */
} runner;

typedef ash_bytes range;

static const ash_slot *slot_at(const runner *r, uint32_t i) {
  return &r->c->plan->slots[i];
}

/* Of a tensor without a slot, which no kernel reads: no bytes. */
static range range_of(const runner *r, uint32_t slot) {
  if (slot == ASH_NO_ID)
    return (range){ASH_SCRATCH, "", 0, 0};
  const ash_slot *s = slot_at(r, slot);
  return (range){s->binding.role, s->binding.memory, s->binding.offset,
                 s->binding.offset + s->size};
}

static bool meet(const range *a, const range *b) {
  return a->role == b->role && a->lo < b->hi && b->lo < a->hi &&
         (a->memory == b->memory || strcmp(a->memory, b->memory) == 0);
}

static bool same_start(const range *a, const range *b) {
  return a->role == b->role && a->lo == b->lo &&
         strcmp(a->memory, b->memory) == 0;
}

static ash_status lost(const runner *r, uint32_t slot, ash_diag_id id_of,
                       const char *when) {
  const killer *v = &r->killers[slot];
  const ash_graph *g = r->c->g;
  const char *id = slot_at(r, slot)->id;
  if (v->op == ASH_NO_ID)
    return ash_fail(r->c->ctx, ASH_INTERNAL, id_of,
                    ash_graph_loc(g, ASH_NO_ID, slot_at(r, slot)->tensor),
                    "%s needs '%s', which was never written", when, id);
  return ash_fail(r->c->ctx, ASH_INTERNAL, id_of,
                  ash_graph_loc(g, v->op, slot_at(r, slot)->tensor),
                  "%s needs '%s', over which %s has written '%s'", when, id,
                  g->ops.items[v->op].id, v->what);
}

/* ---- writing ------------------------------------------------------------- */

/* A window's pixels, one after the other: is what the next ones read still
 * there when this one has been written? Row by row from the definition: pixel
 * (y, x) reads nothing above its first row, nor left of its first column in
 * that row; later pixels of the row read further right, later rows at or
 * below theirs. */
static bool stays_behind(const ash_graph *g, uint32_t op,
                         const ash_kernel *kernel, const range *in,
                         const range *w) {
  const ash_op *o = &g->ops.items[op];
  const ash_shape *from = &ash_op_in(g, o, 0)->shape;
  const ash_shape *to = &ash_op_out(g, o, 0)->shape;
  const bool windows =
      o->kind == ASH_OP_conv_2d || o->kind == ASH_OP_depthwise_conv_2d ||
      o->kind == ASH_OP_average_pool_2d || o->kind == ASH_OP_max_pool_2d;
  if (!windows || ash_kernel_is_vector(kernel) ||
      kernel->order != ASH_ORDER_PIXELS || from->rank != 4 || to->rank != 4 ||
      to->dim[0] != 1)
    return false;
  const uint64_t in_row = ash_op_in(g, o, 0)->bytes / (uint64_t)from->dim[1];
  const uint64_t in_pixel = in_row / (uint64_t)from->dim[2];
  uint64_t end = w->lo;
  for (int32_t y = 0; y < to->dim[1]; y++)
    for (int32_t x = 0; x < to->dim[2]; x++) {
      const int64_t top =
          y * ash_attr_int(o, "stride_h", 1) - ash_attr_int(o, "pad_top", 0);
      const int64_t next = top + ash_attr_int(o, "stride_h", 1);
      const int64_t left =
          x * ash_attr_int(o, "stride_w", 1) - ash_attr_int(o, "pad_left", 0);
      uint64_t lowest = (top > 0 ? (uint64_t)top : 0) * in_row +
                        (left > 0 ? (uint64_t)left : 0) * in_pixel;
      const uint64_t below = (next > 0 ? (uint64_t)next : 0) * in_row;
      if (y + 1 < to->dim[1] && below < lowest)
        lowest = below;
      end += ash_op_out(g, o, 0)->bytes /
             ((uint64_t)to->dim[1] * (uint64_t)to->dim[2]);
      if (end > in->lo + lowest)
        return false;
    }
  return true;
}

static const ash_kernel *kernel_of(const runner *r, uint32_t op) {
  return ash_plan_choice(r->c->plan, r->c->g, op).kernel;
}

/* May the op write [w] while it reads input k? */
static bool may_write(const runner *r, uint32_t op, uint32_t k,
                      const range *w) {
  const range in = range_of(r, r->slot_of[r->c->g->ops.items[op].inputs[k]]);
  if (!meet(&in, w))
    return true;
  const ash_kernel *kernel = kernel_of(r, op);
  const ash_tilings *tilings = r->c->plan->tilings;
  if (kernel && same_start(&in, w) &&
      ash_kernel_in_place(kernel, r->c->g, op, k) &&
      (!tilings || ash_tiling_in_place(r->c->g, &tilings->items[op], k)))
    return true;
  if (tilings && tilings->items[op].space)
    return false;
  return kernel && k == 0 && stays_behind(r->c->g, op, kernel, &in, w);
}

static ash_status check_inputs(const runner *r, uint32_t op, const range *w,
                               const char *what) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_plan_reads(r->c->plan, r->c->g, op, k) && !may_write(r, op, k, w))
      return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_self_overlap,
                      ash_graph_loc(r->c->g, op, o->inputs[k]),
                      "%s writes '%s' over its input '%s', which its kernel "
                      "does not allow",
                      o->id, what, slot_at(r, r->slot_of[o->inputs[k]])->id);
  return ASH_OK;
}

/* What else lies on the bytes that are written has lost its value. */
static void kill(const runner *r, uint32_t op, uint32_t writer,
                 const range *w) {
  for (uint32_t at = ASH_NO_ID;
       (at = ash_intact_next(r->intact, w, at)) != ASH_NO_ID;) {
    const uint32_t slot = r->intact->order[at];
    if (slot == writer)
      continue;
    ash_intact_set(r->intact, slot, false);
    r->killers[slot] = (killer){op, slot_at(r, writer)->id};
  }
}

static ash_status write_range(const runner *r, uint32_t op, uint32_t writer,
                              const range *w) {
  const char *what = slot_at(r, writer)->id;
  ASH_TRY(check_inputs(r, op, w, what));
  kill(r, op, writer, w);
  return ASH_OK;
}

/* ---- operators ----------------------------------------------------------- */

/* A reshape whose two sides lie on the same bytes is no code at all, nor is a
 * slice whose elements are all where they are to go. */
static bool is_nothing(const runner *r, uint32_t op, uint32_t k) {
  const ash_op *o = &r->c->g->ops.items[op];
  if (o->input_count == 0 || o->inputs[0] == ASH_NO_ID)
    return false;
  const range in = range_of(r, r->slot_of[o->inputs[0]]);
  const range out = range_of(r, r->slot_of[o->outputs[k]]);
  if (ash_op_has(o, ASH_OP_VIEW))
    return same_start(&in, &out) && in.hi == out.hi;
  return meet(&in, &out) && out.lo >= in.lo && out.hi <= in.hi &&
         ash_check_is_there(r->c->g, op, k, out.lo - in.lo);
}

/* Elements in front of the axis along which is joined. */
static int64_t rows_of(const ash_op *o, const ash_shape *s) {
  const int64_t axis = ash_attr_int(o, "axis", 0);
  int64_t rows = 1;
  for (int64_t d = 0; d < (axis < 0 ? axis + (int64_t)s->rank : axis); d++)
    rows *= s->dim[d];
  return rows;
}

/* Each input is copied to its part of the result, unless it is there already
 * and needs no new scale. Rows of several inputs interleave. */
static ash_status write_joined(const runner *r, uint32_t op, uint32_t out) {
  const ash_op *o = &r->c->g->ops.items[op];
  const ash_kernel *kernel = kernel_of(r, op);
  const bool moves = kernel && kernel->params == ASH_PARAMS_loop;
  const bool plain =
      moves && rows_of(o, &ash_op_out(r->c->g, o, 0)->shape) == 1;
  const range whole = range_of(r, out);
  if (!plain)
    return write_range(r, op, out, &whole);
  uint64_t at = whole.lo;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (o->inputs[k] == ASH_NO_ID)
      continue;
    const uint64_t bytes = r->c->g->tensors.items[o->inputs[k]].bytes;
    const range piece = {whole.role, whole.memory, at, at + bytes};
    const range in = range_of(r, r->slot_of[o->inputs[k]]);
    at += bytes;
    if (same_start(&in, &piece))
      continue;
    ASH_TRY(write_range(r, op, out, &piece));
  }
  return ASH_OK;
}

/* Tiles, accumulator and work memory are written while the op runs. */
static ash_status check_tiles(const runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t i = r->c->index.first[op]; i != ASH_NO_ID;
       i = r->c->index.next[i]) {
    const range w = range_of(r, i);
    for (uint32_t k = 0; k < o->output_count; k++) {
      const range out = range_of(r, r->slot_of[o->outputs[k]]);
      if (meet(&w, &out))
        return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_self_overlap,
                        ash_graph_loc(r->c->g, op, o->outputs[k]),
                        "the tile '%s' overlaps the result '%s'",
                        slot_at(r, i)->id,
                        slot_at(r, r->slot_of[o->outputs[k]])->id);
    }
    ASH_TRY(write_range(r, op, i, &w));
  }
  return ASH_OK;
}

static ash_status check_work(const runner *r, uint32_t op) {
  if (r->c->plan->tilings && r->c->plan->tilings->items[op].space)
    return check_tiles(r, op);
  const ash_op *o = &r->c->g->ops.items[op];
  const uint32_t work = r->c->index.work[op];
  const uint64_t need = ash_plan_choice(r->c->plan, r->c->g, op).scratch;
  if (need && (work == ASH_NO_ID || slot_at(r, work)->size < need))
    return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_work,
                    ash_graph_loc(r->c->g, op, ASH_NO_ID),
                    "%s needs more work memory than the plan gives it", o->id);
  if (work == ASH_NO_ID)
    return ASH_OK;
  const range w = range_of(r, work);
  for (uint32_t k = 0; k < o->output_count; k++) {
    const range out = range_of(r, r->slot_of[o->outputs[k]]);
    if (meet(&w, &out))
      return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_self_overlap,
                      ash_graph_loc(r->c->g, op, o->outputs[k]),
                      "the work memory of %s overlaps its result '%s'", o->id,
                      slot_at(r, r->slot_of[o->outputs[k]])->id);
  }
  return write_range(r, op, work, &w);
}

/* An operator with state writes its variables where they are. What else lies
 * on them has lost its value, and must not be what the operator reads. */
static ash_status update_state(const runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  if (!ash_op_has(o, ASH_OP_STATE))
    return ASH_OK;
  for (uint32_t k = 0; k < o->input_count; k++) {
    if (!ash_graph_updates(r->c->g, o, o->inputs[k]))
      continue;
    const uint32_t slot = r->slot_of[o->inputs[k]];
    const range w = range_of(r, slot);
    for (uint32_t n = 0; n < o->input_count; n++) {
      if (o->inputs[n] == ASH_NO_ID || o->inputs[n] == o->inputs[k] ||
          !ash_plan_reads(r->c->plan, r->c->g, op, n))
        continue;
      const range in = range_of(r, r->slot_of[o->inputs[n]]);
      if (meet(&in, &w))
        return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_self_overlap,
                        ash_graph_loc(r->c->g, op, o->inputs[n]),
                        "%s updates '%s', on which its input '%s' lies", o->id,
                        slot_at(r, slot)->id,
                        slot_at(r, r->slot_of[o->inputs[n]])->id);
    }
    kill(r, op, slot, &w);
  }
  return ASH_OK;
}

static ash_status run_op(const runner *r, uint32_t op) {
  const ash_op *o = &r->c->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_plan_reads(r->c->plan, r->c->g, op, k) &&
        !ash_intact_is(r->intact, r->slot_of[o->inputs[k]]))
      return lost(r, r->slot_of[o->inputs[k]], ASH_D_plan_clobbered, o->id);
  if (o->output_count != 1 || !is_nothing(r, op, 0))
    ASH_TRY(check_work(r, op));
  for (uint32_t k = 0; k < o->output_count; k++) {
    const uint32_t out = r->slot_of[o->outputs[k]];
    const range w = range_of(r, out);
    if (!is_nothing(r, op, k))
      ASH_TRY(o->kind == ASH_OP_concatenation ? write_joined(r, op, out)
                                              : write_range(r, op, out, &w));
    ash_intact_set(r->intact, out, true);
  }
  return update_state(r, op);
}

/* ---- from start to end --------------------------------------------------- */

/* The caller fills all inputs before the run, so they must not share. */
static ash_status fill_inputs(const runner *r) {
  const ash_graph *g = r->c->g;
  for (size_t i = 0; i < g->input_count; i++) {
    const uint32_t slot = r->slot_of[g->inputs[i]];
    const range w = range_of(r, slot);
    for (size_t k = 0; k < i; k++) {
      const range other = range_of(r, r->slot_of[g->inputs[k]]);
      if (g->inputs[k] != g->inputs[i] && meet(&w, &other))
        return ash_fail(r->c->ctx, ASH_INTERNAL, ASH_D_plan_overlap,
                        ash_graph_loc(g, ASH_NO_ID, g->inputs[i]),
                        "inputs '%s' and '%s' overlap", slot_at(r, slot)->id,
                        slot_at(r, r->slot_of[g->inputs[k]])->id);
    }
    ash_intact_set(r->intact, slot, true);
  }
  return ASH_OK;
}

static ash_status run(const runner *r) {
  const ash_plan *p = r->c->plan;
  const ash_graph *g = r->c->g;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    r->killers[i] = (killer){ASH_NO_ID, NULL};
    if (p->slots[i].tensor == ASH_NO_ID)
      continue;
    const ash_tensor_kind kind = g->tensors.items[p->slots[i].tensor].kind;
    if (kind == ASH_TENSOR_CONSTANT || kind == ASH_TENSOR_VARIABLE)
      ash_intact_set(r->intact, i, true);
  }
  ASH_TRY(fill_inputs(r));
  for (uint32_t s = 0; s < p->steps.count; s++)
    for (uint32_t k = 0; k < p->steps.items[s].op_count; k++)
      ASH_TRY(run_op(r, p->steps.items[s].ops[k]));
  for (size_t i = 0; i < g->output_count; i++)
    if (!ash_intact_is(r->intact, r->slot_of[g->outputs[i]]))
      return lost(r, r->slot_of[g->outputs[i]], ASH_D_plan_clobbered,
                  "the end");
  for (uint32_t i = 0; i < p->slot_count; i++) /* the next run starts there */
    if (p->slots[i].tensor != ASH_NO_ID && !ash_intact_is(r->intact, i) &&
        g->tensors.items[p->slots[i].tensor].kind == ASH_TENSOR_VARIABLE)
      return lost(r, i, ASH_D_plan_state_lost, "the next run");
  return ASH_OK;
}

ash_status ash_check_run(const ash_checker *c) {
  ash_zone *z = &c->ctx->scratch;
  ash_intact intact;
  const runner r = {c, c->index.of_tensor, &intact,
                    ASH_NEW_ARRAY(z, killer, c->plan->slot_count + 1u)};
  ASH_TRY(ash_intact_of(c->ctx, &intact, c->plan));
  return run(&r);
}

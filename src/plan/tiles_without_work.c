/* tiles_without_work.c - tiled operators that have nothing to do: views, slices
 * and concatenations whose bytes already lie where the result is. Which ones
 * those are is only known when aliases are; their tiles are taken out again. */
#include "plan/planner.h"
#include "plan/share/alias.h"

#include "op/views.h"

/* Does the storage of tensor `inner` begin `offset` bytes into `outer`? */
static bool is_there(const ash_aliaser *a, uint32_t inner, uint32_t outer,
                     uint64_t offset) {
  ASH_ASSERT(inner < a->g->tensor_count && outer < a->g->tensor_count);
  const uint32_t in = a->slot_of[inner], out = a->slot_of[outer];
  uint64_t at_in = 0, at_out = 0;
  if (in == ASH_NO_ID || out == ASH_NO_ID)
    return false;
  return ash_alias_root(a->slots->items, a->slots->count, in, &at_in) ==
             ash_alias_root(a->slots->items, a->slots->count, out, &at_out) &&
         at_in == at_out + offset;
}

static bool output_is_there(const ash_aliaser *a, uint32_t op, uint32_t k) {
  ASH_ASSERT(op < a->g->op_count && k < a->g->ops.items[op].output_count);
  const ash_op *o = &a->g->ops.items[op];
  uint32_t input = 0;
  uint64_t offset;
  return (ash_op_is_view(a->g, op, k, &input, &offset) ||
          ash_op_is_slice(a->g, op, k, &offset)) &&
         is_there(a, o->outputs[k], o->inputs[input], offset);
}

static bool pieces_are_there(const ash_aliaser *a, uint32_t op) {
  const ash_op *o = &a->g->ops.items[op];
  uint32_t pieces = 0;
  for (uint32_t k = 0; k < o->input_count; k++) {
    uint64_t offset;
    if (o->inputs[k] == ASH_NO_ID)
      continue;
    if (!ash_op_is_piece(a->g, op, k, &offset) ||
        !is_there(a, o->inputs[k], o->outputs[0], offset))
      return false;
    pieces++;
  }
  return pieces > 0;
}

static bool is_settled(const ash_aliaser *a, uint32_t op) {
  ASH_ASSERT(op < a->tilings->count);
  const ash_op *o = &a->g->ops.items[op];
  for (uint32_t k = 0; k < o->output_count; k++)
    if (!output_is_there(a, op, k))
      return pieces_are_there(a, op);
  return o->output_count > 0;
}

/* Slots of settled ops go; the others move up. */
static ash_status drop_slots(ash_aliaser *a, const ash_tiling *items,
                             ash_demands *d) {
  uint32_t *place =
      ASH_NEW_ARRAY(&a->ctx->scratch, uint32_t, a->slots->count + 1u);
  uint32_t n = 0;
  ash_slot *slots = a->slots->items;
  ASH_TRY(ash_zone_check(a->ctx, &a->ctx->scratch));
  for (uint32_t i = 0; i < a->slots->count; i++) {
    place[i] = n;
    if (slots[i].tensor == ASH_NO_ID && !items[slots[i].op].space &&
        a->tilings->items[slots[i].op].space)
      continue;
    slots[n] = slots[i];
    d->memory[n] = d->memory[i];
    d->offset[n] = d->offset[i];
    d->aligned[n++] = d->aligned[i];
  }
  ASH_ASSERT(n < a->slots->count);
  a->slots->count = n;
  for (uint32_t i = 0; i < n; i++) {
    if (slots[i].alias_of != ASH_NO_ID)
      slots[i].alias_of = place[slots[i].alias_of];
    if (slots[i].follows != ASH_NO_ID)
      slots[i].follows = place[slots[i].follows];
    ASH_ASSERT(slots[i].alias_of == ASH_NO_ID || slots[i].alias_of < n);
  }
  return ASH_OK;
}

ash_status ash_plan_tile_settle(ash_aliaser *a, ash_demands *d) {
  ASH_ASSERT(a->tilings && a->tilings->count == a->g->op_count);
  const ash_tilings *from = a->tilings;
  ash_tilings *made = ASH_NEW(&a->ctx->keep, ash_tilings);
  ash_tiling *items =
      ASH_NEW_ARRAY(&a->ctx->keep, ash_tiling, from->count + 1u);
  bool any = false;
  ASH_TRY(ash_zone_check(a->ctx, &a->ctx->keep));
  for (uint32_t op = 0; op < from->count; op++) {
    items[op] = from->items[op];
    if (!items[op].space || !is_settled(a, op))
      continue;
    items[op] = (ash_tiling){.op = op,
                             .reason = "its bytes already lie where they "
                                       "belong: nothing is moved",
                             .cost = {.verdict = ASH_OPTIMAL}};
    any = true;
  }
  if (!any)
    return ASH_OK;
  ASH_TRY(drop_slots(a, items, d));
  *made = *from;
  made->items = items;
  a->tilings = made;
  return ASH_OK;
}

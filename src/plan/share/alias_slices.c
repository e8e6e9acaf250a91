/* alias_slices.c - slices and parts of splits that are one run of their input's
 * bytes: nothing is left to copy.
 *
 * The whole input then stays as long as its part is needed, which can cost more
 * than the copy saved. So a part is joined only where memory over time does
 * not get worse: first all parts of a split, else one by one. */
#include "plan/share/alias.h"

#include "op/views.h"

static bool join_part(ash_aliaser *a, uint32_t op, uint32_t k) {
  ASH_ASSERT(op < a->g->op_count && k < a->g->ops.items[op].output_count);
  const ash_op *o = &a->g->ops.items[op];
  uint64_t offset;
  if (!ash_op_is_slice(a->g, op, k, &offset))
    return false;
  const uint32_t from = a->slot_of[o->inputs[0]];
  const uint32_t to = a->slot_of[o->outputs[k]];
  return from != ASH_NO_ID && to != ASH_NO_ID &&
         ash_alias_join(a, to, from, offset, ASH_ALIAS_VIEW);
}

/* What is cut copies all of its parts or none. */
static bool is_tiled(const ash_aliaser *a, uint32_t op) {
  ASH_ASSERT(!a->tilings || op < a->tilings->count);
  return a->tilings && a->tilings->items[op].space;
}

/* Outputs [first, first + count) of an op, all or none. */
static ash_status try_parts(ash_aliaser *a, uint32_t op, uint32_t first,
                            uint32_t count, bool *kept) {
  ASH_ASSERT(count > 0 && first + count <= a->g->ops.items[op].output_count);
  const size_t before = a->storages.join_count;
  ash_profile was, now;
  *kept = false;
  if (ash_alias_is_tired(a))
    return ASH_OK;
  ASH_TRY(ash_alias_profile(a, &was));
  uint32_t joined = 0;
  for (uint32_t k = first; k < first + count; k++)
    joined += join_part(a, op, k);
  if (!joined)
    return ASH_OK;
  ASH_TRY(ash_alias_profile(a, &now));
  *kept = !ash_profile_worse(now, was) && (joined == count || !is_tiled(a, op));
  if (!*kept)
    ash_alias_part(a, before);
  return ASH_OK;
}

static bool has_slices(const ash_aliaser *a, uint32_t op) {
  uint64_t offset;
  for (uint32_t k = 0; k < a->g->ops.items[op].output_count; k++)
    if (ash_op_is_slice(a->g, op, k, &offset))
      return true;
  return false;
}

ash_status ash_alias_slices(ash_aliaser *a) {
  for (uint32_t op = 0; op < a->g->op_count; op++) {
    const uint32_t count = a->g->ops.items[op].output_count;
    bool kept;
    if (!has_slices(a, op))
      continue;
    ASH_TRY(try_parts(a, op, 0, count, &kept));
    if (kept || is_tiled(a, op))
      continue;
    for (uint32_t k = 0; count > 1 && k < count; k++) {
      bool one;
      ASH_TRY(try_parts(a, op, k, 1, &one));
    }
  }
  return ASH_OK;
}

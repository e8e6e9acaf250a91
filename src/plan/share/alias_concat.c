/* alias_concat.c - inputs of a concatenation that are made where they belong,
 * so that nothing is left to copy.
 *
 * The result must then exist as soon as its first piece does, which can cost
 * more than the copy saved. So pieces are joined only where memory over time
 * does not get worse: first all of a concatenation, else one by one. */
#include "plan/share/alias.h"

#include "op/views.h"

/* The slot of input k, if it may lie at `*offset` of the result. */
static uint32_t piece_of(const ash_aliaser *a, uint32_t op, uint32_t k,
                         uint64_t *offset) {
  ASH_ASSERT(op < a->g->op_count && k < a->g->ops.items[op].input_count);
  const uint32_t tensor = a->g->ops.items[op].inputs[k];
  return tensor != ASH_NO_ID && ash_op_is_piece(a->g, op, k, offset)
             ? a->slot_of[tensor]
             : ASH_NO_ID;
}

static void part(ash_aliaser *a, const ash_slot *before) {
  for (uint32_t i = 0; i < a->slots->count; i++)
    a->slots->items[i] = before[i];
}

static void save(const ash_aliaser *a, ash_slot *before) {
  for (uint32_t i = 0; i < a->slots->count; i++)
    before[i] = a->slots->items[i];
}

/* What already lies in a storage that this input views must stay: only whole
 * storages move. */
static bool join_piece(ash_aliaser *a, uint32_t op, uint32_t k) {
  ASH_ASSERT(a->g->ops.items[op].output_count == 1);
  uint64_t offset, inside;
  const uint32_t piece = piece_of(a, op, k, &offset);
  const uint32_t whole = a->slot_of[a->g->ops.items[op].outputs[0]];
  if (piece == ASH_NO_ID || whole == ASH_NO_ID)
    return false;
  const ash_slot *slots = a->slots->items;
  const uint32_t root = ash_alias_root(slots, a->slots->count, piece, &inside);
  ASH_ASSERT(root != ASH_NO_ID &&
             offset + slots[piece].size <= slots[whole].size);
  if (inside != 0 || slots[root].size != slots[piece].size)
    return false;
  return ash_alias_join(a, root, whole, offset, ASH_ALIAS_MEMBER);
}

static ash_status join_all(ash_aliaser *a, uint32_t op, ash_profile *best,
                           ash_slot *before, bool *kept) {
  ash_profile now;
  save(a, before);
  *kept = false;
  for (uint32_t k = 0; k < a->g->ops.items[op].input_count; k++)
    *kept |= join_piece(a, op, k);
  if (!*kept)
    return ASH_OK;
  ASH_TRY(ash_alias_profile(a, &now));
  *kept = !ash_profile_worse(now, *best);
  if (*kept)
    *best = now;
  else
    part(a, before);
  return ASH_OK;
}

/* The newest first: it costs the result the fewest steps. */
static ash_status join_some(ash_aliaser *a, uint32_t op, ash_profile *best,
                            ash_slot *before) {
  for (uint32_t k = a->g->ops.items[op].input_count; k-- > 0;) {
    ash_profile now;
    save(a, before);
    if (!join_piece(a, op, k))
      continue;
    ASH_TRY(ash_alias_profile(a, &now));
    if (ash_profile_worse(now, *best))
      part(a, before);
    else
      *best = now;
  }
  return ASH_OK;
}

ash_status ash_alias_concat(ash_aliaser *a) {
  ash_profile best;
  ash_slot *before =
      ASH_NEW_ARRAY(&a->ctx->scratch, ash_slot, a->slots->count + 1u);
  ASH_TRY(ash_zone_check(a->ctx, &a->ctx->scratch));
  ASH_TRY(ash_alias_profile(a, &best));
  for (uint32_t op = 0; op < a->g->op_count; op++) {
    bool kept;
    if (a->g->ops.items[op].kind != ASH_OP_concatenation)
      continue;
    ASH_TRY(join_all(a, op, &best, before, &kept));
    if (!kept)
      ASH_TRY(join_some(a, op, &best, before));
  }
  return ASH_OK;
}

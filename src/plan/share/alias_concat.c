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

/* What already lies in a storage that this input views must stay: only whole
 * storages move. */
static bool join_piece(ash_aliaser *a, uint32_t op, uint32_t k) {
  ASH_ASSERT(a->g->ops.items[op].output_count == 1);
  uint64_t offset;
  const uint32_t piece = piece_of(a, op, k, &offset);
  const uint32_t whole = a->slot_of[a->g->ops.items[op].outputs[0]];
  if (piece == ASH_NO_ID || whole == ASH_NO_ID)
    return false;
  const ash_slot *slots = a->slots->items;
  const uint32_t root = a->storages.root[piece];
  ASH_ASSERT(offset + slots[piece].size <= slots[whole].size);
  if (a->storages.at[piece] != 0 || slots[root].size != slots[piece].size)
    return false;
  return ash_alias_join(a, root, whole, offset, ASH_ALIAS_MEMBER);
}

static ash_status join_all(ash_aliaser *a, uint32_t op, ash_profile *best,
                           bool *kept) {
  const size_t before = a->storages.join_count;
  ash_profile now;
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
    ash_alias_part(a, before);
  return ASH_OK;
}

/* The newest first: it costs the result the fewest steps. */
static ash_status join_some(ash_aliaser *a, uint32_t op, ash_profile *best) {
  for (uint32_t k = a->g->ops.items[op].input_count; k-- > 0;) {
    const size_t before = a->storages.join_count;
    ash_profile now;
    if (ash_alias_is_tired(a) || !join_piece(a, op, k))
      continue;
    ASH_TRY(ash_alias_profile(a, &now));
    if (ash_profile_worse(now, *best))
      ash_alias_part(a, before);
    else
      *best = now;
  }
  return ASH_OK;
}

ash_status ash_alias_concat(ash_aliaser *a) {
  ash_profile best;
  ASH_TRY(ash_alias_profile(a, &best));
  for (uint32_t op = 0; op < a->g->op_count; op++) {
    bool kept;
    if (a->g->ops.items[op].kind != ASH_OP_concatenation ||
        ash_alias_is_tired(a))
      continue;
    ASH_TRY(join_all(a, op, &best, &kept));
    if (!kept)
      ASH_TRY(join_some(a, op, &best));
  }
  return ASH_OK;
}

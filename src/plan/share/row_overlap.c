/* row_overlap.c - new rows that lie over rows that die with them.
 *
 * A window that makes a line pixel by pixel has no use for what it has left
 * behind of the lines that nobody reads after it. The new line may begin some
 * bytes before such a line and end inside it (overlap.c has the same for whole
 * results). Rows that move get such neighbours; rows that stay seldom find
 * them where they are. */
#include "plan/share/row_overlap.h"

#include "base/checked.h"
#include "kernel/frontier.h"

#include <string.h>

/* A step that makes one line, and how close behind its reading. */
typedef struct line {
  const ash_op *op;
  uint32_t step, row;
  int64_t distance;
} line;

static bool find_line(const ash_draft *d, uint32_t step, line *out) {
  const ash_step *s = &d->ask->steps.items[step];
  ASH_ASSERT(step < d->ask->steps.count);
  if (s->op_count != 1 || s->row_count != 1)
    return false;
  const uint32_t op = s->ops[0];
  *out = (line){&d->ask->graph->ops.items[op], step, s->first_row, 0};
  if (out->op->output_count != 1 ||
      !ash_kernel_line_frontier(d->ask->graph, op, d->ask->choices[op].kernel,
                                0, &out->distance))
    return false;
  if (out->distance < 0)
    out->distance = 0;
  return true;
}

/* Does anything else that it reads lie in the bytes of its first input? */
static bool reads_twice(const ash_draft *d, const ash_op *o) {
  const uint32_t *root = d->rows->root;
  ASH_ASSERT(o->input_count > 0);
  for (uint32_t k = 1; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID && root[o->inputs[k]] == root[o->inputs[0]])
      return true;
  return false;
}

/* ---- which there may be -------------------------------------------------- */

typedef struct finder {
  const ash_draft *d;
  const ash_scratch *s;
  const uint32_t *buffer_of;
  const bool *can_move;
} finder;

/* The buffer of a row that can move, or ASH_NO_ID. */
static uint32_t movable(const finder *f, uint32_t tensor, uint32_t row) {
  const ash_slot *slots = f->d->answer->slots;
  const uint32_t count = f->d->ask->slot_count;
  const uint32_t first = f->d->rows->slot_of[tensor];
  const uint32_t slot = first == ASH_NO_ID ? count : first + row;
  ASH_ASSERT(tensor < f->d->ask->graph->tensor_count);
  if (slot >= count || slots[slot].tensor != tensor || !slots[slot].has_row ||
      slots[slot].row != row)
    return ASH_NO_ID;
  const uint32_t b = f->buffer_of[ash_alias_root(slots, count, slot, NULL)];
  return b != ASH_NO_ID && f->can_move[b] ? b : ASH_NO_ID;
}

/* The first row of the input that dies with the line; the bytes of all of
 * them. */
static uint32_t find_dying(const finder *f, const line *l, uint64_t *bytes) {
  const uint32_t root = f->d->rows->root[l->op->inputs[0]];
  const ash_tensor *t = &f->d->ask->graph->tensors.items[root];
  uint32_t found = ASH_NO_ID;
  *bytes = 0;
  ASH_ASSERT(t->shape.rank == 4 && l->distance >= 0);
  for (uint32_t row = 0; row < (uint32_t)t->shape.dim[1]; row++) {
    const uint32_t b = movable(f, root, row);
    if (b == ASH_NO_ID || f->s->buffers[b].upper != l->step + 1 ||
        f->s->buffers[b].lower >= l->step)
      continue;
    *bytes += f->s->buffers[b].size;
    found = found == ASH_NO_ID ? b : found;
  }
  return found;
}

static void find_at(const finder *f, uint32_t step, ash_row_overlaps *out) {
  line l;
  uint64_t bytes;
  if (!find_line(f->d, step, &l) || reads_twice(f->d, l.op))
    return;
  const uint32_t made = movable(f, l.op->outputs[0], l.row);
  if (made == ASH_NO_ID || f->s->buffers[made].lower != step)
    return;
  const uint64_t size = f->s->buffers[made].size;
  const uint32_t dying = find_dying(f, &l, &bytes);
  if (dying == ASH_NO_ID || (uint64_t)l.distance >= size)
    return;
  ASH_ASSERT(made != dying && bytes > 0);
  out->behind[made] = dying;
  out->distance[made] = l.distance;
  out->saved[step] = ash_min_u64(size - (uint64_t)l.distance, bytes);
  out->count++;
}

ash_status ash_find_row_overlaps(ash_draft *d, const ash_scratch *s,
                                 const uint32_t *buffer_of,
                                 const bool *can_move, ash_row_overlaps *out) {
  ash_zone *z = &d->ctx->scratch;
  const finder f = {d, s, buffer_of, can_move};
  *out = (ash_row_overlaps){
      .behind = ASH_NEW_ARRAY(z, uint32_t, s->count + 1u),
      .distance = ASH_NEW_ARRAY(z, int64_t, s->count + 1u),
      .saved = ASH_NEW_ARRAY(z, uint64_t, d->ask->steps.count + 1u)};
  ASH_TRY(ash_zone_check(d->ctx, z));
  for (uint32_t i = 0; i < s->count; i++)
    out->behind[i] = ASH_NO_ID;
  for (uint32_t i = 0; i < d->ask->steps.count; i++)
    find_at(&f, i, out);
  return ASH_OK;
}

/* ---- which there are ----------------------------------------------------- */

static bool meet(const ash_slot *a, const ash_slot *b) {
  return a->binding.role == b->binding.role &&
         a->binding.offset < b->binding.offset + b->size &&
         b->binding.offset < a->binding.offset + a->size &&
         strcmp(a->binding.memory, b->binding.memory) == 0;
}

/* The slot of a row of `tensor` that begins, or ends, with the step. */
static bool is_born(const ash_slot *s, uint32_t tensor, const line *l) {
  return s->tensor == tensor && s->has_row && s->row == l->row &&
         s->moved_from == ASH_NO_ID && s->life.first_step == l->step;
}

static bool dies(const ash_slot *s, uint32_t tensor, const line *l) {
  return s->tensor == tensor && s->has_row && s->life.end_step == l->step + 1 &&
         s->life.first_step <= l->step;
}

static void mark_at(const ash_draft *d, ash_slot *slots, uint32_t count,
                    const line *l) {
  const uint32_t from = d->rows->root[l->op->inputs[0]];
  uint32_t made = 0;
  ASH_ASSERT(l->op->output_count == 1);
  while (made < count && !is_born(&slots[made], l->op->outputs[0], l))
    made++;
  for (uint32_t i = 0; i < count && made < count; i++)
    if (dies(&slots[i], from, l) && meet(&slots[i], &slots[made]))
      slots[made].follows = i;
}

void ash_mark_row_overlaps(const ash_draft *d, ash_slot *slots,
                           uint32_t count) {
  line l;
  for (uint32_t step = 0; step < d->ask->steps.count; step++)
    if (find_line(d, step, &l))
      mark_at(d, slots, count, &l);
}

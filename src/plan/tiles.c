/* tiles.c - what tilings (ashlar/tile.h) mean for a plan: slots for every copy
 * of every tile, for accumulators and work memory, and the homes of tensors as
 * demands. */
#include "plan/planner.h"

#include "base/checked.h"
#include "graph/graph.h"

/* ---- slots --------------------------------------------------------------- */

typedef struct adder {
  ash_ctx *ctx;
  ash_zone *zone;
  ash_slots *slots;
  const ash_graph *g;
  const ash_tiling *tiling;
  uint64_t alignment;
  ash_slot pattern;
} adder;

static ash_status add(const adder *a, const char *id, ash_slot_kind kind,
                      uint64_t size, uint32_t level) {
  ASH_ASSERT(level < a->tiling->level_count);
  ash_slot slot = a->pattern;
  uint32_t made;
  ASH_TRY(ash_zone_check(a->ctx, a->zone));
  slot.id = slot.name = id;
  slot.kind = kind;
  slot.size = size;
  slot.level = level;
  return ash_slots_add(a->ctx, a->zone, a->slots, &made, slot);
}

static ash_status add_buffers(adder *a, uint32_t level, uint32_t operand) {
  ASH_ASSERT(level < a->tiling->level_count);
  ASH_ASSERT(operand < a->tiling->space->operand_count);
  const ash_tiling *t = a->tiling;
  const ash_tile_operand *o = &t->space->operands[operand];
  const ash_tile_buffer *b =
      &t->buffers[level * t->space->operand_count + operand];
  const uint64_t element =
      ash_type_bits(a->g->tensors.items[o->tensor].type) / 8;
  a->pattern.operand = operand;
  a->pattern.alignment = ash_max_u64(a->alignment, element);
  for (uint32_t copy = 0; copy < b->copies; copy++) {
    a->pattern.copy = copy;
    ASH_TRY(add(a,
                ash_zone_format(a->zone, "%s_tile%u_%s%u_%u",
                                a->g->ops.items[t->op].id, (unsigned)level,
                                o->is_output ? "out" : "in",
                                (unsigned)o->position, (unsigned)copy),
                ASH_SLOT_TILE, b->bytes, level));
  }
  return ASH_OK;
}

ash_status ash_slots_add_tiles(ash_ctx *ctx, ash_zone *zone, ash_slots *slots,
                               const ash_graph *g, const ash_tiling *tiling,
                               uint32_t step, uint64_t alignment) {
  ASH_ASSERT(tiling->space && tiling->level_count > 0);
  ASH_ASSERT(tiling->op < g->op_count);
  const char *op = g->ops.items[tiling->op].id;
  const uint32_t last = tiling->level_count - 1;
  adder a = {ctx,
             zone,
             slots,
             g,
             tiling,
             alignment,
             {.tensor = ASH_NO_ID,
              .op = tiling->op,
              .alignment = alignment,
              .life = {step, step + 1},
              .alias_of = ASH_NO_ID,
              .follows = ASH_NO_ID,
              .moved_from = ASH_NO_ID,
              .binding = {.role = ASH_SCRATCH}}};
  for (uint32_t k = 0; k < tiling->level_count; k++)
    for (uint32_t o = 0; o < tiling->space->operand_count; o++)
      ASH_TRY(add_buffers(&a, k, o));
  a.pattern.operand = a.pattern.copy = 0;
  a.pattern.alignment =
      ash_max_u64(alignment, tiling->space->accumulator_bytes);
  if (tiling->accumulator.copies)
    ASH_TRY(add(&a, ash_zone_format(zone, "%s_accumulator", op),
                ASH_SLOT_ACCUMULATOR, tiling->accumulator.bytes, last));
  if (tiling->work.copies)
    ASH_TRY(add(&a, ash_zone_format(zone, "%s_scratch", op), ASH_SLOT_WORK,
                tiling->work.bytes, last));
  return ASH_OK;
}

/* ---- demands ------------------------------------------------------------- */

/* The processor must reach the work memory of an op that is not cut. */
static uint32_t reachable(const ash_device *device, uint32_t memory) {
  ASH_ASSERT(memory < device->memory_count);
  uint32_t path[ASH_MEMORY_MAX];
  const uint32_t count =
      ash_device_path(device, memory, device->compute_memory, path);
  for (uint32_t i = 0; i < count; i++)
    if (device->memories[path[i]].reach_cpu)
      return path[i];
  return device->compute_memory;
}

uint32_t ash_plan_tile_demand(const ash_tilings *tilings,
                              const ash_device *device, const ash_slot *slot) {
  if (slot->tensor != ASH_NO_ID)
    return tilings->home[slot->tensor];
  ASH_ASSERT(slot->op < tilings->count);
  const ash_tiling *t = &tilings->items[slot->op];
  return t->space ? t->levels[slot->level].memory
                  : reachable(device, device->default_memory);
}

/* Homes become what the rules would have said. */
ash_status ash_plan_tile_homes(ash_ctx *ctx, ash_constraints *rules,
                               const ash_graph *g, const ash_tilings *tilings) {
  ash_tensor_attributes *own =
      ASH_NEW_ARRAY(&ctx->keep, ash_tensor_attributes, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  for (size_t i = 0; i < g->tensor_count; i++) {
    own[i] = rules->tensors[i];
    if (own[i].memory == ASH_NO_MEMORY)
      own[i].memory = tilings->home[i];
  }
  rules->tensors = own;
  return ASH_OK;
}

void ash_plan_tile_reasons(ash_slot *slots, uint32_t count,
                           const ash_tilings *tilings) {
  static const char *const why[] = {
      "its home", "work memory, where its kernel runs",
      "a tile, in the memory of its level", "sums, where the kernel runs"};
  for (uint32_t i = 0; i < count; i++)
    if (slots[i].binding.role == ASH_SCRATCH && slots[i].alias_of == ASH_NO_ID)
      slots[i].reason =
          tilings->stays && slots[i].tensor != ASH_NO_ID &&
                  tilings->stays[slots[i].tensor]
              ? "it stays where kernels read it, until its last reader"
              : why[slots[i].kind];
}

/* ---- the plan's copy ----------------------------------------------------- */

static void take_slot(ash_tiling *t, ash_tile_buffer *buffers,
                      const ash_slot *s, uint32_t index) {
  ASH_ASSERT(s->tensor == ASH_NO_ID && s->level < t->level_count);
  if (s->kind == ASH_SLOT_ACCUMULATOR)
    t->accumulator.slot = index;
  if (s->kind == ASH_SLOT_WORK)
    t->work.slot = index;
  if (s->kind == ASH_SLOT_TILE && s->copy == 0)
    buffers[s->level * t->space->operand_count + s->operand].slot = index;
}

ash_status ash_plan_tile_bind(ash_ctx *ctx, const ash_tilings **out,
                              const ash_tilings *from, const ash_slot *slots,
                              uint32_t slot_count) {
  ASH_ASSERT(from->count == 0 || from->items != NULL);
  ash_zone *z = &ctx->keep;
  ash_tilings *made = ASH_NEW(z, ash_tilings);
  ash_tiling *items = ASH_NEW_ARRAY(z, ash_tiling, from->count + 1u);
  ash_tile_buffer **own =
      ASH_NEW_ARRAY(&ctx->scratch, ash_tile_buffer *, from->count + 1u);
  *out = NULL;
  ASH_TRY(ash_zone_check(ctx, z));
  ASH_TRY(ash_zone_check(ctx, &ctx->scratch));
  for (uint32_t i = 0; i < from->count; i++) {
    items[i] = from->items[i];
    if (!items[i].space)
      continue;
    const size_t count =
        (size_t)items[i].level_count * items[i].space->operand_count;
    ash_tile_buffer *buffers = ASH_NEW_ARRAY(z, ash_tile_buffer, count + 1);
    ASH_TRY(ash_zone_check(ctx, z));
    for (size_t k = 0; k < count; k++)
      buffers[k] = from->items[i].buffers[k];
    items[i].buffers = buffers;
    own[i] = buffers;
  }
  for (uint32_t s = 0; s < slot_count; s++)
    if (slots[s].tensor == ASH_NO_ID && items[slots[s].op].space)
      take_slot(&items[slots[s].op], own[slots[s].op], &slots[s], s);
  *made = *from;
  made->items = items;
  *out = made;
  return ASH_OK;
}

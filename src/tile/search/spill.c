/* spill.c - homes that are too full: constants go first, largest first, then
 * what is alive at the fullest step, to the next memory of the device's order
 * from where a way leads to the compute memory. */
#include "base/checked.h"
#include "graph/graph.h"
#include "tile/hierarchy.h"

#include <inttypes.h>

static uint64_t limit_of(const ash_hierarchy *h, uint32_t memory) {
  ASH_ASSERT(memory < h->device->memory_count);
  return h->ask->memories[memory].max_size / 1024 *
         ash_min_u64(1024, h->options->spill);
}

/* The fullest step of a memory that is too full; false: none is. */
static bool find_full(const ash_hierarchy *h, uint32_t memory, uint32_t *step) {
  uint64_t most = limit_of(h, memory);
  bool found = false;
  for (uint32_t s = 0; s < h->step_count; s++)
    if (h->taken[memory][s] > most) {
      most = h->taken[memory][s];
      *step = s;
      found = true;
    }
  ASH_ASSERT(!found || *step < h->step_count);
  return found;
}

static uint64_t bytes_of(const ash_hierarchy *h, uint32_t tensor) {
  ASH_ASSERT(tensor < h->g->tensor_count);
  return ash_align_up(h->g->tensors.items[tensor].bytes, 8);
}

static bool takes(const ash_hierarchy *h, uint32_t memory, uint32_t tensor) {
  ASH_ASSERT(memory < h->device->memory_count);
  const ash_memory *m = &h->device->memories[memory];
  const ash_use *u = &h->uses[tensor];
  uint32_t path[ASH_MEMORY_MAX];
  if (m->kind != ASH_MEMORY_RAM &&
      h->g->tensors.items[tensor].kind != ASH_TENSOR_CONSTANT)
    return false;
  if (!ash_device_path(h->device, memory, h->device->compute_memory, path))
    return false;
  for (uint32_t s = u->first; s < u->end; s++)
    if (h->taken[memory][s] + bytes_of(h, tensor) > limit_of(h, memory))
      return false;
  return true;
}

/* The next memory of the order behind the tensor's home that takes it. */
static uint32_t next_home(const ash_hierarchy *h, uint32_t tensor) {
  bool behind = false;
  for (uint32_t i = 0; i < h->device->order_count; i++) {
    const uint32_t m = h->device->order[i];
    if (behind && takes(h, m, tensor))
      return m;
    behind |= m == h->home[tensor];
  }
  return ASH_NO_MEMORY;
}

static void note_moves(const ash_hierarchy *h, uint32_t memory, uint32_t count,
                       uint64_t bytes) {
  if (count)
    ash_note(h->ctx, ASH_D_tile_spill, ASH_NOWHERE,
             "%s is too small for all that lives there: %u tensors, %" PRIu64
             " bytes, live in slower memories",
             h->device->memories[memory].name, (unsigned)count, bytes);
}

static void move(ash_hierarchy *h, uint32_t tensor, uint32_t to) {
  ASH_ASSERT(to < h->device->memory_count && to != h->home[tensor]);
  ash_hierarchy_leave(h, tensor);
  ash_hierarchy_enter(h, to, h->g->tensors.items[tensor].bytes,
                      h->uses[tensor]);
  h->home[tensor] = to;
}

/* Who goes: the largest constant, else the largest of the others. */
static uint32_t find_victim(const ash_hierarchy *h, uint32_t memory,
                            uint32_t step, uint32_t *to) {
  ASH_ASSERT(step < h->step_count);
  uint32_t best = ASH_NO_ID;
  for (int pass = 0; pass < 2 && best == ASH_NO_ID; pass++)
    for (uint32_t i = 0; i < h->g->tensor_count; i++) {
      const ash_tensor *t = &h->g->tensors.items[i];
      const bool constant = t->kind == ASH_TENSOR_CONSTANT;
      if (h->home[i] != memory || h->ruled[i] || constant != (pass == 0) ||
          h->uses[i].first > step || step >= h->uses[i].end || t->bytes == 0 ||
          (best != ASH_NO_ID && t->bytes <= h->g->tensors.items[best].bytes))
        continue;
      const uint32_t next = next_home(h, i);
      if (next == ASH_NO_MEMORY)
        continue;
      best = i;
      *to = next;
    }
  return best;
}

ash_status ash_hierarchy_spill(ash_hierarchy *h) {
  ASH_ASSERT(h->options->spill > 0);
  for (uint32_t m = 0; m < h->device->memory_count; m++) {
    uint32_t step = 0, to = ASH_NO_MEMORY, count = 0;
    uint64_t bytes = 0;
    while (find_full(h, m, &step)) {
      const uint32_t victim = find_victim(h, m, step, &to);
      if (victim == ASH_NO_ID)
        break; /* the planner will say what is too much */
      move(h, victim, to);
      count++;
      bytes += h->g->tensors.items[victim].bytes;
    }
    note_moves(h, m, count, bytes);
  }
  return ASH_OK;
}

/* power.c - how many banks of a memory must have power. Arenas are taken to lie
 * one behind the other from the memory's start, behind the device's reserve:
 * stack and heap need power too. */
#include "plan/planner.h"

#include "base/checked.h"

#include <string.h>

uint64_t ash_arenas_in(const ash_draft *d, uint32_t memory) {
  ASH_ASSERT(memory < d->ask->device->memory_count);
  const char *name = d->ask->device->memories[memory].name;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < d->answer->arena_count; i++) {
    const ash_arena *a = &d->answer->arenas[i];
    const uint64_t bytes = ash_align_up(a->size, a->alignment);
    if (strcmp(a->memory, name) == 0)
      sum += bytes;
    if (strcmp(a->memory, a->source_memory) != 0 &&
        strcmp(a->source_memory, name) == 0)
      sum += bytes;
  }
  return sum;
}

uint64_t ash_banks_powered(const ash_draft *d, uint32_t memory,
                           uint64_t bytes) {
  ASH_ASSERT(memory < d->ask->device->memory_count);
  const ash_memory *m = &d->ask->device->memories[memory];
  if (m->bank_bytes == 0)
    return 0;
  return ash_ceil_div(m->reserve_bytes + ash_arenas_in(d, memory) + bytes,
                      m->bank_bytes);
}

ash_status ash_count_power(ash_draft *d, ash_plan *plan) {
  const ash_device *device = d->ask->device;
  ash_power *power =
      ASH_NEW_ARRAY(&d->ctx->keep, ash_power, device->memory_count + 1u);
  ASH_TRY(ash_zone_check(d->ctx, &d->ctx->keep));
  for (uint32_t i = 0; i < device->memory_count; i++) {
    const ash_memory *m = &device->memories[i];
    const uint64_t arenas = ash_arenas_in(d, i);
    if (m->bank_bytes == 0 || arenas == 0)
      continue;
    power[plan->power_count++] =
        (ash_power){.memory = m->name,
                    .bank_bytes = m->bank_bytes,
                    .used = m->reserve_bytes + arenas,
                    .powered = ash_banks_powered(d, i, 0),
                    .banks = ash_ceil_div(m->bytes, m->bank_bytes)};
  }
  plan->power = power;
  return ASH_OK;
}

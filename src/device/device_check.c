/* device_check.c - does the whole make sense? Works on the finished record, so
 * that a device changed by ash_device_set_bytes passes the same checks. */
#include "device/device.h"

#include <string.h>

static bool lists(const ash_memory *m, uint32_t other) {
  for (uint32_t i = 0; i < m->neighbour_count; i++)
    if (m->neighbours[i] == other)
      return true;
  return false;
}

static ash_status check_symmetric(ash_ctx *ctx, const ash_device *d) {
  for (uint32_t a = 0; a < d->memory_count; a++) {
    const ash_memory *m = &d->memories[a];
    for (uint32_t i = 0; i < m->neighbour_count; i++) {
      const ash_memory *other = &d->memories[m->neighbours[i]];
      if (lists(other, a))
        continue;
      const ash_status status =
          ash_fail(ctx, ASH_MALFORMED, ASH_D_device_neighbour_asymmetric,
                   ash_device_loc(d, other->line),
                   "%s is a neighbour of %s, but does not list it", other->name,
                   m->name);
      ash_hint(ctx, "add %s to the neighbours of %s", m->name, other->name);
      return status;
    }
  }
  return ASH_OK;
}

static bool overlap(const ash_memory *a, const ash_memory *b) {
  return a->base != ASH_NO_BASE && b->base != ASH_NO_BASE &&
         a->base < b->base + b->bytes && b->base < a->base + a->bytes;
}

static ash_status check_ranges(ash_ctx *ctx, const ash_device *d) {
  for (uint32_t b = 1; b < d->memory_count; b++)
    for (uint32_t a = 0; a < b; a++) {
      const ash_memory *x = &d->memories[a], *y = &d->memories[b];
      if (!overlap(x, y))
        continue;
      const ash_status status = ash_fail(
          ctx, ASH_MALFORMED, ASH_D_device_overlap, ash_device_loc(d, y->line),
          "%s [0x%llx, 0x%llx) overlaps %s [0x%llx, 0x%llx)", y->name,
          (unsigned long long)y->base, (unsigned long long)y->base + y->bytes,
          x->name, (unsigned long long)x->base,
          (unsigned long long)x->base + x->bytes);
      ash_hint(ctx, "leave out 'base' where the address is not fixed");
      return status;
    }
  return ASH_OK;
}

static ash_status check_reserves(ash_ctx *ctx, const ash_device *d) {
  for (uint32_t i = 0; i < d->memory_count; i++) {
    const ash_memory *m = &d->memories[i];
    if (m->reserve_bytes > m->bytes)
      return ash_fail(
          ctx, ASH_MALFORMED, ASH_D_device_reserve, ash_device_loc(d, m->line),
          "%s has %llu bytes, of which %llu are reserved", m->name,
          (unsigned long long)m->bytes, (unsigned long long)m->reserve_bytes);
  }
  return ASH_OK;
}

static ash_status check_writable(ash_ctx *ctx, const ash_device *d,
                                 uint32_t memory, const char *role) {
  if (memory == ASH_NO_MEMORY || d->memories[memory].kind == ASH_MEMORY_RAM)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_role,
                  ash_device_loc(d, d->memories[memory].line),
                  "the %s memory %s is nvm; it must be ram", role,
                  d->memories[memory].name);
}

static ash_status check_compute(ash_ctx *ctx, const ash_device *d) {
  if (d->compute_memory == ASH_NO_MEMORY)
    return ASH_OK;
  const ash_memory *compute = &d->memories[d->compute_memory];
  uint32_t path[ASH_MEMORY_MAX];
  if (!compute->reach_cpu)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_compute,
                    ash_device_loc(d, compute->line),
                    "the processor does not reach the compute memory %s",
                    compute->name);
  if (ash_device_path(d, d->default_memory, d->compute_memory, path))
    return ASH_OK;
  const ash_status status = ash_fail(
      ctx, ASH_MALFORMED, ASH_D_device_compute,
      ash_device_loc(d, compute->line),
      "no way leads from the default memory %s to the compute memory %s",
      d->memories[d->default_memory].name, compute->name);
  ash_hint(ctx, "connect them with 'neighbours', directly or through others");
  return status;
}

/* Vectors that are loaded from multiples of their size alone. */
static ash_status check_alignment(ash_ctx *ctx, const ash_device *d) {
  enum { VECTOR = 16 };
  for (uint32_t i = 0; d->features.pie && i < d->memory_count; i++) {
    const ash_memory *m = &d->memories[i];
    if (m->alignment % VECTOR == 0)
      continue;
    const ash_status status = ash_fail(
        ctx, ASH_MALFORMED, ASH_D_device_alignment, ash_device_loc(d, m->line),
        "%s has an alignment of %u; the feature 'pie' needs %d", m->name,
        (unsigned)m->alignment, VECTOR);
    ash_hint(ctx, "say 'alignment: %d' for the device", VECTOR);
    return status;
  }
  return ASH_OK;
}

static ash_status check_dmas(ash_ctx *ctx, const ash_device *d) {
  for (uint32_t i = 0; i < d->dma_count; i++) {
    const uint32_t memories = d->dmas[i].memories;
    if ((memories & (memories - 1)) == 0) /* none or one */
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_dma,
                      ash_device_loc(d, d->dmas[i].line),
                      "the DMA engine %s reaches fewer than two memories",
                      d->dmas[i].name);
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(d->dmas[i].name, d->dmas[k].name) == 0)
        return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_duplicate,
                        ash_device_loc(d, d->dmas[i].line),
                        "the DMA engine %s is already described in line %u",
                        d->dmas[i].name, (unsigned)d->dmas[k].line);
  }
  return ASH_OK;
}

ash_status ash_device_check(ash_ctx *ctx, const ash_device *device) {
  ASH_TRY(check_symmetric(ctx, device));
  ASH_TRY(check_ranges(ctx, device));
  ASH_TRY(check_reserves(ctx, device));
  ASH_TRY(check_writable(ctx, device, device->default_memory, "default"));
  ASH_TRY(check_writable(ctx, device, device->compute_memory, "compute"));
  ASH_TRY(check_compute(ctx, device));
  ASH_TRY(check_alignment(ctx, device));
  return check_dmas(ctx, device);
}

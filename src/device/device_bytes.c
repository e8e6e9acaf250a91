/* device_bytes.c - sizes as people write them, and what-if sizes. */
#include "base/checked.h"
#include "base/number.h"
#include "device/device.h"

#include <stdio.h>
#include <string.h>

bool ash_parse_bytes(uint64_t *out, const char *text) {
  if (!(out && text))
    return false;
  static const struct {
    const char *name;
    uint64_t bytes;
  } unit[] = {{"", 1},          {"K", 1 << 10}, {"k", 1 << 10},
              {"KiB", 1 << 10}, {"M", 1 << 20}, {"m", 1 << 20},
              {"MiB", 1 << 20}, {"G", 1 << 30}, {"g", 1 << 30},
              {"GiB", 1 << 30}};
  const char *end;
  uint64_t count;
  *out = 0;
  if (!ash_number_u64(&count, text, &end))
    return false;
  for (size_t i = 0; i < ASH_COUNT_OF(unit); i++)
    if (strcmp(end, unit[i].name) == 0)
      return ash_mul_u64(out, count, unit[i].bytes);
  return false;
}

const char *ash_format_bytes(char *buf, size_t size, uint64_t bytes) {
  if (!(buf && size))
    return "";
  static const char unit[] = {'\0', 'K', 'M', 'G'};
  size_t i = 0;
  while (i < 3 && bytes && bytes % 1024 == 0) {
    bytes /= 1024;
    i++;
  }
  (void)snprintf(buf, size, "%llu%.1s", (unsigned long long)bytes, &unit[i]);
  return buf;
}

/* A memory that grew over the next one has no true address any more. */
static void forget_base_if_grown(ash_ctx *ctx, const ash_device *d,
                                 ash_memory *m) {
  for (uint32_t i = 0; i < d->memory_count; i++) {
    const ash_memory *other = &d->memories[i];
    if (other == m || m->base == ASH_NO_BASE || other->base == ASH_NO_BASE ||
        m->base >= other->base + other->bytes ||
        (other->base > m->base && m->bytes <= other->base - m->base))
      continue;
    m->base = ASH_NO_BASE;
    ash_note(ctx, ASH_D_device_base_forgotten, ash_device_loc(d, m->line),
             "with %llu bytes %s reaches into %s: its address is not used",
             (unsigned long long)m->bytes, m->name, other->name);
  }
}

ash_status ash_device_set_bytes(ash_ctx *ctx, const ash_device **device,
                                const char *memory, uint64_t bytes) {
  ASH_NEED(ctx, ctx && device && *device && memory);
  uint32_t index;
  ASH_TRY(ash_device_find_memory(ctx, &index, *device, memory));
  if (bytes == 0 || bytes > (uint64_t)1 << 48)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_bytes, ASH_NOWHERE,
                    "%s cannot have %llu bytes", memory,
                    (unsigned long long)bytes);
  ash_device *d = ash_zone_copy(&ctx->keep, *device, sizeof **device);
  ash_memory *memories =
      ash_zone_copy(&ctx->keep, (*device)->memories,
                    (*device)->memory_count * sizeof(ash_memory));
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  d->memories = memories;
  memories[index].bytes = bytes;
  memories[index].is_set = true;
  forget_base_if_grown(ctx, d, &memories[index]);
  ASH_TRY(ash_device_check(ctx, d));
  *device = d;
  return ASH_OK;
}

/* device.c - finding devices and asking them questions. */
#include "device/device.h"
#include "base/embedded.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/text.h"

#include <string.h>

extern const ash_embedded ash_device_texts[]; /* in the order of builtin.def */

/* ---- built-in and user devices ------------------------------------------ */

static const char *const builtin_names[] = {
#define DEVICE(name) name,
#include "device/builtin.def"
#undef DEVICE
};

const char *ash_device_builtin(size_t index) {
  return index < ASH_COUNT_OF(builtin_names) ? builtin_names[index] : NULL;
}

static const ash_embedded *find_text(const char *name) {
  for (size_t i = 0; i < ASH_COUNT_OF(builtin_names); i++)
    if (strcmp(builtin_names[i], name) == 0)
      return &ash_device_texts[i];
  return NULL;
}

static bool ends_with(const char *text, const char *end) {
  const size_t count = strlen(text), end_count = strlen(end);
  return count >= end_count && strcmp(text + count - end_count, end) == 0;
}

static bool is_path(const char *name) {
  return strchr(name, '/') || ends_with(name, ".yaml") ||
         ends_with(name, ".yml") || ends_with(name, ".json");
}

static ash_status load_file(ash_ctx *ctx, const ash_device **out,
                            const char *path) {
  ash_file file;
  ash_status status = ash_file_read(ctx, &file, path);
  if (status == ASH_OK)
    status =
        ash_device_parse(ctx, out, (const char *)file.bytes, file.count, path);
  ash_file_drop(&file);
  return status;
}

static ash_status fail_unknown(ash_ctx *ctx, const char *name) {
  ash_nearest near;
  ash_nearest_init(&near, name);
  for (size_t i = 0; ash_device_builtin(i); i++)
    ash_nearest_offer(&near, ash_device_builtin(i));
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_unknown, ASH_NOWHERE,
               "there is no built-in device '%.60s'", name);
  if (ash_nearest_word(&near))
    ash_hint(ctx,
             "did you mean '%s'? 'ashlar targets' lists all; a file needs "
             "the ending .yaml",
             ash_nearest_word(&near));
  else
    ash_hint(ctx, "'ashlar targets' lists all; a file needs the ending .yaml");
  return status;
}

ash_status ash_device_load(ash_ctx *ctx, const ash_device **out,
                           const char *name_or_path) {
  ASH_NEED(ctx, ctx && out && name_or_path);
  *out = NULL;
  if (is_path(name_or_path))
    return load_file(ctx, out, name_or_path);
  const ash_embedded *builtin = find_text(name_or_path);
  if (!builtin)
    return fail_unknown(ctx, name_or_path);
  return ash_device_parse(ctx, out, builtin->text, builtin->bytes,
                          builtin->name);
}

/* ---- memories by name --------------------------------------------------- */

static int upper(char c) {
  return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
}

static bool same_name(const char *a, const char *b) {
  while (*a && upper(*a) == upper(*b))
    a++, b++;
  return upper(*a) == upper(*b);
}

uint32_t ash_device_memory_named(const ash_device *device, const char *name) {
  for (uint32_t i = 0; i < device->memory_count; i++)
    if (same_name(device->memories[i].name, name))
      return i;
  return ASH_NO_MEMORY;
}

void ash_device_hint_memory(ash_ctx *ctx, const ash_device *device,
                            const char *name) {
  ash_nearest near;
  ash_nearest_init(&near, name);
  for (uint32_t i = 0; i < device->memory_count; i++)
    ash_nearest_offer(&near, device->memories[i].name);
  if (ash_nearest_word(&near)) {
    ash_hint(ctx, "did you mean '%s'?", ash_nearest_word(&near));
    return;
  }
  ash_text names;
  ash_text_init(&names, &ctx->mem);
  for (uint32_t i = 0; i < device->memory_count; i++)
    ash_text_format(&names, "%s%s", i ? ", " : "", device->memories[i].name);
  ash_text_put(&names, "", 1);
  if (!names.failed)
    ash_hint(ctx, "%s has: %s", device->name, names.bytes);
  ash_text_drop(&names);
}

ash_status ash_device_find_memory(ash_ctx *ctx, uint32_t *out,
                                  const ash_device *device, const char *name) {
  ASH_NEED(ctx, ctx && out && device);
  name = name ? name : "";
  *out = ash_device_memory_named(device, name);
  if (*out != ASH_NO_MEMORY)
    return ASH_OK;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_memory_unknown,
               ASH_NOWHERE, /* who asked is wrong, not the device's file */
               "the device %s has no memory '%.40s'", device->name, name);
  ash_device_hint_memory(ctx, device, name);
  return status;
}

ash_loc ash_device_loc(const ash_device *device, uint32_t line) {
  ash_loc loc = ASH_NOWHERE;
  loc.file = device->file;
  loc.line = line;
  return loc;
}

/* ---- questions ---------------------------------------------------------- */

uint64_t ash_device_memory_budget(const ash_memory *memory) {
  if (!memory)
    return 0;
  return memory->bytes - memory->reserve_bytes;
}

/* Breadth first; of several shortest ways the one through neighbours listed
 * first. `came[i]` is one more than the memory before i, 0: not seen. */
uint32_t ash_device_path(const ash_device *device, uint32_t from, uint32_t to,
                         uint32_t path[ASH_MEMORY_MAX]) {
  if (!(device && from < device->memory_count && to < device->memory_count &&
        path))
    return 0;
  uint32_t came[ASH_MEMORY_MAX] = {0}, queue[ASH_MEMORY_MAX], head = 0,
           tail = 0;
  queue[tail++] = from;
  came[from] = from + 1;
  while (head < tail && !came[to]) {
    const uint32_t at = queue[head++];
    const ash_memory *m = &device->memories[at];
    if (at != from && m->kind != ASH_MEMORY_RAM)
      continue;
    for (uint32_t i = 0; i < m->neighbour_count; i++) {
      if (came[m->neighbours[i]])
        continue;
      came[m->neighbours[i]] = at + 1;
      queue[tail++] = m->neighbours[i];
    }
  }
  if (!came[to])
    return 0;
  uint32_t count = 1;
  for (uint32_t at = to; at != from; at = came[at] - 1)
    count++;
  for (uint32_t at = to, i = count; i-- > 0; at = came[at] - 1)
    path[i] = at;
  return count;
}

uint32_t ash_device_dma(const ash_device *device, uint32_t from, uint32_t to) {
  if (!(device && from < device->memory_count && to < device->memory_count))
    return ASH_NO_DMA;
  const uint32_t both = 1u << from | 1u << to;
  uint32_t best = ASH_NO_DMA;
  for (uint32_t i = 0; i < device->dma_count; i++) {
    const ash_dma *dma = &device->dmas[i];
    if ((dma->memories & both) != both)
      continue;
    if (best == ASH_NO_DMA ||
        dma->bytes_per_kilocycle > device->dmas[best].bytes_per_kilocycle)
      best = i;
  }
  return best;
}

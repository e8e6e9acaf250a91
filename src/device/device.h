/* device.h - how the parts of the device module talk to each other. Reading
 * has three steps: device_read.c turns keys into records and checks single
 * values, device_link.c turns names into indices, device_check.c asks whether
 * the whole makes sense. */
#ifndef ASH_DEVICE_DEVICE_H
#define ASH_DEVICE_DEVICE_H

#include "ashlar/device.h"
#include "base/yaml.h"

/* A device being read: the same records, still writable. */
typedef struct ash_device_draft {
  ash_ctx *ctx;
  ash_device *device;
  ash_memory *memories;
  ash_dma *dmas;
  const ash_yaml *root;
  const ash_yaml *memory_nodes[ASH_MEMORY_MAX];
  const ash_yaml *dma_nodes[ASH_DMA_MAX];
} ash_device_draft;

ash_status ash_device_link(ash_device_draft *draft);
ash_status ash_device_check(ash_ctx *ctx, const ash_device *device);

/* By name, not counting case; ASH_NO_MEMORY if there is none. */
uint32_t ash_device_memory_named(const ash_device *device, const char *name);
/* The newest diagnostic gets the nearest memory name, or all names. */
void ash_device_hint_memory(ash_ctx *ctx, const ash_device *device,
                            const char *name);

ash_loc ash_device_loc(const ash_device *device, uint32_t line);

#endif

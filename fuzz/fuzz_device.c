/* fuzz_device.c - any bytes as a device file. What is accepted must survive a
 * dump and a second reading unchanged. */
#include "ashlar/device.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void reload(ash_ctx *ctx, const ash_device *device) {
  const char *one, *two;
  size_t one_count, two_count;
  if (ash_device_dump(ctx, &one, &one_count, device) != ASH_OK)
    abort();
  if (ash_device_parse(ctx, &device, one, one_count, "dump") != ASH_OK)
    abort();
  if (ash_device_dump(ctx, &two, &two_count, device) != ASH_OK)
    abort();
  if (one_count != two_count || memcmp(one, two, one_count) != 0)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  ash_ctx *ctx;
  const ash_device *device;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  if (ash_device_parse(ctx, &device, (const char *)bytes, count, "fuzz") ==
      ASH_OK)
    reload(ctx, device);
  ash_ctx_free(ctx);
  return 0;
}

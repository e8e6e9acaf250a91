/* library.c - uses the installed library: plans a model for a device and
 * prints the bytes of its first arena. */
#include <ashlar/compile.h>

#include <stdio.h>

int main(int argc, char **argv) {
  ash_ctx *ctx;
  const ash_device *device;
  ash_compiled result;
  if (argc != 2 || ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 1;
  if (ash_device_load(ctx, &device, "apollo510") != ASH_OK ||
      ash_compile(ctx, &result, argv[1], device, NULL) != ASH_OK)
    return 2;
  printf("%s %llu\n", ash_version(),
         (unsigned long long)result.plan->arenas[0].size);
  ash_compiled_drop(&result);
  ash_ctx_free(ctx);
  return 0;
}

/* fuzz_elf.c - any bytes as firmware, compared with a plan; every symbol's name
 * must end inside the file. */
#include "ashlar/firmware.h"
#include "elf/elf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct span {
  const char *from, *to;
} span;

static void check_name(void *user, const ash_elf_symbol *symbol) {
  const span *file = user;
  const char *end = symbol->name + strlen(symbol->name);
  if (symbol->name < file->from || end >= file->to)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char plan[] =
      "{\"model\": \"n\", \"target\": \"apollo510\", \"arenas\": [{\"role\": "
      "\"scratch\", \"memory\": \"DTCM\", \"source_memory\": \"DTCM\", "
      "\"size\": 64, \"alignment\": 16}]}";
  span file = {(const char *)data, (const char *)data + size};
  ash_ctx *ctx;
  ash_elf elf;
  size_t checked;
  if (ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 0;
  if (ash_elf_open(ctx, &elf, data, size, "f.elf") == ASH_OK &&
      ash_elf_symbols(ctx, &elf, check_name, &file) == ASH_INTERNAL)
    abort();
  const ash_plan_text text = {plan, sizeof plan - 1, "plan.json"};
  if (ash_check_elf(ctx, &checked, data, size, "f.elf", &text, NULL) ==
      ASH_INTERNAL)
    abort();
  ash_ctx_free(ctx);
  return 0;
}

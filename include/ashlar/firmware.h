/* ashlar/firmware.h - compares linked firmware with a plan: is every arena in
 * its memory? */
#ifndef ASHLAR_FIRMWARE_H
#define ASHLAR_FIRMWARE_H

#include "ashlar/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ash_firmware_options {
  size_t struct_bytes;
  const char *prefix; /* of the module; NULL: made from the model's name */
  const ash_device *device; /* NULL: the built-in device of the plan's name */
  bool allow_missing; /* missing symbols are not errors                  */
} ash_firmware_options;

/* Compares an ELF file (32 or 64 bits, little-endian) with a plan as written by
 * ash_plan_json: each arena's symbol must lie inside its memory, aligned and as
 * large as planned. Every violation is a diagnostic that names the symbol;
 * ASH_MALFORMED if there is one. `checked` is the number of symbols looked at.
 * `elf_file` is what messages call it. */
ASH_API ASH_MUST_CHECK ash_status
ash_check_elf(ash_ctx *ctx, size_t *checked, const void *elf, size_t elf_bytes,
              const char *elf_file, const ash_plan_text *plan,
              const ash_firmware_options *options);

#ifdef __cplusplus
}
#endif
#endif

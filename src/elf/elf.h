/* elf.h - the symbols of a little-endian ELF file, 32 or 64 bits. Bounded: no
 * byte of the file is trusted, nothing outside of it is read. */
#ifndef ASH_ELF_ELF_H
#define ASH_ELF_ELF_H

#include "base/ctx.h"

typedef struct ash_elf {
  const uint8_t *bytes;
  uint64_t count;
  const char *file; /* for messages */
  bool wide;        /* 64 bits */
  uint64_t sections_at, section_bytes, section_count;
} ash_elf;

typedef struct ash_elf_symbol {
  const char *name; /* NUL-ended, inside the file */
  uint64_t address, size;
  bool is_object; /* or of no type, as assemblers leave it */
} ash_elf_symbol;

/* Accepts linked files only. `bytes` must stay. */
ash_status ash_elf_open(ash_ctx *ctx, ash_elf *out, const void *bytes,
                        size_t count, const char *file);

/* Calls `visit` for every defined, named symbol, in the order of the file. */
ash_status ash_elf_symbols(ash_ctx *ctx, const ash_elf *elf,
                           void (*visit)(void *user,
                                         const ash_elf_symbol *symbol),
                           void *user);

#endif

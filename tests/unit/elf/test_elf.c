/* test_elf.c - firmware made by hand, byte for byte: 32 and 64 bits, right and
 * wrong, whole and cut off. */
#include "ashlar/firmware.h"
#include "check.h"
#include "elf/elf.h"

#include <stdio.h>

enum { SYMBOLS = 4, BYTES = 1024 };

static const char plan[] =
    "{\"schema\": \"ashlar-plan-1\", \"model\": \"net\", \"target\": "
    "\"apollo510\", \"arenas\": [\n"
    "{\"role\": \"scratch\", \"memory\": \"SRAM\", \"source_memory\": \"SRAM\","
    " \"size\": 256, \"alignment\": 16},\n"
    "{\"role\": \"constant\", \"memory\": \"DTCM\", \"source_memory\": "
    "\"MRAM\", \"size\": 64, \"alignment\": 16}]}";

typedef struct image {
  uint8_t bytes[BYTES];
  size_t count;
  bool wide;
} image;

typedef struct row {
  const char *name;
  uint64_t address, size;
} row;

static const row right[SYMBOLS] = {
    {"net_arena_sram", 0x20080000, 256},
    {"net_arena_const_dtcm", 0x20000010, 64},
    {"net_arena_const_dtcm__source", 0x410000, 0},
    {"main", 0x410100, 8}};

static void put(image *f, size_t at, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; i++)
    f->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static void put_word(image *f, size_t at, size_t narrow, size_t wide,
                     uint64_t value) {
  put(f, at + (f->wide ? wide : narrow), value, f->wide ? 8 : 4);
}

static void put_section(image *f, size_t index, uint32_t type, uint64_t at,
                        uint64_t bytes, uint32_t link, uint64_t entry) {
  const size_t here = 64 + index * (f->wide ? 64 : 40);
  put(f, here + 4, type, 4);
  put_word(f, here, 16, 24, at);
  put_word(f, here, 20, 32, bytes);
  put(f, here + (f->wide ? 40 : 24), link, 4);
  put_word(f, here, 36, 56, entry);
}

/* Header at 0, sections at 64 (none, symbols, names), symbols at 256, names at
 * 512. */
static image make(const row *rows, bool wide) {
  image f = {.count = BYTES, .wide = wide};
  const size_t entry = wide ? 24 : 16;
  size_t name = 1;
  memcpy(f.bytes, "\177ELF", 4);
  f.bytes[4] = wide ? 2 : 1;
  f.bytes[5] = 1;
  put(&f, 16, 2, 2);
  put_word(&f, 0, 32, 40, 64);
  put(&f, wide ? 58 : 46, wide ? 64 : 40, 2);
  put(&f, wide ? 60 : 48, 3, 2);
  put_section(&f, 1, 2, 256, (SYMBOLS + 1) * entry, 2, entry);
  put_section(&f, 2, 3, 512, 256, 0, 0);
  for (size_t i = 0; i < SYMBOLS; i++) {
    const size_t at = 256 + (i + 1) * entry;
    put(&f, at, name, 4);
    put_word(&f, at, 4, 8, rows[i].address);
    put_word(&f, at, 8, 16, rows[i].size);
    put(&f, at + (wide ? 4 : 12), 1, 1);
    put(&f, at + (wide ? 6 : 14), 1, 2);
    memcpy(f.bytes + 512 + name, rows[i].name, strlen(rows[i].name));
    name += strlen(rows[i].name) + 1;
  }
  return f;
}

static ash_status check_bytes(ash_ctx *ctx, const void *bytes, size_t count,
                              const ash_firmware_options *options) {
  const ash_plan_text text = {plan, sizeof plan - 1, "plan.json"};
  size_t checked;
  ash_ctx_forget(ctx);
  return ash_check_elf(ctx, &checked, bytes, count, "f.elf", &text, options);
}

static bool said(ash_ctx *ctx, uint32_t id, const char *text) {
  size_t count;
  const ash_diag *d = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++)
    if (d[i].id == id && strstr(d[i].message, text))
      return true;
  return false;
}

static void right_firmware_is_accepted(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  for (int wide = 0; wide < 2; wide++) {
    const image f = make(right, wide != 0);
    const ash_plan_text text = {plan, sizeof plan - 1, "plan.json"};
    size_t checked;
    CHECK_EQ(
        ash_check_elf(ctx, &checked, f.bytes, f.count, "f.elf", &text, NULL),
        ASH_OK);
    CHECK_EQ(checked, 3);
  }
  ash_ctx_free(ctx);
}

static void wrong_symbols_are_named(void) {
  static const struct {
    size_t symbol;
    row instead;
    uint32_t id;
    const char *text;
  } cases[] = {
      {0, {"net_arena_sram", 0x20000000, 256}, 6204, "'net_arena_sram'"},
      {0, {"net_arena_sram", 0x2037ff80, 256}, 6204, "'net_arena_sram'"},
      {0, {"net_arena_sram", 0x90000000, 256}, 6204, "planned in SRAM"},
      {0, {"net_arena_sram", 0x20080008, 256}, 6205, "aligned to 16"},
      {0, {"net_arena_sram", 0x20080000, 255}, 6206, "planned are 256"},
      {0, {"other", 0x20080000, 256}, 6203, "'net_arena_sram'"},
      {1, {"net_arena_const_dtcm", 0x410000, 64}, 6204, "in MRAM, planned"},
      {2, {"net_arena_const_dtcm__source", 0x20000000, 64}, 6204, "in DTCM"},
  };
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    row rows[SYMBOLS];
    memcpy(rows, right, sizeof rows);
    rows[cases[i].symbol] = cases[i].instead;
    const image f = make(rows, i % 2 != 0);
    CHECK_EQ(check_bytes(ctx, f.bytes, f.count, NULL), ASH_MALFORMED);
    CHECK(said(ctx, cases[i].id, cases[i].text));
  }
  ash_ctx_free(ctx);
}

static void options_choose_prefix_device_and_what_may_be_missing(void) {
  ash_ctx *ctx;
  const image f = make(right, false);
  ash_firmware_options options = {.struct_bytes = sizeof options,
                                  .prefix = "other"};
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, &options), ASH_MALFORMED);
  CHECK(said(ctx, 6203, "other_arena_sram"));
  options.allow_missing = true;
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, &options), ASH_OK);
  options.prefix = "net";
  CHECK_EQ(ash_device_load(ctx, &options.device, "corstone300"), ASH_OK);
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, &options), ASH_MALFORMED);
  ash_ctx_free(ctx);
}

static void other_files_are_refused(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  image f = make(right, false);
  f.bytes[1] = 'e';
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, NULL), ASH_MALFORMED);
  CHECK(said(ctx, 6200, "not an ELF"));
  f = make(right, false);
  f.bytes[5] = 2;
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, NULL), ASH_MALFORMED);
  f = make(right, false);
  f.bytes[16] = 1;
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, NULL), ASH_MALFORMED);
  CHECK(said(ctx, 6201, "not linked"));
  f = make(right, true);
  put_section(&f, 1, 1, 256, 120, 2, 24);
  CHECK_EQ(check_bytes(ctx, f.bytes, f.count, NULL), ASH_MALFORMED);
  CHECK(said(ctx, 6202, "no symbol table"));
  CHECK_EQ(check_bytes(ctx, "", 0, NULL), ASH_MALFORMED);
  ash_ctx_free(ctx);
}

/* Under AddressSanitizer: no byte outside the copy is read. */
static void no_cut_or_changed_file_is_read_beyond_its_end(void) {
  ash_ctx *ctx;
  CHECK_EQ(ash_ctx_new(&ctx, NULL), ASH_OK);
  for (int wide = 0; wide < 2; wide++) {
    const image f = make(right, wide != 0);
    for (size_t cut = 0; cut < f.count; cut += 3) {
      uint8_t *copy = malloc(cut ? cut : 1);
      CHECK(copy != NULL);
      memcpy(copy, f.bytes, cut);
      CHECK(check_bytes(ctx, copy, cut, NULL) != ASH_INTERNAL);
      free(copy);
    }
    for (size_t at = 0; at < 400; at++) {
      image g = f;
      g.bytes[at] = (uint8_t)(g.bytes[at] ^ 0xff);
      CHECK(check_bytes(ctx, g.bytes, g.count, NULL) != ASH_INTERNAL);
    }
  }
  ash_ctx_free(ctx);
}

#define TESTS(X)                                                               \
  X(right_firmware_is_accepted)                                                \
  X(wrong_symbols_are_named)                                                   \
  X(options_choose_prefix_device_and_what_may_be_missing)                      \
  X(other_files_are_refused)                                                   \
  X(no_cut_or_changed_file_is_read_beyond_its_end)
TEST_MAIN(TESTS)

/* sidecar.c - constants in files of their own that the firmware loads: a header
 * of 32 bytes, then the packed constants of one region. The module knows the
 * header that its own build gave each file, so that a file of another build, of
 * another region or with a flipped bit is refused. */
#include "emit/module/module.h"

#include <inttypes.h>
#include <string.h>

/* All numbers are little-endian:
 *   0  "ASHBLOB1"        16  plan hash, 8 bytes
 *   8  version (1)       24  bytes of constants
 *  12  region            28  CRC-32 of the constants */
enum { HEADER_BYTES = 32, VERSION = 1 };

bool ash_emit_loads(const ash_module *m) {
  return m->options.constants == ASH_CONSTANTS_SIDECAR &&
         m->render->constant_count > 0;
}

uint32_t ash_emit_first_constant(const ash_module *m) {
  return m->render->scratch_count + m->render->persistent_count;
}

static void put_u32(uint8_t *to, uint32_t value) {
  for (int i = 0; i < 4; i++)
    to[i] = (uint8_t)(value >> (8 * i));
}

static uint8_t hex_digit(char c) {
  ASH_ASSERT((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void make_header(const ash_module *m, const ash_render_arena *a,
                        uint8_t header[HEADER_BYTES]) {
  ASH_ASSERT(ash_emit_is_region(m, a) &&
             ash_emit_blob(m, a)->size <= UINT32_MAX);
  static const uint8_t magic[8] = {'A', 'S', 'H', 'B', 'L', 'O', 'B', '1'};
  const ash_render_blob *b = ash_emit_blob(m, a);
  memcpy(header, magic, sizeof magic);
  put_u32(header + 8, VERSION);
  put_u32(header + 12, a->region_id);
  for (size_t i = 0; i < 8; i++)
    header[16 + i] = (uint8_t)(hex_digit(m->render->plan_hash[2 * i]) << 4 |
                               hex_digit(m->render->plan_hash[2 * i + 1]));
  put_u32(header + 24, (uint32_t)b->size);
  put_u32(header + 28, ash_crc32(b->payload, (size_t)b->size));
}

/* ---- files --------------------------------------------------------------- */

static ash_status add_blob(ash_module *m, const ash_render_arena *a) {
  ASH_ASSERT(ash_emit_is_constant(a) &&
             m->options.constants != ASH_CONSTANTS_HEX);
  const ash_render_blob *b = ash_emit_blob(m, a);
  const size_t head = ash_emit_loads(m) ? HEADER_BYTES : 0;
  if (b->size > UINT32_MAX)
    return ash_fail(m->ctx, ASH_LIMIT, ASH_D_emit_blob_size, ASH_NOWHERE,
                    "%" PRIu64 " bytes of constants in %s", b->size,
                    a->source_memory);
  uint8_t *bytes = ash_zone_alloc(m->zone, head + (size_t)b->size + 1, 1, 1);
  ASH_TRY(ash_zone_check(m->ctx, m->zone));
  if (head)
    make_header(m, a, bytes);
  memcpy(bytes + head, b->payload, (size_t)b->size);
  return ash_emit_add_file(m, b->sidecar_filename, bytes,
                           head + (size_t)b->size);
}

ash_status ash_emit_blobs(ash_module *m) {
  if (m->options.constants == ASH_CONSTANTS_HEX)
    return ASH_OK;
  for (uint32_t i = 0; i < m->render->arena_count; i++)
    if (ash_emit_is_constant(&m->render->all_arenas[i]))
      ASH_TRY(add_blob(m, &m->render->all_arenas[i]));
  return ASH_OK;
}

/* ---- the loader ---------------------------------------------------------- */

static void put_headers(ash_module *m) {
  ASH_ASSERT(ash_emit_loads(m));
  ash_text *t = m->text;
  ash_text_line(t, "/* The headers of this build's files of constants. */");
  ash_text_line(t,
                "static const uint8_t %s_blob_headers[%s_CONSTANT_COUNT]"
                "[%d] = {",
                m->prefix, m->upper, HEADER_BYTES);
  for (uint32_t i = 0; i < m->render->arena_count; i++) {
    const ash_render_arena *a = &m->render->all_arenas[i];
    uint8_t header[HEADER_BYTES];
    if (!ash_emit_is_constant(a))
      continue;
    make_header(m, a, header);
    ash_text_string(t, "    {");
    for (int k = 0; k < HEADER_BYTES; k++)
      ash_text_format(t, "%s0x%02x,", k && k % 12 == 0 ? "\n     " : "",
                      header[k]);
    ash_text_string(t, "},\n");
  }
  ash_text_line(t, "};");
  ash_text_blank(t);
}

static const char *const loader[] = {
    "static uint32_t %_crc32(const uint8_t *bytes, size_t count) {",
    "  static const uint32_t table[16] = {",
    "      0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190,",
    "      0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344,",
    "      0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,",
    "      0xbdbdf21c};",
    "  uint32_t crc = 0xffffffffu;",
    "  for (size_t i = 0; i < count; i++) {",
    "    crc ^= bytes[i];",
    "    crc = (crc >> 4) ^ table[crc & 15u];",
    "    crc = (crc >> 4) ^ table[crc & 15u];",
    "  }",
    "  return crc ^ 0xffffffffu;",
    "}",
    "",
    "static int %_same(const uint8_t *a, const uint8_t *b, int from, int to) {",
    "  for (int i = from; i < to; i++)",
    "    if (a[i] != b[i])",
    "      return 0;",
    "  return 1;",
    "}",
    "",
    "int %_load_constants(%_context *ctx, uint32_t region, const void *bytes,",
    "                     size_t size) {",
    "  const uint8_t *file = (const uint8_t *)bytes;",
    "  if (!ctx)",
    "    return $_NULL_CONTEXT;",
    "  if (region < $_SCRATCH_COUNT + $_STATE_COUNT ||",
    "      region >= $_REGION_COUNT)",
    "    return $_UNKNOWN_REGION;",
    "  if (!file)",
    "    return $_NULL_BUFFER;",
    "  const uint32_t index = region - ($_SCRATCH_COUNT + $_STATE_COUNT);",
    "  const uint8_t *want = %_blob_headers[index];",
    "  const size_t count = %_regions[region].bytes;",
    "  if (size < 32 || !%_same(file, want, 0, 12))",
    "    return $_NOT_CONSTANTS;",
    "  if (!%_same(file, want, 12, 32))",
    "    return $_OTHER_CONSTANTS;",
    "  if (size - 32 < count)",
    "    return $_UNDERSIZED;",
    "  if (!%_regions[region].takes_buffer &&",
    "      ((uintptr_t)(file + 32) & (%_regions[region].alignment - 1u)))",
    "    return $_MISALIGNED;",
    "  if (%_crc32(file + 32, count) !=",
    "      ((uint32_t)file[28] | (uint32_t)file[29] << 8 |",
    "       (uint32_t)file[30] << 16 | (uint32_t)file[31] << 24))",
    "    return $_CORRUPT_CONSTANTS;",
    "  ctx->constants[index] = file + 32;",
    "  ctx->ready = 0;",
    "  return $_OK;",
    "}",
    "",
    NULL};

void ash_emit_loader(ash_module *m) {
  put_headers(m);
  ash_emit_template(m, loader);
}

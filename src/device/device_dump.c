/* device_dump.c - a device as YAML, in one canonical form: everything that was
 * implied is written out, so that the text is a good start for a new device
 * and parsing and dumping it again changes nothing. */
#include "base/text.h"
#include "device/device.h"

#include <string.h>

/* The next character of valid UTF-8 (libyaml checked it). */
static uint32_t next_char(const char **text) {
  const unsigned char *p = (const unsigned char *)*text;
  uint32_t c = *p++;
  const int more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
  c &= more == 0 ? 0x7fu : 0x3fu >> more;
  for (int i = 0; i < more && (*p & 0xc0) == 0x80; i++)
    c = c << 6 | (*p++ & 0x3fu);
  *text = (const char *)p;
  return c;
}

/* What may not stand in a YAML text, or would be folded as a line break. */
static bool must_escape(uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
         c == 0xfeff || c == 0xfffe || c == 0xffff;
}

static void put_quoted(ash_text *t, const char *text) {
  ash_text_put(t, "\"", 1);
  while (*text) {
    const char *start = text;
    const uint32_t c = next_char(&text);
    if (must_escape(c))
      ash_text_format(t, "\\u%04X", (unsigned)c);
    else if (c == '"' || c == '\\')
      ash_text_format(t, "\\%c", (char)c);
    else
      ash_text_put(t, start, (size_t)(text - start));
  }
  ash_text_put(t, "\"", 1);
}

static void put_text(ash_text *t, const char *lead, const char *text) {
  if (!text)
    return;
  ash_text_string(t, lead);
  put_quoted(t, text);
  ash_text_put(t, "\n", 1);
}

static void put_bytes(ash_text *t, const char *lead, uint64_t bytes) {
  char buf[24];
  ash_text_format(t, "%s%s\n", lead, ash_format_bytes(buf, sizeof buf, bytes));
}

static const char *boolean(bool value) {
  return value ? "true" : "false";
}

static void put_indices(ash_text *t, const ash_device *d, const char *lead,
                        const uint32_t *list, uint32_t count) {
  ash_text_format(t, "%s[", lead);
  for (uint32_t i = 0; i < count; i++)
    ash_text_format(t, "%s%s", i ? ", " : "", d->memories[list[i]].name);
  ash_text_string(t, "]\n");
}

static void put_sections(ash_text *t, const ash_memory *m) {
  if (!m->section_zeroed && !m->section_initialised && !m->section_code)
    return;
  ash_text_string(t, "    sections:\n");
  put_text(t, "      zeroed: ", m->section_zeroed);
  put_text(t, "      initialised: ", m->section_initialised);
  put_text(t, "      code: ", m->section_code);
}

static void put_memory(ash_text *t, const ash_device *d, const ash_memory *m) {
  ash_text_format(t, "  - name: %s\n", m->name);
  put_text(t, "    description: ", m->description);
  put_bytes(t, "    bytes: ", m->bytes);
  ash_text_format(t, "    kind: %s\n",
                  m->kind == ASH_MEMORY_NVM ? "nvm" : "ram");
  if (m->base != ASH_NO_BASE)
    ash_text_format(t, "    base: 0x%08llx\n", (unsigned long long)m->base);
  put_indices(t, d, "    neighbours: ", m->neighbours, m->neighbour_count);
  ash_text_format(t, "    alignment: %u\n", (unsigned)m->alignment);
  if (m->reserve_bytes)
    put_bytes(t, "    reserve: ", m->reserve_bytes);
  ash_text_format(t, "    reach: [%s%s%s]\n", m->reach_cpu ? "cpu" : "",
                  m->reach_cpu && m->reach_dma ? ", " : "",
                  m->reach_dma ? "dma" : "");
  ash_text_format(t, "    read_cost: %u\n", (unsigned)m->read_cost);
  if (m->kind == ASH_MEMORY_RAM)
    ash_text_format(t, "    write_cost: %u\n", (unsigned)m->write_cost);
  if (m->bank_bytes)
    put_bytes(t, "    bank: ", m->bank_bytes);
  put_sections(t, m);
  ash_text_format(t, "    linkable: %s\n", boolean(m->linkable));
}

/* The set bits of `bits` as a list; memory names, or numbers without them. */
static void put_bits(ash_text *t, const char *lead, uint32_t bits,
                     const ash_memory *memories) {
  const char *comma = "";
  ash_text_format(t, "%s[", lead);
  for (uint32_t i = 0; i < 32; i++) {
    if (!(bits >> i & 1))
      continue;
    if (memories)
      ash_text_format(t, "%s%s", comma, memories[i].name);
    else
      ash_text_format(t, "%s%u", comma, (unsigned)i);
    comma = ", ";
  }
  ash_text_string(t, "]\n");
}

static void put_dma(ash_text *t, const ash_device *d, const ash_dma *dma) {
  ash_text_format(t, "  - name: %s\n", dma->name);
  put_bits(t, "    memories: ", dma->memories, d->memories);
  put_bits(t, "    ranks: ", dma->ranks, NULL);
  if (dma->transfer_bytes_max)
    put_bytes(t, "    max_transfer: ", dma->transfer_bytes_max);
  ash_text_format(t, "    setup_cycles: %u\n", (unsigned)dma->setup_cycles);
  ash_text_format(t, "    bytes_per_kilocycle: %u\n",
                  (unsigned)dma->bytes_per_kilocycle);
  ash_text_format(t, "    row_cycles: %u\n", (unsigned)dma->row_cycles);
  ash_text_format(t, "    beat: %u\n", (unsigned)dma->beat);
  ash_text_format(t, "    asynchronous: %s\n", boolean(dma->asynchronous));
}

static void put_head(ash_text *t, const ash_device *d) {
  ash_text_format(t, "name: %s\n", d->name);
  put_text(t, "description: ", d->description);
  put_text(t, "cpu: ", d->cpu);
  ash_text_format(t,
                  "features: {dsp: %s, mve: %s, fpu: %s, rvv: %s, simd: %s, "
                  "pie: %s, cores: %u}\n",
                  boolean(d->features.dsp), boolean(d->features.mve),
                  boolean(d->features.fpu), boolean(d->features.rvv),
                  boolean(d->features.simd), boolean(d->features.pie),
                  (unsigned)d->features.cores);
  if (d->mhz)
    ash_text_format(t, "mhz: %u\n", (unsigned)d->mhz);
  ash_text_format(t, "alignment: %u\n", (unsigned)d->alignment);
}

static void put_device(ash_text *t, const ash_device *d) {
  put_head(t, d);
  ash_text_string(t, "memories:\n");
  for (uint32_t i = 0; i < d->memory_count; i++)
    put_memory(t, d, &d->memories[i]);
  ash_text_format(t, "default: %s\n", d->memories[d->default_memory].name);
  if (d->compute_memory != ASH_NO_MEMORY)
    ash_text_format(t, "compute: %s\n", d->memories[d->compute_memory].name);
  if (d->compute_memory != ASH_NO_MEMORY)
    ash_text_format(t,
                    "speed: {macs_per_kilocycle: %u, "
                    "elements_per_kilocycle: %u, call_cycles: %u, "
                    "byte_price: %u}\n",
                    (unsigned)d->macs_per_kilocycle,
                    (unsigned)d->elements_per_kilocycle,
                    (unsigned)d->call_cycles, (unsigned)d->byte_price);
  ash_text_format(t, "constants: %s\n", d->memories[d->constant_memory].name);
  put_indices(t, d, "order: ", d->order, d->order_count);
  if (d->dma_count)
    ash_text_string(t, "dma:\n");
  for (uint32_t i = 0; i < d->dma_count; i++)
    put_dma(t, d, &d->dmas[i]);
}

ash_status ash_device_dump(ash_ctx *ctx, const char **text, size_t *count,
                           const ash_device *device) {
  ASH_NEED(ctx, ctx && text && count && device);
  *text = NULL;
  *count = 0;
  ash_text t;
  ash_text_init(&t, &ctx->mem);
  put_device(&t, device);
  ash_text_put(&t, "", 1);
  ash_status status = ash_text_check(ctx, &t);
  if (status == ASH_OK) {
    *text = ash_zone_copy(&ctx->keep, t.bytes, t.count);
    status = ash_zone_check(ctx, &ctx->keep);
  }
  if (status == ASH_OK)
    *count = t.count - 1;
  ash_text_drop(&t);
  return status;
}

/* device_read.c - keys of a device file into records. Values that are wrong on
 * their own (a size of zero, an alignment of 3) are refused here, where their
 * line is known. */
#include "device/device.h"

#include <stdio.h>
#include <string.h>

static const uint64_t bytes_max = (uint64_t)1 << 48;

/* ---- single values ------------------------------------------------------ */

static bool is_name(const char *text, const char *extra) {
  for (const char *p = text; *p; p++) {
    const bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
    const bool digit = *p >= '0' && *p <= '9';
    if (!letter && !(digit && p > text) && !strchr(extra, *p))
      return false;
  }
  return *text && strlen(text) < 32;
}

/* Memory and engine names become parts of C symbols. */
static ash_status read_name(ash_ctx *ctx, const char **out, const ash_yaml *map,
                            const char *what, const char *extra) {
  const ash_yaml *node;
  ASH_TRY(ash_yaml_need(ctx, &node, map, "name", what));
  ASH_TRY(ash_yaml_string(ctx, out, node, "'name'"));
  if (is_name(*out, extra))
    return ASH_OK;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_name, ash_yaml_loc(node),
               "'%.40s' cannot be the name of %s", *out, what);
  ash_hint(ctx,
           "use a letter, then letters, digits and any of '%s', at most "
           "31 characters",
           extra);
  return status;
}

/* How messages name a key. */
typedef struct quoted {
  char text[40];
} quoted;

static quoted quote(const char *key) {
  quoted q;
  (void)snprintf(q.text, sizeof q.text, "'%s'", key);
  return q;
}

/* Optional texts; the tree is scratch, so they are copied. */
static ash_status read_text(ash_ctx *ctx, const char **out, const ash_yaml *map,
                            const char *key) {
  const ash_yaml *node = ash_yaml_get(map, key);
  if (!node || ash_yaml_is_null(node))
    return ASH_OK;
  const char *text;
  ASH_TRY(ash_yaml_string(ctx, &text, node, quote(key).text));
  *out = ash_zone_string(&ctx->keep, text);
  return ash_zone_check(ctx, &ctx->keep);
}

static ash_status read_bytes(ash_ctx *ctx, uint64_t *out, const ash_yaml *map,
                             const char *key, uint64_t least) {
  const ash_yaml *node = ash_yaml_get(map, key);
  if (!node)
    return ASH_OK;
  const char *text;
  ASH_TRY(ash_yaml_string(ctx, &text, node, quote(key).text));
  if (ash_parse_bytes(out, text) && *out >= least && *out <= bytes_max)
    return ASH_OK;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_bytes, ash_yaml_loc(node),
               "'%s' must be a size of %s bytes, not '%.40s'", key,
               least ? "at least 1" : "0 or more", text);
  ash_hint(ctx, "write 65536, 64K, 1M or 0x10000");
  return status;
}

static ash_status read_alignment(ash_ctx *ctx, uint32_t *out,
                                 const ash_yaml *map) {
  const ash_yaml *node = ash_yaml_get(map, "alignment");
  if (!node)
    return ASH_OK;
  ASH_TRY(ash_yaml_u32(ctx, out, node, "'alignment'", 1u << 20));
  if (*out && (*out & (*out - 1)) == 0)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_alignment,
                  ash_yaml_loc(node), "'alignment' is %u, not a power of two",
                  (unsigned)*out);
}

static ash_status read_u32(ash_ctx *ctx, uint32_t *out, const ash_yaml *map,
                           const char *key, uint32_t max) {
  const ash_yaml *node = ash_yaml_get(map, key);
  return node ? ash_yaml_u32(ctx, out, node, quote(key).text, max) : ASH_OK;
}

static ash_status read_bool(ash_ctx *ctx, bool *out, const ash_yaml *map,
                            const char *key) {
  const ash_yaml *node = ash_yaml_get(map, key);
  return node ? ash_yaml_bool(ctx, out, node, quote(key).text) : ASH_OK;
}

/* ---- memories ----------------------------------------------------------- */

static ash_status read_kind(ash_ctx *ctx, ash_memory *m, const ash_yaml *map) {
  const ash_yaml *node = ash_yaml_get(map, "kind");
  const char *text;
  if (!node)
    return ASH_OK;
  ASH_TRY(ash_yaml_string(ctx, &text, node, "'kind'"));
  m->kind = strcmp(text, "nvm") == 0 ? ASH_MEMORY_NVM : ASH_MEMORY_RAM;
  if (m->kind == ASH_MEMORY_NVM || strcmp(text, "ram") == 0)
    return ASH_OK;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_kind, ash_yaml_loc(node),
               "'%.40s' is not a kind of memory", text);
  ash_hint(ctx, "write ram, or nvm for flash, MRAM and ROM");
  return status;
}

static ash_status read_base(ash_ctx *ctx, ash_memory *m, const ash_yaml *map) {
  const ash_yaml *node = ash_yaml_get(map, "base");
  if (!node || ash_yaml_is_null(node))
    return ASH_OK;
  ASH_TRY(ash_yaml_u64(ctx, &m->base, node, "'base'"));
  if (m->bytes <= UINT64_MAX - m->base)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_base, ash_yaml_loc(node),
                  "%s ends beyond the last 64-bit address", m->name);
}

static ash_status read_reach(ash_ctx *ctx, ash_memory *m, const ash_yaml *map) {
  const ash_yaml *list = ash_yaml_get(map, "reach");
  if (!list)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(ctx, list, "'reach'"));
  m->reach_cpu = m->reach_dma = false;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    const char *who;
    ASH_TRY(ash_yaml_string(ctx, &who, i->node, "an element of 'reach'"));
    if (strcmp(who, "cpu") == 0)
      m->reach_cpu = true;
    else if (strcmp(who, "dma") == 0)
      m->reach_dma = true;
    else
      return ash_fail(
          ctx, ASH_MALFORMED, ASH_D_device_reach, ash_yaml_loc(i->node),
          "'%.40s' cannot reach a memory; only cpu and dma can", who);
  }
  if (m->reach_cpu || m->reach_dma)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_reach, ash_yaml_loc(list),
                  "nobody reaches %s", m->name);
}

static ash_status read_reserve(ash_ctx *ctx, ash_memory *m,
                               const ash_yaml *map) {
  ASH_TRY(read_bytes(ctx, &m->reserve_bytes, map, "reserve", 0));
  if (m->reserve_bytes <= m->bytes)
    return ASH_OK;
  const ash_status status = ash_fail(
      ctx, ASH_MALFORMED, ASH_D_device_reserve,
      ash_yaml_loc(ash_yaml_get(map, "reserve")),
      "the reserve of %s, %llu bytes, is larger than the memory, %llu", m->name,
      (unsigned long long)m->reserve_bytes, (unsigned long long)m->bytes);
  ash_hint(ctx, "the reserve is what stack and heap need inside this memory");
  return status;
}

static ash_status read_costs(ash_ctx *ctx, ash_memory *m, const ash_yaml *map) {
  const uint32_t max = 1000000000;
  ASH_TRY(read_u32(ctx, &m->read_cost, map, "read_cost", max));
  m->write_cost = m->kind == ASH_MEMORY_RAM ? m->read_cost : 0;
  const ash_yaml *node = ash_yaml_get(map, "write_cost");
  if (node && m->kind == ASH_MEMORY_NVM)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_kind, ash_yaml_loc(node),
                    "%s is nvm: it is never written, so has no 'write_cost'",
                    m->name);
  return read_u32(ctx, &m->write_cost, map, "write_cost", max);
}

/* Sections become parts of C attributes and linker scripts. */
static ash_status read_section(ash_ctx *ctx, const char **out,
                               const ash_yaml *map, const char *key) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$-";
  ASH_TRY(read_text(ctx, out, map, key));
  if (!*out || (**out && strspn(*out, allowed) == strlen(*out)))
    return ASH_OK;
  const ash_status status =
      ash_fail(ctx, ASH_MALFORMED, ASH_D_device_name,
               ash_yaml_loc(ash_yaml_get(map, key)),
               "'%.40s' cannot be the name of a section", *out);
  ash_hint(ctx, "use letters, digits and any of '_.$-', as in .dtcm_bss");
  return status;
}

static ash_status read_sections(ash_ctx *ctx, ash_memory *m,
                                const ash_yaml *map) {
  static const char *const known[] = {"zeroed", "initialised", "code"};
  const ash_yaml *sections = ash_yaml_get(map, "sections");
  if (!sections)
    return ASH_OK;
  ASH_TRY(ash_yaml_check_keys(ctx, sections, known, ASH_COUNT_OF(known),
                              "'sections'"));
  ASH_TRY(read_section(ctx, &m->section_zeroed, sections, "zeroed"));
  ASH_TRY(read_section(ctx, &m->section_initialised, sections, "initialised"));
  return read_section(ctx, &m->section_code, sections, "code");
}

/* Everything that has a default. */
static ash_status read_details(ash_ctx *ctx, ash_memory *m,
                               const ash_yaml *map) {
  ASH_TRY(read_kind(ctx, m, map));
  ASH_TRY(read_base(ctx, m, map));
  ASH_TRY(read_alignment(ctx, &m->alignment, map));
  ASH_TRY(read_reserve(ctx, m, map));
  ASH_TRY(read_reach(ctx, m, map));
  ASH_TRY(read_costs(ctx, m, map));
  ASH_TRY(read_bytes(ctx, &m->bank_bytes, map, "bank", 1));
  ASH_TRY(read_sections(ctx, m, map));
  return read_bool(ctx, &m->linkable, map, "linkable");
}

static ash_status read_memory(ash_ctx *ctx, ash_memory *m, const ash_yaml *map,
                              uint32_t alignment) {
  static const char *const known[] = {
      "name",       "description", "bytes",    "kind",    "base",
      "neighbours", "alignment",   "reserve",  "reach",   "read_cost",
      "write_cost", "bank",        "sections", "linkable"};
  ASH_TRY(
      ash_yaml_check_keys(ctx, map, known, ASH_COUNT_OF(known), "a memory"));
  *m = (ash_memory){.base = ASH_NO_BASE,
                    .alignment = alignment,
                    .reach_cpu = true,
                    .read_cost = 1000,
                    .linkable = true,
                    .line = map->line};
  const ash_yaml *bytes;
  ASH_TRY(read_name(ctx, &m->name, map, "a memory", "_"));
  ASH_TRY(ash_yaml_need(ctx, &bytes, map, "bytes", m->name));
  ASH_TRY(read_bytes(ctx, &m->bytes, map, "bytes", 1));
  ASH_TRY(read_text(ctx, &m->name, map, "name")); /* now a kept copy */
  ASH_TRY(read_text(ctx, &m->description, map, "description"));
  return read_details(ctx, m, map);
}

static ash_status fail_count(ash_ctx *ctx, const ash_yaml *list,
                             const char *what, unsigned max) {
  return ash_fail(ctx, ASH_LIMIT, ASH_D_device_limit, ash_yaml_loc(list),
                  "%zu %s; at most %u are supported", list->count, what, max);
}

static ash_status read_memories(ash_device_draft *draft) {
  ash_ctx *ctx = draft->ctx;
  ash_device *d = draft->device;
  const ash_yaml *list;
  ASH_TRY(ash_yaml_need(ctx, &list, draft->root, "memories", "the device"));
  ASH_TRY(ash_yaml_want_list(ctx, list, "'memories'"));
  if (list->count > ASH_MEMORY_MAX)
    return fail_count(ctx, list, "memories", ASH_MEMORY_MAX);
  draft->memories = ASH_NEW_ARRAY(&ctx->keep, ash_memory, ASH_MEMORY_MAX);
  if (!draft->memories)
    return ash_nomem(ctx);
  d->memories = draft->memories;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    draft->memory_nodes[d->memory_count] = i->node;
    ASH_TRY(read_memory(ctx, &draft->memories[d->memory_count], i->node,
                        d->alignment));
    d->memory_count++;
  }
  return ASH_OK;
}

/* ---- DMA engines -------------------------------------------------------- */

static ash_status read_ranks(ash_ctx *ctx, ash_dma *dma, const ash_yaml *map) {
  const ash_yaml *list = ash_yaml_get(map, "ranks");
  if (!list)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(ctx, list, "'ranks'"));
  dma->ranks = 0;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    uint32_t rank;
    ASH_TRY(ash_yaml_u32(ctx, &rank, i->node, "an element of 'ranks'",
                         ASH_DMA_RANK_MAX));
    dma->ranks |= rank ? 1u << rank : 0;
    if (!rank)
      return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_dma,
                      ash_yaml_loc(i->node), "a transfer has at least rank 1");
  }
  if (dma->ranks)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_dma, ash_yaml_loc(list),
                  "%s makes no transfers: 'ranks' is empty", dma->name);
}

static ash_status read_dma(ash_ctx *ctx, ash_dma *dma, const ash_yaml *map) {
  static const char *const known[] = {
      "name",         "memories",     "ranks",
      "max_transfer", "setup_cycles", "bytes_per_kilocycle",
      "row_cycles",   "beat",         "asynchronous"};
  ASH_TRY(ash_yaml_check_keys(ctx, map, known, ASH_COUNT_OF(known),
                              "a DMA engine"));
  *dma = (ash_dma){.ranks = 1u << 1,
                   .bytes_per_kilocycle = 4000,
                   .asynchronous = true,
                   .line = map->line};
  ASH_TRY(read_name(ctx, &dma->name, map, "a DMA engine", "_"));
  ASH_TRY(read_text(ctx, &dma->name, map, "name"));
  ASH_TRY(read_ranks(ctx, dma, map));
  ASH_TRY(read_bytes(ctx, &dma->transfer_bytes_max, map, "max_transfer", 1));
  ASH_TRY(read_u32(ctx, &dma->setup_cycles, map, "setup_cycles", 1000000000));
  ASH_TRY(read_u32(ctx, &dma->bytes_per_kilocycle, map, "bytes_per_kilocycle",
                   1000000000));
  ASH_TRY(read_u32(ctx, &dma->row_cycles, map, "row_cycles", 1000000));
  ASH_TRY(read_u32(ctx, &dma->beat, map, "beat", 65536));
  if (!dma->bytes_per_kilocycle)
    return ash_fail(ctx, ASH_MALFORMED, ASH_D_device_dma,
                    ash_yaml_loc(ash_yaml_get(map, "bytes_per_kilocycle")),
                    "%s moves nothing: 'bytes_per_kilocycle' is 0", dma->name);
  return read_bool(ctx, &dma->asynchronous, map, "asynchronous");
}

static ash_status read_dmas(ash_device_draft *draft) {
  ash_ctx *ctx = draft->ctx;
  ash_device *d = draft->device;
  const ash_yaml *list = ash_yaml_get(draft->root, "dma");
  if (!list)
    return ASH_OK;
  ASH_TRY(ash_yaml_want_list(ctx, list, "'dma'"));
  if (list->count > ASH_DMA_MAX)
    return fail_count(ctx, list, "DMA engines", ASH_DMA_MAX);
  draft->dmas = ASH_NEW_ARRAY(&ctx->keep, ash_dma, ASH_DMA_MAX);
  if (!draft->dmas)
    return ash_nomem(ctx);
  d->dmas = draft->dmas;
  for (const ash_yaml_item *i = list->first; i; i = i->next) {
    draft->dma_nodes[d->dma_count] = i->node;
    ASH_TRY(read_dma(ctx, &draft->dmas[d->dma_count], i->node));
    d->dma_count++;
  }
  return ASH_OK;
}

/* ---- the device --------------------------------------------------------- */

static ash_status read_features(ash_ctx *ctx, ash_device *d,
                                const ash_yaml *root) {
  static const char *const known[] = {"dsp",  "mve", "fpu",  "rvv",
                                      "simd", "pie", "cores"};
  const ash_yaml *map = ash_yaml_get(root, "features");
  d->features.cores = 1;
  if (!map)
    return ASH_OK;
  ASH_TRY(
      ash_yaml_check_keys(ctx, map, known, ASH_COUNT_OF(known), "'features'"));
  ASH_TRY(read_bool(ctx, &d->features.dsp, map, "dsp"));
  ASH_TRY(read_bool(ctx, &d->features.mve, map, "mve"));
  ASH_TRY(read_bool(ctx, &d->features.fpu, map, "fpu"));
  ASH_TRY(read_bool(ctx, &d->features.rvv, map, "rvv"));
  ASH_TRY(read_bool(ctx, &d->features.simd, map, "simd"));
  ASH_TRY(read_bool(ctx, &d->features.pie, map, "pie"));
  ASH_TRY(read_u32(ctx, &d->features.cores, map, "cores", 1024));
  if (d->features.cores)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_range,
                  ash_yaml_loc(ash_yaml_get(map, "cores")),
                  "a device has at least one core");
}

/* What a core usually does, where the file does not say. */
static ash_status read_speed(ash_ctx *ctx, ash_device *d,
                             const ash_yaml *root) {
  static const char *const known[] = {"macs_per_kilocycle",
                                      "elements_per_kilocycle", "call_cycles",
                                      "byte_price"};
  const uint32_t most = 1000000000;
  const ash_yaml *map = ash_yaml_get(root, "speed");
  d->macs_per_kilocycle = d->features.cores * (d->features.dsp ? 2000 : 1000);
  d->elements_per_kilocycle = d->features.cores * 500;
  d->call_cycles = 200;
  if (!map)
    return ASH_OK;
  ASH_TRY(ash_yaml_check_keys(ctx, map, known, ASH_COUNT_OF(known), "'speed'"));
  ASH_TRY(read_u32(ctx, &d->macs_per_kilocycle, map, known[0], most));
  ASH_TRY(read_u32(ctx, &d->elements_per_kilocycle, map, known[1], most));
  ASH_TRY(read_u32(ctx, &d->call_cycles, map, known[2], most));
  ASH_TRY(read_u32(ctx, &d->byte_price, map, known[3], 1000000));
  if (d->macs_per_kilocycle && d->elements_per_kilocycle)
    return ASH_OK;
  return ash_fail(ctx, ASH_MALFORMED, ASH_D_yaml_range, ash_yaml_loc(map),
                  "a device computes at least something in 1000 cycles");
}

static ash_status read_processor(ash_ctx *ctx, ash_device *d,
                                 const ash_yaml *root) {
  d->cpu = "generic";
  ASH_TRY(read_text(ctx, &d->cpu, root, "cpu"));
  ASH_TRY(read_features(ctx, d, root));
  ASH_TRY(read_speed(ctx, d, root));
  return read_u32(ctx, &d->mhz, root, "mhz", 100000);
}

static ash_status read_device(ash_device_draft *draft) {
  static const char *const known[] = {
      "name",      "description", "cpu",     "features", "mhz",
      "alignment", "memories",    "default", "compute",  "constants",
      "order",     "dma",         "speed"};
  ash_ctx *ctx = draft->ctx;
  ash_device *d = draft->device;
  ASH_TRY(ash_yaml_check_keys(ctx, draft->root, known, ASH_COUNT_OF(known),
                              "a device"));
  d->alignment = 4;
  ASH_TRY(read_name(ctx, &d->name, draft->root, "a device", "_-."));
  ASH_TRY(read_text(ctx, &d->name, draft->root, "name"));
  ASH_TRY(read_text(ctx, &d->description, draft->root, "description"));
  ASH_TRY(read_processor(ctx, d, draft->root));
  ASH_TRY(read_alignment(ctx, &d->alignment, draft->root));
  ASH_TRY(read_memories(draft));
  return read_dmas(draft);
}

static ash_status parse(ash_ctx *ctx, const ash_device **out, const char *text,
                        size_t count, const char *file) {
  ash_device_draft draft = {.ctx = ctx,
                            .device = ASH_NEW(&ctx->keep, ash_device)};
  const char *kept = ash_zone_string(&ctx->keep, file);
  ASH_TRY(ash_zone_check(ctx, &ctx->keep));
  ASH_TRY(ash_yaml_parse(ctx, &draft.root, &ctx->scratch, text, count, file));
  draft.device->file = kept;
  ASH_TRY(read_device(&draft));
  ASH_TRY(ash_device_link(&draft));
  ASH_TRY(ash_device_check(ctx, draft.device));
  *out = draft.device;
  return ASH_OK;
}

ash_status ash_device_parse(ash_ctx *ctx, const ash_device **out,
                            const char *text, size_t count, const char *file) {
  ASH_NEED(ctx, ctx && out && text);
  *out = NULL;
  const ash_mark mark = ash_zone_mark(&ctx->scratch);
  const ash_status status = parse(ctx, out, text, count, file);
  ash_zone_rewind(&ctx->scratch, mark);
  return status;
}

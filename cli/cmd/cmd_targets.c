/* cmd_targets.c - lists the built-in devices, or prints one as YAML to start a
 * device file from. Everything comes from the public interface. */
#include "commands.h"
#include "session.h"
#include "show/json_out.h"

#include "ashlar/device.h"

#include <stdlib.h>
#include <string.h>

typedef struct job {
  session s;
  bool json;
} job;

/* MEMORY=SIZE */
static ash_status apply_set(ash_ctx *ctx, const ash_device **device,
                            const char *text) {
  const char *equals = strchr(text, '=');
  char memory[64];
  uint64_t bytes;
  if (!equals || (size_t)(equals - text) >= sizeof memory ||
      !ash_parse_bytes(&bytes, equals + 1)) {
    (void)usage_error(find_command("targets"),
                      "'%s' is not MEMORY=SIZE, such as L1=64K", text);
    return ASH_MISUSE;
  }
  memcpy(memory, text, (size_t)(equals - text));
  memory[equals - text] = '\0';
  return ash_device_set_bytes(ctx, device, memory, bytes);
}

/* ---- JSON, with the keys of the YAML form ------------------------------- */

static void put_key(const char *key, const char *value) {
  if (!value)
    return;
  printf(", \"%s\": ", key);
  json_text(stdout, value);
}

static const char *boolean(bool value) {
  return value ? "true" : "false";
}

static void put_names(const ash_device *d, const char *key,
                      const uint32_t *list, uint32_t count) {
  printf(", \"%s\": [", key);
  for (uint32_t i = 0; i < count; i++)
    printf("%s\"%s\"", i ? ", " : "", d->memories[list[i]].name);
  putchar(']');
}

static void put_memory(const ash_device *d, const ash_memory *m) {
  const bool ram = m->kind == ASH_MEMORY_RAM;
  printf("     {\"name\": \"%s\"", m->name);
  put_key("description", m->description);
  printf(", \"bytes\": %llu, \"kind\": \"%s\"", (unsigned long long)m->bytes,
         ram ? "ram" : "nvm");
  if (m->base != ASH_NO_BASE)
    printf(", \"base\": %llu", (unsigned long long)m->base);
  put_names(d, "neighbours", m->neighbours, m->neighbour_count);
  printf(", \"alignment\": %u, \"reserve\": %llu, \"reach\": [%s%s%s]",
         (unsigned)m->alignment, (unsigned long long)m->reserve_bytes,
         m->reach_cpu ? "\"cpu\"" : "",
         m->reach_cpu && m->reach_dma ? ", " : "",
         m->reach_dma ? "\"dma\"" : "");
  printf(", \"read_cost\": %u", (unsigned)m->read_cost);
  if (ram)
    printf(", \"write_cost\": %u", (unsigned)m->write_cost);
  if (m->bank_bytes)
    printf(", \"bank\": %llu", (unsigned long long)m->bank_bytes);
  printf(", \"sections\": {");
  const char *const section[] = {m->section_zeroed, m->section_initialised,
                                 m->section_code};
  static const char *const names[] = {"zeroed", "initialised", "code"};
  const char *comma = "";
  for (size_t i = 0; i < 3; i++) {
    if (!section[i])
      continue;
    printf("%s\"%s\": ", comma, names[i]);
    json_text(stdout, section[i]);
    comma = ", ";
  }
  printf("}, \"linkable\": %s}", boolean(m->linkable));
}

/* The set bits as memory names, or as numbers. */
static void put_bits(const char *key, uint32_t bits,
                     const ash_memory *memories) {
  const char *comma = "";
  printf(", \"%s\": [", key);
  for (unsigned i = 0; i < 32; i++) {
    if (!(bits >> i & 1))
      continue;
    if (memories)
      printf("%s\"%s\"", comma, memories[i].name);
    else
      printf("%s%u", comma, i);
    comma = ", ";
  }
  putchar(']');
}

static void put_dma(const ash_device *d, const ash_dma *dma) {
  printf("     {\"name\": \"%s\"", dma->name);
  put_bits("memories", dma->memories, d->memories);
  put_bits("ranks", dma->ranks, NULL);
  if (dma->transfer_bytes_max)
    printf(", \"max_transfer\": %llu",
           (unsigned long long)dma->transfer_bytes_max);
  printf(", \"setup_cycles\": %u, \"bytes_per_kilocycle\": %u, "
         "\"row_cycles\": %u, \"beat\": %u, \"asynchronous\": %s}",
         (unsigned)dma->setup_cycles, (unsigned)dma->bytes_per_kilocycle,
         (unsigned)dma->row_cycles, (unsigned)dma->beat,
         boolean(dma->asynchronous));
}

static void put_json(const ash_device *d) {
  printf("  {\"name\": \"%s\"", d->name);
  put_key("description", d->description);
  put_key("cpu", d->cpu);
  printf(",\n   \"features\": {\"dsp\": %s, \"mve\": %s, \"fpu\": %s, "
         "\"rvv\": %s, \"simd\": %s, \"cores\": %u}",
         boolean(d->features.dsp), boolean(d->features.mve),
         boolean(d->features.fpu), boolean(d->features.rvv),
         boolean(d->features.simd), (unsigned)d->features.cores);
  printf(", \"mhz\": %u, \"alignment\": %u,\n   \"memories\": [\n",
         (unsigned)d->mhz, (unsigned)d->alignment);
  for (uint32_t i = 0; i < d->memory_count; i++) {
    put_memory(d, &d->memories[i]);
    puts(i + 1 < d->memory_count ? "," : "],");
  }
  printf("   \"default\": \"%s\"", d->memories[d->default_memory].name);
  if (d->compute_memory != ASH_NO_MEMORY)
    put_key("compute", d->memories[d->compute_memory].name);
  put_key("constants", d->memories[d->constant_memory].name);
  put_names(d, "order", d->order, d->order_count);
  printf(",\n   \"dma\": [%s", d->dma_count ? "\n" : "");
  for (uint32_t i = 0; i < d->dma_count; i++) {
    put_dma(d, &d->dmas[i]);
    printf("%s", i + 1 < d->dma_count ? ",\n" : "");
  }
  printf("]}");
}

/* ---- the table ---------------------------------------------------------- */

static void put_row(const ash_device *d) {
  printf("%-17s %-14s", d->name, d->cpu);
  for (uint32_t i = 0; i < d->memory_count; i++) {
    char size[24];
    printf("%s%s %s", i ? ", " : "", d->memories[i].name,
           ash_format_bytes(size, sizeof size, d->memories[i].bytes));
  }
  putchar('\n');
}

static ash_status list_all(ash_ctx *ctx, bool json) {
  if (json)
    printf("[\n");
  else
    printf("%-17s %-14s%s\n", "NAME", "CPU", "MEMORIES");
  for (size_t i = 0; ash_device_builtin(i); i++) {
    const ash_device *device;
    const ash_status status =
        ash_device_load(ctx, &device, ash_device_builtin(i));
    if (status != ASH_OK)
      return status;
    if (json) {
      put_json(device);
      puts(ash_device_builtin(i + 1) ? "," : "\n]");
    } else
      put_row(device);
  }
  return ASH_OK;
}

static ash_status print_one(job *j, const char *name) {
  const ash_device *device;
  const char *text;
  size_t count;
  ash_status status = ash_device_load(j->s.ctx, &device, name);
  for (size_t i = 0; i < j->s.sets.count && status == ASH_OK; i++)
    status = apply_set(j->s.ctx, &device, j->s.sets.items[i]);
  if (status != ASH_OK || (j->s.quiet && !j->json))
    return status;
  if (j->json) {
    put_json(device);
    putchar('\n');
    return ASH_OK;
  }
  status = ash_device_dump(j->s.ctx, &text, &count, device);
  return status == ASH_OK ? write_text(&j->s, "-", text, count) : status;
}

int cmd_targets(int argc, char **argv) {
  job j = {0};
  arg_list names, sets = {.count = 0};
  const arg_option options[] = {
      {"set", 0, ARG_LIST, &sets, "MEMORY=SIZE",
       "change a size: 65536, 64K, 1M, 0x10000"},
      {"json", 0, ARG_FLAG, &j.json, NULL, "JSON instead of a table or YAML"},
      OUTPUT_OPTIONS(&j.s),
      {0}};
  const command *cmd = find_command("targets");
  int code = args_parse(cmd, argc, argv, options, &names);
  if (code < 0 && names.count > 1)
    code = usage_error(cmd, "one device at a time");
  if (code < 0 && sets.count && !names.count)
    code = usage_error(cmd, "--set needs a device");
  if (code < 0)
    code = session_open(&j.s, cmd);
  if (code >= 0)
    return code;
  j.s.sets = sets; /* of the device that is shown, not of the session's */
  const ash_status status =
      names.count ? print_one(&j, names.items[0]) : list_all(j.s.ctx, j.json);
  return session_close(&j.s, fflush(stdout) != 0 && status == ASH_OK ? ASH_IO
                                                                     : status);
}

/* cmd_targets.c - lists the built-in devices, or prints one as YAML to start a
 * device file from. Everything comes from the public interface. */
#include "cmd_targets.h"
#include "print_diag.h"

#include "ashlar/device.h"

#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 64, SETS_MAX = 64 };

static const char help[] =
    "usage: ashlar targets [--json]\n"
    "       ashlar targets NAME|FILE.yaml [--set MEMORY=SIZE]... [--json]\n"
    "\n"
    "Without a name: a table of the built-in devices. With one: that device "
    "as\n"
    "YAML, with everything that is implied written out.\n"
    "\n"
    "  --set MEMORY=SIZE  change a size: 65536, 64K, 1M, 0x10000\n"
    "  --json             JSON instead of a table or YAML\n"
    "  --help             this text\n"
    "\n"
    "examples:\n"
    "  ashlar targets\n"
    "  ashlar targets apollo510 > mine.yaml    # then edit, and --target "
    "mine.yaml\n"
    "  ashlar targets deeploy --set L1=128000\n"
    "  ashlar targets mine.yaml                # check a file of your own\n";

typedef struct options {
  const char *name;
  const char *sets[SETS_MAX];
  size_t set_count;
  bool json, help;
} options;

/* ---- options ------------------------------------------------------------ */

static bool complain(const char *what, const char *word) {
  (void)fprintf(stderr,
                "ashlar targets: %s '%s'; see 'ashlar targets --help'\n", what,
                word);
  return false;
}

static bool add_set(options *o, const char *text) {
  if (!text)
    return complain("a size is missing after", "--set");
  if (o->set_count == SETS_MAX)
    return complain("too many sizes at", text);
  o->sets[o->set_count++] = text;
  return true;
}

static bool read_options(options *o, int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const char *arg = argv[i];
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
      o->help = true;
    else if (strcmp(arg, "--json") == 0)
      o->json = true;
    else if (strcmp(arg, "--set") == 0) {
      if (!add_set(o, i + 1 < argc ? argv[++i] : NULL))
        return false;
    } else if (strncmp(arg, "--set=", 6) == 0) {
      if (!add_set(o, arg + 6))
        return false;
    } else if (arg[0] == '-')
      return complain("unknown option", arg);
    else if (o->name)
      return complain("one device at a time, not also", arg);
    else
      o->name = arg;
  }
  if (o->set_count && !o->name)
    return complain("--set needs a device; which one has", o->sets[0]);
  return true;
}

/* MEMORY=SIZE */
static ash_status apply_set(ash_ctx *ctx, const ash_device **device,
                            const char *text) {
  const char *equals = strchr(text, '=');
  char memory[64];
  uint64_t bytes;
  if (!equals || (size_t)(equals - text) >= sizeof memory ||
      !ash_parse_bytes(&bytes, equals + 1)) {
    (void)complain("not MEMORY=SIZE, such as L1=64K:", text);
    return ASH_MISUSE;
  }
  memcpy(memory, text, (size_t)(equals - text));
  memory[equals - text] = '\0';
  return ash_device_set_bytes(ctx, device, memory, bytes);
}

/* ---- JSON, with the keys of the YAML form ------------------------------- */

static void put_string(const char *text) {
  putchar('"');
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      printf("\\%c", *p);
    else if (*p < 0x20 || *p == 0x7f)
      printf("\\u%04x", *p);
    else
      putchar(*p);
  }
  putchar('"');
}

static void put_key(const char *key, const char *value) {
  if (!value)
    return;
  printf(", \"%s\": ", key);
  put_string(value);
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
    put_string(section[i]);
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
         "\"asynchronous\": %s}",
         (unsigned)dma->setup_cycles, (unsigned)dma->bytes_per_kilocycle,
         boolean(dma->asynchronous));
}

static void put_json(const ash_device *d) {
  printf("  {\"name\": \"%s\"", d->name);
  put_key("description", d->description);
  put_key("cpu", d->cpu);
  printf(",\n   \"features\": {\"dsp\": %s, \"mve\": %s, \"fpu\": %s, "
         "\"rvv\": %s, \"cores\": %u}",
         boolean(d->features.dsp), boolean(d->features.mve),
         boolean(d->features.fpu), boolean(d->features.rvv),
         (unsigned)d->features.cores);
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

static ash_status print_one(ash_ctx *ctx, const options *o) {
  const ash_device *device;
  const char *text;
  size_t count;
  ash_status status = ash_device_load(ctx, &device, o->name);
  for (size_t i = 0; i < o->set_count && status == ASH_OK; i++)
    status = apply_set(ctx, &device, o->sets[i]);
  if (status == ASH_OK && o->json) {
    put_json(device);
    putchar('\n');
  } else if (status == ASH_OK) {
    status = ash_device_dump(ctx, &text, &count, device);
    if (status == ASH_OK)
      (void)fwrite(text, 1, count, stdout);
  }
  return status;
}

int cmd_targets(int argc, char **argv) {
  options o = {0};
  ash_ctx *ctx;
  if (!read_options(&o, argc, argv))
    return EXIT_USAGE;
  if (o.help) {
    (void)fputs(help, stdout);
    return 0;
  }
  ash_status status = ash_ctx_new(&ctx, NULL);
  if (status == ASH_OK)
    status = o.name ? print_one(ctx, &o) : list_all(ctx, o.json);
  if (fflush(stdout) != 0 && status == ASH_OK)
    status = ASH_IO;
  if (ctx)
    print_diags(ctx, stderr);
  ash_ctx_free(ctx);
  return exit_code_of(status);
}

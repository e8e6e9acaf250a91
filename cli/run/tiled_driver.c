/* tiled_driver.c - see tiled_driver.h. */
#include "run/tiled_driver.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tiled_engine_name(unsigned engine) {
  static const char *const names[] = {"immediate", "lazy", "thread"};
  return engine < sizeof names / sizeof *names ? names[engine] : NULL;
}

/* clang-format off */
static const char memories_text[] =
    "#include \"%PREFIX%.h\"\n"
    "#include \"ash_dma_host.h\"\n"
    "\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "#include <string.h>\n"
    "#include <sys/mman.h>\n"
    "#include <unistd.h>\n"
    "\n"
    "#ifdef %UPPER%_CORES\n"
    "#include \"ash_cores_threads.h\"\n"
    "\n"
    "static ash_cores_threads threads;\n"
    "static const ash_cores cores = {ash_cores_threads_run, &threads};\n"
    "#endif\n"
    "\n"
    "enum { MEMORIES = sizeof memories / sizeof *memories, GUARD = 0xC7 };\n"
    "\n"
    "/* An array of exactly its memory's size: pages that nobody may touch on\n"
    " * both sides, and bytes that must not change up to them. */\n"
    "static struct {\n"
    "  unsigned char *pages, *start;\n"
    "  size_t size, used;\n"
    "} arrays[MEMORIES];\n"
    "\n"
    "static int fail(const char *what, const char *name) {\n"
    "  fprintf(stderr, \"ashlar test: %s %s\\n\", what, name);\n"
    "  return 0;\n"
    "}\n"
    "\n"
    "static int make_array(int m) {\n"
    "  const size_t page = (size_t)sysconf(_SC_PAGESIZE);\n"
    "  const size_t bytes = (size_t)memories[m].bytes;\n"
    "  const size_t size = (bytes + page) / page * page;\n"
    "  unsigned char *p = mmap(0, size + 2 * page, PROT_NONE,\n"
    "                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);\n"
    "  if (p == MAP_FAILED || mprotect(p + page, size, PROT_READ | PROT_WRITE))\n"
    "    return fail(\"no room for memory\", memories[m].name);\n"
    "  arrays[m].pages = p + page;\n"
    "  arrays[m].size = size;\n"
    "  arrays[m].start = p + page + (size - bytes) / 64 * 64;\n"
    "  memset(p + page, GUARD, (size_t)(arrays[m].start - (p + page)));\n"
    "  memset(arrays[m].start + bytes, GUARD,\n"
    "         (size_t)(p + page + size - (arrays[m].start + bytes)));\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "static int check_array(int m) {\n"
    "  const unsigned char *start = arrays[m].start;\n"
    "  const unsigned char *behind = start + memories[m].bytes;\n"
    "  for (const unsigned char *p = arrays[m].pages; p < start; p++)\n"
    "    if (*p != GUARD)\n"
    "      return fail(\"bytes were written before the start of\", memories[m].name);\n"
    "  for (const unsigned char *p = behind; p < arrays[m].pages + arrays[m].size; p++)\n"
    "    if (*p != GUARD)\n"
    "      return fail(\"bytes were written behind the end of\", memories[m].name);\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "/* Regions lie one behind the other; constants that are read in place are\n"
    " * elsewhere, but their bytes count. */\n"
    "static int place_region(%PREFIX%_context *ctx, uint32_t r) {\n"
    "  const int m = regions[r].memory;\n"
    "  const size_t align = regions[r].alignment;\n"
    "  const size_t at = (arrays[m].used + align - 1) / align * align;\n"
    "  arrays[m].used = at + regions[r].bytes;\n"
    "  if (arrays[m].used > memories[m].bytes)\n"
    "    return fail(\"the regions do not fit\", memories[m].name);\n"
    "  if (!regions[r].written)\n"
    "    return 1;\n"
    "  return %PREFIX%_bind_arena(ctx, r, arrays[m].start + at, regions[r].bytes) ==\n"
    "         %UPPER%_OK;\n"
    "}\n"
    "\n"
    "/* The processor cannot see what only DMA reaches. */\n"
    "static void hide(const %PREFIX%_context *ctx, int hidden) {\n"
    "  for (uint32_t r = 0; r < %UPPER%_REGION_COUNT; r++)\n"
    "    if (!memories[regions[r].memory].reach_cpu)\n"
    "      ash_dma_host_hide(regions[r].written ? ctx->region[r] : %PREFIX%_constants(ctx, r),\n"
    "                        regions[r].bytes, hidden);\n"
    "}\n"
    "\n";
static const char program_text[] =
    "static int read_inputs(%PREFIX%_context *ctx, FILE *in) {\n"
    "  for (uint32_t i = 0; i != %UPPER%_INPUT_COUNT; i++) {\n"
    "    %PREFIX%_tensor t = %PREFIX%_input(ctx, i);\n"
    "    void *bytes = malloc(t.bytes + 1);\n"
    "    if (!bytes || (t.bytes && fread(bytes, t.bytes, 1, in) != 1))\n"
    "      return fail(\"cannot read\", \"the inputs\");\n"
    "    ash_dma_host_copy(t.data, bytes, t.bytes);\n"
    "    free(bytes);\n"
    "  }\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "static int write_outputs(%PREFIX%_context *ctx, FILE *out) {\n"
    "  for (uint32_t i = 0; i != %UPPER%_OUTPUT_COUNT; i++) {\n"
    "    %PREFIX%_tensor t = %PREFIX%_output(ctx, i);\n"
    "    void *bytes = malloc(t.bytes + 1);\n"
    "    if (!bytes)\n"
    "      return fail(\"no memory for\", \"the outputs\");\n"
    "    ash_dma_host_copy(bytes, t.data, t.bytes);\n"
    "    if (t.bytes && fwrite(bytes, t.bytes, 1, out) != 1)\n"
    "      return fail(\"cannot write\", \"the outputs\");\n"
    "    free(bytes);\n"
    "  }\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "static int prepare(%PREFIX%_context *ctx, ash_dma_host *dma) {\n"
    "  for (int m = 0; m < (int)MEMORIES; m++)\n"
    "    if (!make_array(m))\n"
    "      return 0;\n"
    "  for (uint32_t r = 0; r < %UPPER%_REGION_COUNT; r++)\n"
    "    if (!place_region(ctx, r))\n"
    "      return 0;\n"
    "  for (uint32_t e = 0; e + 1 < sizeof engines / sizeof *engines; e++)\n"
    "    ash_dma_host_limit(dma, e, engines[e].ranks, engines[e].limit);\n"
    "#ifdef ASH_DMA_H_IS_USED\n"
    "  ctx->dma = ash_dma_host_port(dma);\n"
    "#endif\n"
    "#ifdef %UPPER%_CORES\n"
    "  if (ash_cores_threads_start(&threads, %UPPER%_CORES))\n"
    "    return fail(\"no threads for\", \"the cores\");\n"
    "  ctx->cores = &cores;\n"
    "#endif\n"
    "  if (%PREFIX%_init(ctx) != %UPPER%_OK)\n"
    "    return fail(\"the module does not\", \"start\");\n"
    "  hide(ctx, 1);\n"
    "  return 1;\n"
    "}\n"
    "\n"
    "static int finish(const %PREFIX%_context *ctx, ash_dma_host *dma,\n"
    "                  long cases) {\n"
    "  int right = 1;\n"
    "  const char *error = ash_dma_host_error(dma, 1);\n"
    "  hide(ctx, 0);\n"
    "  if (error)\n"
    "    right = fail(\"DMA:\", error);\n"
    "  if (planned_bytes && ash_dma_host_bytes(dma) != (uint64_t)cases * planned_bytes) {\n"
    "    fprintf(stderr, \"ashlar test: %llu bytes were moved, not %llu\\n\",\n"
    "            (unsigned long long)ash_dma_host_bytes(dma),\n"
    "            (unsigned long long)cases * planned_bytes);\n"
    "    right = 0;\n"
    "  }\n"
    "  for (int m = 0; m < (int)MEMORIES; m++)\n"
    "    right &= check_array(m);\n"
    "  ash_dma_host_drop(dma);\n"
    "#ifdef %UPPER%_CORES\n"
    "  ash_cores_threads_stop(&threads);\n"
    "#endif\n"
    "  return right;\n"
    "}\n"
    "\n"
    "int main(int argc, char **argv) {\n"
    "  static %PREFIX%_context ctx;\n"
    "  FILE *in = argc > 4 ? fopen(argv[1], \"rb\") : 0;\n"
    "  FILE *out = argc > 4 ? fopen(argv[2], \"wb\") : 0;\n"
    "  ash_dma_host *dma =\n"
    "      argc > 4 ? ash_dma_host_new((ash_dma_host_kind)strtol(argv[4], 0, 10)) : 0;\n"
    "  if (!in || !out || !dma)\n"
    "    return 74;\n"
    "  if (!prepare(&ctx, dma))\n"
    "    return 70;\n"
    "  for (long n = strtol(argv[3], 0, 10); n > 0; n--)\n"
    "    if (!read_inputs(&ctx, in) || %PREFIX%_run(&ctx) != %UPPER%_OK ||\n"
    "        !write_outputs(&ctx, out))\n"
    "      return 1;\n"
    "  if (!finish(&ctx, dma, strtol(argv[3], 0, 10)))\n"
    "    return 1;\n"
    "  fclose(in);\n"
    "  return fclose(out) == 0 ? 0 : 74;\n"
    "}\n";
/* clang-format on */

/* ---- tables ------------------------------------------------------------- */

typedef struct text {
  char *bytes;
  size_t count, capacity;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(text *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (t->bytes && t->count < t->capacity) {
    const int n =
        vsnprintf(t->bytes + t->count, t->capacity - t->count, format, args);
    t->count += n > 0 ? (size_t)n : 0;
  }
  va_end(args);
}

static unsigned memory_number(const ash_device *d, const char *name) {
  unsigned i = 0;
  while (i + 1 < d->memory_count && strcmp(d->memories[i].name, name) != 0)
    i++;
  return i;
}

static void put_memories(text *t, const ash_device *d) {
  put(t, "static const struct {\n  const char *name;\n  size_t bytes;\n"
         "  int reach_cpu;\n} memories[] = {\n");
  for (uint32_t i = 0; i < d->memory_count; i++)
    put(t, "    {\"%s\", %" PRIu64 "u, %d},\n", d->memories[i].name,
        d->memories[i].bytes, d->memories[i].reach_cpu);
  put(t, "};\n\n");
}

static void put_regions(text *t, const ash_compiled *c, const ash_device *d) {
  put(t, "static const struct {\n  int memory;\n  size_t bytes, alignment;\n"
         "  int written;\n} regions[] = {\n");
  for (uint32_t i = 0; i < c->render->arena_count; i++) {
    const ash_render_arena *a = &c->render->all_arenas[i];
    const bool cold =
        strcmp(a->role, ash_role_text(ASH_CONSTANT)) == 0 && !a->is_staged;
    put(t, "    {%u, %" PRIu64 "u, %" PRIu64 "u, %d},\n",
        memory_number(d, a->memory), a->size, a->alignment, !cold);
  }
  put(t, "    {0, 0, 1, 0}};\n\n");
}

static void put_engines(text *t, const ash_device *d) {
  put(t, "static const struct {\n  uint32_t ranks;\n  uint64_t limit;\n"
         "} engines[] = {\n");
  for (uint32_t i = 0; i < d->dma_count; i++)
    put(t, "    {%" PRIu32 "u, %" PRIu64 "u},\n", d->dmas[i].ranks,
        d->dmas[i].transfer_bytes_max);
  put(t, "    {0, 0}};\n\n");
}

/* Does DMA do all the moving? Else the processor does some of it. */
static bool has_all_engines(const ash_device *d) {
  for (uint32_t i = 0; i < d->memory_count; i++)
    for (uint32_t k = 0; k < d->memories[i].neighbour_count; k++)
      if (ash_device_dma(d, i, d->memories[i].neighbours[k]) == ASH_NO_DMA)
        return false;
  return true;
}

/* Does the op's result lie where it should before the op runs? */
static bool is_done_already(const ash_compiled *c, uint32_t op) {
  const ash_op *o = ash_graph_op(c->graph, op);
  const uint32_t out = ash_plan_slot_of_tensor(c->plan, o->outputs[0]);
  if (out == ASH_NO_ID || c->plan->slots[out].alias_kind == ASH_ALIAS_VIEW)
    return true;
  for (uint32_t k = 0; k < o->input_count; k++) {
    const uint32_t in = o->inputs[k] == ASH_NO_ID
                            ? ASH_NO_ID
                            : ash_plan_slot_of_tensor(c->plan, o->inputs[k]);
    if (in == ASH_NO_ID || c->plan->slots[in].alias_kind != ASH_ALIAS_MEMBER ||
        c->plan->slots[in].alias_of != out)
      return false;
  }
  return o->input_count > 0;
}

/* What the tilings say one run moves by DMA; 0: they do not say. */
static uint64_t planned_bytes(const ash_compiled *c, const ash_device *d) {
  const ash_tilings *t = has_all_engines(d) ? c->plan->tilings : NULL;
  uint64_t sum = 0;
  for (uint32_t i = 0; t && i < t->count; i++)
    if (t->items[i].space && !is_done_already(c, i))
      for (uint32_t k = 0; k < t->items[i].level_count; k++)
        sum += t->items[i].cost.bytes_moved[k];
  return sum;
}

static bool moves_tiles(const ash_compiled *c) {
  for (size_t i = 0; i < c->file_count; i++)
    if (strcmp(c->files[i].name, "ash_dma.h") == 0)
      return true;
  return false;
}

char *tiled_driver_text(const ash_compiled *c, const ash_device *d) {
  text t = {.capacity = 65536};
  t.bytes = malloc(t.capacity);
  put(&t, "#define _DEFAULT_SOURCE\n#include <stddef.h>\n#include "
          "<stdint.h>\n\n");
  if (moves_tiles(c))
    put(&t, "#define ASH_DMA_H_IS_USED 1\n");
  put_memories(&t, d);
  put_regions(&t, c, d);
  put_engines(&t, d);
  put(&t, "static const unsigned long long planned_bytes = %" PRIu64 "u;\n\n",
      planned_bytes(c, d));
  put(&t, "%s%s", memories_text, program_text);
  return t.bytes;
}

/* test_device.c - device files: every check with a right and a wrong case, the
 * built-in devices, and the questions a planner asks. */
#include "ashlar/device.h"
#include "base/ctx.h"
#include "base/nearest.h"
#include "base/yaml.h"
#include "check.h"
#include "context.h"
#include "faulty.h"

#include <unistd.h>

static void accept(const char *text) {
  ash_ctx *ctx = new_ctx();
  const ash_device *device;
  const ash_status status =
      ash_device_parse(ctx, &device, text, strlen(text), "d.yaml");
  if (ctx->diag_count)
    fprintf(stderr, "%s\n", ctx->diags[0].message);
  CHECK_EQ(status, ASH_OK);
  CHECK(device != NULL);
  ash_ctx_free(ctx);
}

/* The one diagnostic: its id and its line; the hint must contain `hint`. */
static void refuse(const char *text, ash_diag_id id, uint32_t line,
                   const char *hint) {
  ash_ctx *ctx = new_ctx();
  const ash_device *device;
  CHECK(ash_device_parse(ctx, &device, text, strlen(text), "d.yaml") != ASH_OK);
  CHECK(device == NULL);
  CHECK_EQ(ctx->diag_count, 1);
  CHECK_EQ(ctx->diags[0].id, id);
  CHECK_EQ(ctx->diags[0].loc.line, line);
  CHECK_STR(ctx->diags[0].loc.file, "d.yaml");
  if (hint)
    CHECK(ctx->diags[0].hint && strstr(ctx->diags[0].hint, hint));
  ash_ctx_free(ctx);
}

#define HEAD "name: d\ndefault: A\nmemories:\n"

static void the_smallest_device_is_accepted_and_completed(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d;
  const char text[] = HEAD "  - {name: A, bytes: 64K}\n"
                           "  - {name: F, bytes: 1M, kind: nvm}\n";
  CHECK_EQ(ash_device_parse(ctx, &d, text, sizeof text - 1, "d.yaml"), ASH_OK);
  CHECK_STR(d->name, "d");
  CHECK_STR(d->cpu, "generic");
  CHECK_EQ(d->alignment, 4);
  CHECK_EQ(d->features.cores, 1);
  CHECK_EQ(d->memory_count, 2);
  CHECK_EQ(d->memories[0].bytes, 65536);
  CHECK(d->memories[0].base == ASH_NO_BASE);
  CHECK_EQ(d->memories[0].neighbour_count, 1); /* a flat device: implied */
  CHECK_EQ(d->memories[0].neighbours[0], 1);
  CHECK_EQ(d->memories[0].line, 4);
  CHECK_EQ(d->default_memory, 0);
  CHECK_EQ(d->constant_memory, 1); /* the first nvm */
  CHECK(d->compute_memory == ASH_NO_MEMORY);
  CHECK(d->order_count == 2 && d->order[0] == 0 && d->order[1] == 1);
  ash_ctx_free(ctx);
}

static void names_are_required_unique_and_usable(void) {
  refuse("default: A\nmemories: [{name: A, bytes: 1}]\n", ASH_D_yaml_missing, 1,
         NULL);
  refuse(HEAD "  - {bytes: 1}\n", ASH_D_yaml_missing, 4, NULL);
  refuse(HEAD "  - {name: 1A, bytes: 1}\n", ASH_D_device_name, 4, "letter");
  refuse("name: a/b\ndefault: A\nmemories: [{name: A, bytes: 1}]\n",
         ASH_D_device_name, 1, NULL);
  refuse(HEAD "  - {name: A, bytes: 1}\n  - {name: a, bytes: 2}\n",
         ASH_D_device_duplicate, 5, "case");
  accept(HEAD "  - {name: A, bytes: 1}\n  - {name: a1, bytes: 2}\n");
}

static void sizes_must_be_positive_and_readable(void) {
  refuse(HEAD "  - {name: A}\n", ASH_D_yaml_missing, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 0}\n", ASH_D_device_bytes, 4, "64K");
  refuse(HEAD "  - {name: A, bytes: -5}\n", ASH_D_device_bytes, 4, "64K");
  refuse(HEAD "  - {name: A, bytes: 1.5M}\n", ASH_D_device_bytes, 4, "64K");
  refuse(HEAD "  - {name: A, bytes: 99999999G}\n", ASH_D_device_bytes, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: [1]}\n", ASH_D_yaml_kind, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 1, bank: 0}\n", ASH_D_device_bytes, 4,
         NULL);
  accept(HEAD "  - {name: A, bytes: 0x100, bank: 1K}\n");
}

static void neighbours_must_exist_and_be_mutual(void) {
  accept(HEAD "  - {name: A, bytes: 1, neighbours: [B]}\n"
              "  - {name: B, bytes: 1, neighbours: [A]}\n");
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: [DTCN]}\n"
              "  - {name: DTCM, bytes: 1, neighbours: [A]}\n",
         ASH_D_device_neighbour_unknown, 4, "DTCM");
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: [B]}\n"
              "  - {name: B, bytes: 1, neighbours: []}\n",
         ASH_D_device_neighbour_asymmetric, 5, "add A");
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: [A]}\n",
         ASH_D_device_neighbour_self, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: [B, B]}\n"
              "  - {name: B, bytes: 1, neighbours: [A]}\n",
         ASH_D_device_repeated, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: B}\n", ASH_D_yaml_kind, 4,
         NULL);
}

static void the_default_must_be_given_and_writable(void) {
  refuse("name: d\nmemories: [{name: A, bytes: 1}]\n", ASH_D_device_no_default,
         1, "default: NAME");
  refuse("name: d\ndefault: SRAN\nmemories: [{name: SRAM, bytes: 1}]\n",
         ASH_D_device_memory_unknown, 2, "SRAM");
  refuse(HEAD "  - {name: A, bytes: 1, kind: nvm}\n", ASH_D_device_role, 4,
         NULL);
  refuse("name: d\ndefault: A\n", ASH_D_yaml_missing, 1, NULL);
}

static void the_compute_memory_must_be_reachable(void) {
  accept(HEAD "  - {name: A, bytes: 1, neighbours: [B]}\n"
              "  - {name: B, bytes: 1, neighbours: [A, C]}\n"
              "  - {name: C, bytes: 1, neighbours: [B]}\n"
              "compute: C\n");
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: []}\n"
              "  - {name: C, bytes: 1, neighbours: []}\n"
              "compute: C\n",
         ASH_D_device_compute, 5, "neighbours");
  refuse(HEAD "  - {name: A, bytes: 1}\n"
              "  - {name: C, bytes: 1, reach: [dma]}\n"
              "compute: C\n",
         ASH_D_device_compute, 5, NULL);
  refuse(HEAD "  - {name: A, bytes: 1, neighbours: [F]}\n"
              "  - {name: F, bytes: 1, neighbours: [A, C], kind: nvm}\n"
              "  - {name: C, bytes: 1, neighbours: [F]}\n"
              "compute: C\n",
         ASH_D_device_compute, 6, NULL); /* not through flash */
  refuse(HEAD "  - {name: A, bytes: 1}\n"
              "  - {name: C, bytes: 1, kind: nvm}\n"
              "compute: C\n",
         ASH_D_device_role, 5, NULL);
}

static void unknown_keys_are_errors_with_a_suggestion(void) {
  refuse(HEAD "  - {name: A, bytes: 1}\nfeature: {}\n", ASH_D_yaml_unknown_key,
         5, "features");
  refuse(HEAD "  - {name: A, bytes: 1, neighbors: []}\n",
         ASH_D_yaml_unknown_key, 4, "neighbours");
  refuse(HEAD "  - {name: A, bytes: 1}\nfeatures: {dps: true}\n",
         ASH_D_yaml_unknown_key, 5, "dsp");
  refuse(HEAD "  - name: A\n    bytes: 1\n    sections: {zero: .bss}\n",
         ASH_D_yaml_unknown_key, 6, "zeroed");
  refuse(HEAD "  - name: A\n    bytes: 1\n    sections:\n"
              "      zeroed: '.x\"))); int injected;'\n",
         ASH_D_device_name, 7, "letters");
  refuse(HEAD "  - name: A\n    bytes: 1\n    sections: {code: ''}\n",
         ASH_D_device_name, 6, "letters");
  refuse("[]\n", ASH_D_yaml_kind, 1, NULL);
  refuse("", ASH_D_yaml_kind, 1, NULL);
}

static void kinds_are_ram_or_nvm(void) {
  accept(HEAD "  - {name: A, bytes: 1, kind: ram, write_cost: 5}\n");
  refuse(HEAD "  - {name: A, bytes: 1, kind: rom}\n", ASH_D_device_kind, 4,
         "nvm");
  refuse(HEAD "  - {name: A, bytes: 1, kind: nvm, write_cost: 5}\n",
         ASH_D_device_kind, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 1, linkable: yes}\n", ASH_D_yaml_kind, 4,
         NULL);
  refuse(HEAD "  - {name: A, bytes: 1, read_cost: -1}\n", ASH_D_yaml_kind, 4,
         NULL);
  refuse(HEAD "  - {name: A, bytes: 1, read_cost: 4000000000}\n",
         ASH_D_yaml_range, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 1}\nfeatures: {cores: 0}\n",
         ASH_D_yaml_range, 5, NULL);
}

static void alignments_are_powers_of_two(void) {
  accept(HEAD "  - {name: A, bytes: 1, alignment: 32}\nalignment: 8\n");
  refuse(HEAD "  - {name: A, bytes: 1, alignment: 12}\n",
         ASH_D_device_alignment, 4, NULL);
  accept(HEAD "  - {name: A, bytes: 1, alignment: 32}\nalignment: 16\n"
              "features: {pie: true}\n");
  refuse(HEAD "  - {name: A, bytes: 1, alignment: 8}\nalignment: 16\n"
              "features: {pie: true}\n",
         ASH_D_device_alignment, 4, "say 'alignment: 16' for the device");
  refuse(HEAD "  - {name: A, bytes: 1}\nalignment: 0\n", ASH_D_device_alignment,
         5, NULL);
}

static void address_ranges_must_not_overlap(void) {
  accept(HEAD "  - {name: A, bytes: 0x100, base: 0x1000}\n"
              "  - {name: B, bytes: 0x100, base: 0x1100}\n");
  refuse(HEAD "  - {name: A, bytes: 0x101, base: 0x1000}\n"
              "  - {name: B, bytes: 0x100, base: 0x1100}\n",
         ASH_D_device_overlap, 5, "base");
  refuse(HEAD "  - {name: A, bytes: 2, base: 0xffffffffffffffff}\n",
         ASH_D_device_base, 4, NULL);
  refuse(HEAD "  - {name: A, bytes: 2, base: -1}\n", ASH_D_yaml_kind, 4, NULL);
}

static void the_reserve_fits_into_the_memory(void) {
  accept(HEAD "  - {name: A, bytes: 1K, reserve: 1K}\n");
  refuse(HEAD "  - name: A\n    bytes: 1K\n    reserve: 1025\n",
         ASH_D_device_reserve, 6, "stack");
}

static void somebody_reaches_every_memory(void) {
  accept(HEAD "  - {name: A, bytes: 1, reach: [dma, cpu]}\n");
  refuse(HEAD "  - {name: A, bytes: 1, reach: [gpu]}\n", ASH_D_device_reach, 4,
         NULL);
  refuse(HEAD "  - {name: A, bytes: 1, reach: []}\n", ASH_D_device_reach, 4,
         NULL);
}

static void orders_list_known_memories_once(void) {
  accept(HEAD "  - {name: A, bytes: 1}\norder: [A]\n");
  refuse(HEAD "  - {name: A, bytes: 1}\norder: [A, A]\n", ASH_D_device_repeated,
         5, NULL);
  refuse(HEAD "  - {name: A, bytes: 1}\norder: [Q]\n",
         ASH_D_device_memory_unknown, 5, NULL);
  refuse(HEAD "  - {name: A, bytes: 1}\nconstants: MRAM\n",
         ASH_D_device_memory_unknown, 5, "d has: A");
}

#define TWO                                                                    \
  HEAD "  - {name: A, bytes: 1, reach: [cpu, dma]}\n"                          \
       "  - {name: B, bytes: 1, reach: [cpu, dma]}\n"                          \
       "  - {name: C, bytes: 1}\n"                                             \
       "dma:\n"

static void dma_engines_make_sense(void) {
  accept(TWO "  - {name: D, ranks: [1, 2], max_transfer: 64K}\n");
  accept(TWO "  - {name: D, row_cycles: 4, beat: 8}\n");
  refuse(TWO "  - {name: D, beat: 100000}\n", ASH_D_yaml_range, 8, NULL);
  refuse(TWO "  - {name: D, memories: [A, C]}\n", ASH_D_device_dma, 8, NULL);
  refuse(TWO "  - {name: D, memories: [A]}\n", ASH_D_device_dma, 8, NULL);
  refuse(TWO "  - {name: D, memories: [A, X9]}\n", ASH_D_device_memory_unknown,
         8, NULL);
  refuse(TWO "  - {name: D, ranks: []}\n", ASH_D_device_dma, 8, NULL);
  refuse(TWO "  - {name: D, ranks: [0]}\n", ASH_D_device_dma, 8, NULL);
  refuse(TWO "  - {name: D, ranks: [9]}\n", ASH_D_yaml_range, 8, NULL);
  refuse(TWO "  - {name: D, bytes_per_kilocycle: 0}\n", ASH_D_device_dma, 8,
         NULL);
  refuse(TWO "  - {name: D}\n  - {name: D}\n", ASH_D_device_duplicate, 9, NULL);
  refuse(TWO "  - {name: D, rank: [1]}\n", ASH_D_yaml_unknown_key, 8, "ranks");
}

static void too_many_memories_are_refused(void) {
  char text[2048] = "name: d\ndefault: M0\nmemories:\n";
  for (int i = 0; i <= ASH_MEMORY_MAX; i++) {
    char line[40];
    (void)snprintf(line, sizeof line, "  - {name: M%d, bytes: 1}\n", i);
    if (i == ASH_MEMORY_MAX)
      accept(text);
    strcat(text, line);
  }
  refuse(text, ASH_D_device_limit, 4, NULL);
}

static void every_built_in_dumps_and_reloads_identically(void) {
  size_t count = 0;
  for (; ash_device_builtin(count); count++) {
    ash_ctx *ctx = new_ctx();
    const ash_device *d, *again;
    const char *one, *two;
    size_t one_count, two_count;
    if (ash_device_load(ctx, &d, ash_device_builtin(count)) != ASH_OK) {
      char line[300];
      (void)ash_diag_format(line, sizeof line, &ctx->diags[0]);
      fprintf(stderr, "%s\n", line);
    }
    CHECK(d != NULL);
    CHECK_STR(d->name, ash_device_builtin(count));
    CHECK(d->description != NULL);
    CHECK_EQ(ash_device_dump(ctx, &one, &one_count, d), ASH_OK);
    CHECK_EQ(ash_device_parse(ctx, &again, one, one_count, "dump"), ASH_OK);
    CHECK_EQ(ash_device_dump(ctx, &two, &two_count, again), ASH_OK);
    CHECK_EQ(one_count, two_count);
    CHECK_STR(one, two);
    CHECK_EQ(ctx->diag_count, 0);
    ash_ctx_free(ctx);
  }
  CHECK(count >= 38);
}

static void odd_descriptions_survive_a_dump(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d;
  const char *text;
  size_t count;
  const char file[] =
      "name: d\ndefault: A\nmemories: [{name: A, bytes: 1}]\n"
      "description: \"q\\\" b\\\\ n\\n \\x07 \\x85 \\u2028 \xc2\xb5 "
      "\xf0\x9f\x98\x80\"\n";
  CHECK_EQ(ash_device_parse(ctx, &d, file, sizeof file - 1, "d"), ASH_OK);
  const char *before = d->description;
  CHECK_EQ(ash_device_dump(ctx, &text, &count, d), ASH_OK);
  CHECK_EQ(ash_device_parse(ctx, &d, text, count, "dump"), ASH_OK);
  CHECK_STR(d->description, before);
  ash_ctx_free(ctx);
}

static void apollo510_is_as_its_linker_script_says(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d;
  uint32_t dtcm, mram;
  CHECK_EQ(ash_device_load(ctx, &d, "apollo510"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &dtcm, d, "dtcm"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &mram, d, "MRAM"), ASH_OK);
  CHECK_EQ(ash_device_memory_budget(&d->memories[dtcm]), 507904);
  CHECK_EQ(d->memories[dtcm].base, 0x20000000);
  CHECK_EQ(d->default_memory, dtcm);
  CHECK_EQ(d->constant_memory, mram);
  CHECK_EQ(d->memories[dtcm].alignment, 16);
  CHECK(d->features.mve && d->features.cores == 1);
  CHECK_EQ(d->order_count, 3);
  CHECK_STR(d->memories[d->order[1]].name, "SRAM");
  ash_ctx_free(ctx);
}

static void paths_are_shortest_and_avoid_flash(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d;
  uint32_t path[ASH_MEMORY_MAX], l1, l2, l3, weights;
  CHECK_EQ(ash_device_load(ctx, &d, "deeploy"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &l1, d, "L1"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &l2, d, "L2"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &l3, d, "L3"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &weights, d, "WeightMemory_SRAM"),
           ASH_OK);
  CHECK_EQ(ash_device_path(d, l3, l1, path), 3);
  CHECK(path[0] == l3 && path[1] == l2 && path[2] == l1);
  CHECK_EQ(ash_device_path(d, l1, l1, path), 1);
  CHECK_EQ(path[0], l1);
  CHECK_EQ(ash_device_path(d, weights, l1, path), 0);
  CHECK_STR(d->dmas[ash_device_dma(d, l1, l2)].name, "MCHAN");
  CHECK_STR(d->dmas[ash_device_dma(d, l3, l2)].name, "L3DMA");
  CHECK(ash_device_dma(d, l3, l1) == ASH_NO_DMA);
  ash_ctx_free(ctx);
}

static void devices_load_by_name_or_path(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d;
  char dir[] = "/tmp/ashlar-test-XXXXXX", path[64];
  CHECK(mkdtemp(dir) != NULL);
  (void)snprintf(path, sizeof path, "%s/d.yaml", dir);
  FILE *file = fopen(path, "wb");
  CHECK(file != NULL);
  fputs(HEAD "  - {name: A, bytes: 1}\n", file);
  fclose(file);
  CHECK_EQ(ash_device_load(ctx, &d, path), ASH_OK);
  CHECK_STR(d->file, path);
  CHECK_EQ(remove(path), 0);
  CHECK_EQ(ash_device_load(ctx, &d, path), ASH_IO);
  CHECK(d == NULL);
  CHECK_EQ(rmdir(dir), 0);
  ash_ctx_forget(ctx);
  CHECK_EQ(ash_device_load(ctx, &d, "apolo510"), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[0].id, ASH_D_device_unknown);
  CHECK(strstr(ctx->diags[0].hint, "'apollo510'"));
  ash_ctx_free(ctx);
}

static void sizes_are_read_and_written(void) {
  uint64_t bytes;
  char buf[24];
  CHECK(ash_parse_bytes(&bytes, "64K") && bytes == 65536);
  CHECK(ash_parse_bytes(&bytes, "1M") && bytes == 1048576);
  CHECK(ash_parse_bytes(&bytes, "2GiB") && bytes == (uint64_t)2 << 30);
  CHECK(ash_parse_bytes(&bytes, "0x100") && bytes == 256);
  CHECK(ash_parse_bytes(&bytes, "64000") && bytes == 64000);
  CHECK(ash_parse_bytes(&bytes, "18446744073709551615") && bytes == UINT64_MAX);
  static const char *const wrong[] = {"",
                                      "K",
                                      "-1",
                                      "1.5M",
                                      "64KB",
                                      "0x",
                                      " 1",
                                      "1 ",
                                      "64 K",
                                      "1e3",
                                      "18446744073709551616",
                                      "18014398509481984K"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CHECK(!ash_parse_bytes(&bytes, wrong[i]));
  CHECK_STR(ash_format_bytes(buf, sizeof buf, 0), "0");
  CHECK_STR(ash_format_bytes(buf, sizeof buf, 1536), "1536");
  CHECK_STR(ash_format_bytes(buf, sizeof buf, 1536 * 1024), "1536K");
  CHECK_STR(ash_format_bytes(buf, sizeof buf, (uint64_t)3 << 40), "3072G");
  CHECK_STR(ash_format_bytes(buf, sizeof buf, UINT64_MAX),
            "18446744073709551615");
}

static void what_if_sizes_change_a_copy(void) {
  ash_ctx *ctx = new_ctx();
  const ash_device *d, *before;
  uint32_t dtcm;
  CHECK_EQ(ash_device_load(ctx, &d, "apollo510"), ASH_OK);
  CHECK_EQ(ash_device_find_memory(ctx, &dtcm, d, "DTCM"), ASH_OK);
  before = d;
  CHECK_EQ(ash_device_set_bytes(ctx, &d, "dtcm", 65536), ASH_OK);
  CHECK(d != before && before->memories[dtcm].bytes == 524288);
  CHECK_EQ(d->memories[dtcm].bytes, 65536);
  CHECK_EQ(d->memories[dtcm].base, 0x20000000);
  CHECK_EQ(ctx->diag_count, 0);
  CHECK_EQ(ash_device_set_bytes(ctx, &d, "DTCM", 1 << 20), ASH_OK);
  CHECK(d->memories[dtcm].base == ASH_NO_BASE); /* would reach into SRAM */
  CHECK_EQ(ctx->diags[0].severity, ASH_NOTE);
  ash_ctx_forget(ctx);
  before = d;
  CHECK_EQ(ash_device_set_bytes(ctx, &d, "DTCM", 4096), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[0].id, ASH_D_device_reserve);
  CHECK_EQ(ash_device_set_bytes(ctx, &d, "DTCM", 0), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[1].id, ASH_D_device_bytes);
  CHECK_EQ(ash_device_set_bytes(ctx, &d, "DTCN", 4096), ASH_MALFORMED);
  CHECK_EQ(ctx->diags[2].id, ASH_D_device_memory_unknown);
  CHECK(strstr(ctx->diags[2].hint, "'DTCM'"));
  CHECK(d == before);
  ash_ctx_free(ctx);
}

static void near_words_are_suggested_and_far_ones_not(void) {
  static const char *const known[] = {"neighbours", "bytes", "base"};
  CHECK_EQ(ash_edit_distance("kitten", "sitting"), 3);
  CHECK_EQ(ash_edit_distance("", "abc"), 3);
  CHECK_EQ(ash_edit_distance("ABC", "abc"), 0);
  CHECK_STR(ash_nearest_of("neighbors", known, 3), "neighbours");
  CHECK_STR(ash_nearest_of("byte", known, 3), "bytes");
  CHECK(ash_nearest_of("wavelength", known, 3) == NULL);
  char word[300];
  memset(word, 'x', sizeof word);
  word[299] = '\0';
  CHECK(ash_nearest_of(word, known, 3) == NULL);
}

/* ---- allocation failures ------------------------------------------------ */

static ash_status use_everything(ash_ctx *ctx) {
  const ash_device *d;
  const char *text;
  size_t count;
  ASH_TRY(ash_device_load(ctx, &d, "apollo510"));
  ASH_TRY(ash_device_set_bytes(ctx, &d, "SRAM", 65536));
  return ash_device_dump(ctx, &text, &count, d);
}

static void every_allocation_may_fail(void) {
  for (size_t n = 1;; n++) {
    faulty f = {.fail_at = n};
    const ash_allocator mem = faulty_allocator(&f);
    ash_ctx *ctx;
    ash_status status = ash_ctx_new(&ctx, &mem);
    if (status == ASH_OK)
      status = use_everything(ctx);
    ash_ctx_free(ctx);
    CHECK_EQ(f.live_bytes, 0);
    if (status == ASH_OK)
      return;
    CHECK_EQ(status, ASH_NOMEM);
  }
}

#define TESTS(X)                                                               \
  X(the_smallest_device_is_accepted_and_completed)                             \
  X(names_are_required_unique_and_usable)                                      \
  X(sizes_must_be_positive_and_readable)                                       \
  X(neighbours_must_exist_and_be_mutual)                                       \
  X(the_default_must_be_given_and_writable)                                    \
  X(the_compute_memory_must_be_reachable)                                      \
  X(unknown_keys_are_errors_with_a_suggestion)                                 \
  X(kinds_are_ram_or_nvm)                                                      \
  X(alignments_are_powers_of_two)                                              \
  X(address_ranges_must_not_overlap)                                           \
  X(the_reserve_fits_into_the_memory)                                          \
  X(somebody_reaches_every_memory)                                             \
  X(orders_list_known_memories_once)                                           \
  X(dma_engines_make_sense)                                                    \
  X(too_many_memories_are_refused)                                             \
  X(every_built_in_dumps_and_reloads_identically)                              \
  X(odd_descriptions_survive_a_dump)                                           \
  X(apollo510_is_as_its_linker_script_says)                                    \
  X(paths_are_shortest_and_avoid_flash)                                        \
  X(devices_load_by_name_or_path)                                              \
  X(sizes_are_read_and_written)                                                \
  X(what_if_sizes_change_a_copy)                                               \
  X(near_words_are_suggested_and_far_ones_not)                                 \
  X(every_allocation_may_fail)
TEST_MAIN(TESTS)

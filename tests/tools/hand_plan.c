/* hand_plan.c - compiles a model with a plan changed by hand, for tests of the
 * module that do not depend on what planners choose.
 *
 *   hand_plan MODEL DEVICE FOLDER [WORD=VALUE...]
 *     scratch=MEM    moves the scratch arena to MEM
 *     state=MEM      moves the persistent arena to MEM
 *     constants=MEM  constants are read in place from MEM
 *     stage=MEM      constants are copied to MEM at init
 *     form=FORM      hex, incbin, sidecar, embed
 *     order=rows     operators run row by row
 *     feed=INPUT     .. and rows of this input arrive
 *     moves=1        rows that lie apart move in the middle of their lives */
#include "ashlar/compile.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 4096 };

static ash_slot slots[MANY];
static ash_arena arenas[32];

static void move_role(ash_plan *p, ash_role role, const char *memory,
                      const char *source) {
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (arenas[i].role == role) {
      arenas[i].memory = memory;
      arenas[i].source_memory = source ? source : memory;
    }
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (slots[i].binding.role == role) {
      slots[i].binding.memory = memory;
      slots[i].binding.source_memory = source ? source : memory;
    }
}

/* ---- rows that move ------------------------------------------------------ */

static int is_shared(const ash_plan *p, uint32_t slot) {
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (slots[i].alias_of == slot)
      return 1;
  return slots[slot].alias_of != ASH_NO_ID;
}

/* Rows that lie one after the other belong to somebody who needs them so. */
static int is_apart(const ash_plan *p, uint32_t tensor) {
  uint64_t base = UINT64_MAX;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    if (slots[i].tensor != tensor || !slots[i].has_row)
      continue;
    const uint64_t at = slots[i].binding.offset - slots[i].row * slots[i].size;
    if (base != UINT64_MAX && at != base)
      return 1;
    base = at;
  }
  return 0;
}

static ash_arena *arena_of(const ash_plan *p, const ash_slot *s) {
  uint32_t i = 0;
  while (arenas[i].role != s->binding.role ||
         strcmp(arenas[i].memory, s->binding.memory) != 0)
    i++;
  return i < p->arena_count ? &arenas[i] : &arenas[0];
}

/* The row of slot `from` lies at `offset` from step `step` on. */
static uint32_t move_row(ash_plan *p, uint32_t from, uint32_t step,
                         uint64_t offset) {
  ash_slot *s = &slots[p->slot_count];
  *s = slots[from];
  s->moved_from = from;
  s->life.first_step = step;
  s->binding.offset = offset;
  slots[from].life.end_step = step;
  return p->slot_count++;
}

/* To a new place at the end of the arena, and later on by half a row. */
static void move_rows(ash_plan *p) {
  const uint32_t count = p->slot_count;
  for (uint32_t i = 0; i < count; i++) {
    const ash_slot *s = &slots[i];
    const uint32_t steps = s->life.end_step - s->life.first_step;
    if (!s->has_row || is_shared(p, i) || !is_apart(p, s->tensor) ||
        steps < 2 || p->slot_count + 2 > MANY)
      continue;
    ash_arena *a = arena_of(p, s);
    const uint64_t place = a->size;
    const uint64_t half = s->alignment * (s->size / 2 / s->alignment);
    const uint32_t first = s->life.first_step;
    const uint32_t moved = move_row(p, i, first + 1, place);
    if (steps > 2)
      move_row(p, moved, first + 1 + steps / 2, place + half);
    a->size += s->size + half + (16 - (s->size + half) % 16) % 16;
  }
}

static int change(ash_plan *p, const ash_device *device, const char *word,
                  ash_emit_options *emit) {
  const char *value = strchr(word, '=');
  const char *source = device->memories[device->constant_memory].name;
  if (!value++)
    return 0;
  if (strncmp(word, "scratch", 7) == 0)
    move_role(p, ASH_SCRATCH, value, NULL);
  else if (strncmp(word, "state", 5) == 0)
    move_role(p, ASH_PERSISTENT, value, NULL);
  else if (strncmp(word, "constants", 9) == 0)
    move_role(p, ASH_CONSTANT, value, NULL);
  else if (strncmp(word, "stage", 5) == 0)
    move_role(p, ASH_CONSTANT, value, source);
  else if (strncmp(word, "form", 4) == 0)
    emit->constants = ash_constants_find(value);
  else if (strncmp(word, "moves", 5) == 0)
    move_rows(p);
  else if (strncmp(word, "order", 5) != 0 && strncmp(word, "feed", 4) != 0)
    return 0;
  return 1;
}

/* What must be known before there is a plan. */
static void ask(ash_plan_options *options, const char **feed, char **words,
                int count) {
  for (int i = 0; i < count; i++) {
    if (strcmp(words[i], "order=rows") == 0)
      options->order = ASH_ORDER_ROWS;
    if (strncmp(words[i], "feed=", 5) != 0)
      continue;
    *feed = words[i] + 5;
    options->feed = feed;
    options->feed_count = 1;
  }
}

static ash_status write_module(ash_ctx *ctx, ash_compiled *c,
                               const ash_device *device, const char *prefix,
                               const char *folder,
                               const ash_emit_options *emit) {
  ash_generated json = {.name = "plan.json"};
  ash_status status = ash_emit_module(ctx, c, device, prefix, emit);
  if (status == ASH_OK)
    status = ash_write_files(ctx, folder, c->files, c->file_count);
  if (status == ASH_OK)
    status = ash_plan_json(ctx, &json.bytes, &json.count, c->plan, c->graph);
  return status == ASH_OK ? ash_write_files(ctx, folder, &json, 1) : status;
}

static ash_status compile(ash_ctx *ctx, int argc, char **argv) {
  const ash_device *device;
  ash_compile_options options = {.stop = true, .stop_after = ASH_STAGE_PLAN};
  const char *feed;
  ash_emit_options emit = {0};
  ash_compiled c;
  ash_status status = ash_device_load(ctx, &device, argv[2]);
  if (status != ASH_OK)
    return status;
  ask(&options.plan, &feed, argv + 4, argc - 4);
  status = ash_compile(ctx, &c, argv[1], device, &options);
  if (status == ASH_OK) {
    ash_plan plan = *c.plan;
    memcpy(slots, plan.slots, plan.slot_count * sizeof *slots);
    memcpy(arenas, plan.arenas, plan.arena_count * sizeof *arenas);
    plan.slots = slots;
    plan.arenas = arenas;
    c.plan = &plan;
    for (int i = 4; i < argc && status == ASH_OK; i++)
      if (!change(&plan, device, argv[i], &emit))
        status = ASH_MISUSE;
    if (status == ASH_OK)
      status = write_module(ctx, &c, device, ash_default_prefix(ctx, argv[1]),
                            argv[3], &emit);
  }
  ash_compiled_drop(&c);
  return status;
}

int main(int argc, char **argv) {
  ash_ctx *ctx;
  size_t count;
  char text[512];
  if (argc < 4 || ash_ctx_new(&ctx, NULL) != ASH_OK)
    return 64;
  const ash_status status = compile(ctx, argc, argv);
  const ash_diag *diags = ash_ctx_diags(ctx, &count);
  for (size_t i = 0; i < count; i++) {
    (void)ash_diag_format(text, sizeof text, &diags[i]);
    fprintf(stderr, "%s\n", text);
  }
  ash_ctx_free(ctx);
  return (int)status;
}

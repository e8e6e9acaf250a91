/* hierarchy.c - see hierarchy.h. */
#include "tile/hierarchy.h"

#include "base/checked.h"
#include "graph/graph.h"
#include "op/reads.h"
#include "op/views.h"

/* ---- homes -------------------------------------------------------------- */

static ash_status find_memory(const ash_hierarchy *h, uint32_t *out,
                              const char *name, uint32_t otherwise) {
  ASH_ASSERT(otherwise < h->device->memory_count);
  *out = otherwise;
  return name ? ash_device_find_memory(h->ctx, out, h->device, name) : ASH_OK;
}

static bool is_ruled(const ash_tensor_attributes *a) {
  return a->memory != ASH_NO_MEMORY || a->destination != ASH_NO_MEMORY;
}

static uint32_t home_of(const ash_hierarchy *h, const ash_tensor *t,
                        const ash_tensor_attributes *a, uint32_t main,
                        uint32_t io) {
  if (a->destination != ASH_NO_MEMORY)
    return a->destination;
  if (a->memory != ASH_NO_MEMORY)
    return a->memory;
  if (t->kind == ASH_TENSOR_INPUT || t->is_output)
    return io;
  if (t->kind == ASH_TENSOR_CONSTANT && !h->options->default_memory)
    return h->device->constant_memory;
  if (t->kind == ASH_TENSOR_VARIABLE) /* the processor starts and updates it */
    return ash_hierarchy_near(h, main);
  return main;
}

/* A view that may live anywhere lives where it looks; a variable may not. */
static void pull_views(ash_hierarchy *h) {
  for (uint32_t op = 0; op < h->g->op_count; op++) {
    const ash_op *o = &h->g->ops.items[op];
    for (uint32_t k = 0; k < o->output_count; k++) {
      const ash_tensor *t = &h->g->tensors.items[o->outputs[k]];
      uint32_t input;
      uint64_t offset;
      if (ash_op_is_view(h->g, op, k, &input, &offset) && !t->is_output &&
          t->kind != ASH_TENSOR_VARIABLE && !h->ruled[o->outputs[k]])
        h->home[o->outputs[k]] = h->home[o->inputs[input]];
      ASH_ASSERT(h->home[o->outputs[k]] < h->device->memory_count);
    }
  }
}

/* The processor writes first values, and operators with state update them. */
static ash_status check_state(const ash_hierarchy *h, uint32_t tensor) {
  ASH_ASSERT(h->home[tensor] < h->device->memory_count);
  const ash_tensor *t = &h->g->tensors.items[tensor];
  const ash_memory *m = &h->device->memories[h->home[tensor]];
  if (t->kind != ASH_TENSOR_VARIABLE || m->reach_cpu)
    return ASH_OK;
  return ash_fail(h->ctx, ASH_UNSUPPORTED, ASH_D_tile_reach,
                  ash_graph_loc(h->g, ASH_NO_ID, tensor),
                  "state '%s' is to live in %s, which the processor does not "
                  "reach",
                  t->name, m->name);
}

static ash_status choose_homes(ash_hierarchy *h) {
  const ash_tensor_attributes *asked = h->ask->rules.tensors;
  uint32_t main, io;
  ASH_TRY(find_memory(h, &main, h->options->default_memory,
                      h->device->default_memory));
  ASH_TRY(find_memory(h, &io, h->options->io_memory, main));
  for (uint32_t i = 0; i < h->g->tensor_count; i++) {
    h->ruled[i] = is_ruled(&asked[i]);
    h->home[i] = home_of(h, &h->g->tensors.items[i], &asked[i], main, io);
    ASH_TRY(check_state(h, i));
  }
  pull_views(h);
  return ASH_OK;
}

/* ---- residents ---------------------------------------------------------- */

void ash_hierarchy_enter(ash_hierarchy *h, uint32_t memory, uint64_t bytes,
                         ash_use life) {
  ASH_ASSERT(life.first < life.end && life.end <= h->step_count);
  ASH_ASSERT(memory < h->device->memory_count);
  const uint64_t own =
      ash_align_up(bytes, h->device->memories[memory].alignment);
  for (uint32_t s = life.first; s < life.end; s++)
    h->taken[memory][s] += own;
}

void ash_hierarchy_leave(ash_hierarchy *h, uint32_t tensor) {
  const uint32_t from = h->home[tensor];
  ASH_ASSERT(from < h->device->memory_count);
  const uint64_t own = ash_align_up(h->g->tensors.items[tensor].bytes,
                                    h->device->memories[from].alignment);
  for (uint32_t s = h->uses[tensor].first; s < h->uses[tensor].end; s++) {
    ASH_ASSERT(h->taken[from][s] >= own);
    h->taken[from][s] -= own;
  }
}

static void touch(ash_use *u, uint32_t step) {
  if (u->end == 0 || step < u->first)
    u->first = step;
  if (step >= u->end)
    u->end = step + 1;
  ASH_ASSERT(u->first <= step && step < u->end);
}

static ash_status number_steps(ash_hierarchy *h) {
  const size_t ops = h->g->op_count;
  const ash_steps *steps = &h->ask->steps;
  ash_zone *z = &h->ctx->scratch;
  h->step_count = steps->count;
  h->step_of = ASH_NEW_ARRAY(z, uint32_t, ops + 1);
  h->sharers = ASH_NEW_ARRAY(z, uint32_t, h->step_count + 1u);
  ASH_TRY(ash_zone_check(h->ctx, z));
  for (uint32_t s = 0; s < h->step_count; s++) {
    h->sharers[s] = steps->items[s].op_count;
    ASH_ASSERT(h->sharers[s] > 0);
    for (uint32_t k = 0; k < h->sharers[s]; k++)
      h->step_of[steps->items[s].ops[k]] = s;
  }
  return ASH_OK;
}

/* Lifetimes without aliases: what is shared frees room that nobody counts on
 * here. */
static ash_status count_residents(ash_hierarchy *h) {
  const ash_graph *g = h->g;
  ash_use *uses = ASH_NEW_ARRAY(&h->ctx->scratch, ash_use, g->tensor_count + 1);
  ASH_TRY(ash_zone_check(h->ctx, &h->ctx->scratch));
  h->uses = uses;
  for (uint32_t op = 0; op < g->op_count; op++) {
    const ash_op *o = &g->ops.items[op];
    for (uint32_t k = 0; k < o->input_count; k++)
      if (o->inputs[k] != ASH_NO_ID &&
          ash_kernel_reads(h->ask->choices[op].kernel, g, op, k))
        touch(&uses[o->inputs[k]], h->step_of[op]);
    for (uint32_t k = 0; k < o->output_count; k++)
      touch(&uses[o->outputs[k]], h->step_of[op]);
  }
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    const ash_tensor *t = &g->tensors.items[i];
    if (uses[i].end == 0)
      continue;
    if (t->kind == ASH_TENSOR_CONSTANT || t->kind == ASH_TENSOR_VARIABLE)
      uses[i] = (ash_use){0, h->step_count};
    if (t->kind == ASH_TENSOR_INPUT)
      uses[i].first = 0;
    if (t->is_output)
      uses[i].end = h->step_count;
    ash_hierarchy_enter(h, h->home[i], t->bytes, uses[i]);
  }
  return ASH_OK;
}

ash_status ash_hierarchy_make(ash_hierarchy *h) {
  ASH_ASSERT(h->g && h->device && h->options);
  ash_zone *z = &h->ctx->scratch;
  const uint32_t memories = h->device->memory_count;
  ASH_TRY(number_steps(h));
  h->home = ASH_NEW_ARRAY(&h->ctx->keep, uint32_t, h->g->tensor_count + 1);
  h->stays = ASH_NEW_ARRAY(&h->ctx->keep, bool, h->g->tensor_count + 1);
  h->ruled = ASH_NEW_ARRAY(z, bool, h->g->tensor_count + 1);
  h->taken = ASH_NEW_ARRAY(z, uint64_t *, memories);
  ASH_TRY(ash_zone_check(h->ctx, z));
  for (uint32_t m = 0; m < memories; m++)
    h->taken[m] = ASH_NEW_ARRAY(z, uint64_t, h->step_count + 1u);
  ASH_TRY(ash_zone_check(h->ctx, z));
  ASH_TRY(ash_zone_check(h->ctx, &h->ctx->keep));
  ASH_TRY(choose_homes(h));
  ASH_TRY(count_residents(h));
  return h->options->spill ? ash_hierarchy_spill(h) : ASH_OK;
}

/* ---- levels ------------------------------------------------------------- */

bool ash_hierarchy_reaches(const ash_hierarchy *h, uint32_t op) {
  ASH_ASSERT(op < h->g->op_count);
  const ash_op *o = &h->g->ops.items[op];
  for (uint32_t k = 0; k < o->input_count; k++)
    if (o->inputs[k] != ASH_NO_ID &&
        ash_kernel_reads(h->ask->choices[op].kernel, h->g, op, k) &&
        !h->device->memories[h->home[o->inputs[k]]].reach_cpu)
      return false;
  for (uint32_t k = 0; k < o->output_count; k++)
    if (!h->device->memories[h->home[o->outputs[k]]].reach_cpu)
      return false;
  return true;
}

uint32_t ash_hierarchy_near(const ash_hierarchy *h, uint32_t memory) {
  ASH_ASSERT(memory < h->device->memory_count);
  ASH_ASSERT(h->device->compute_memory != ASH_NO_MEMORY);
  uint32_t path[ASH_MEMORY_MAX];
  const uint32_t count =
      ash_device_path(h->device, memory, h->device->compute_memory, path);
  for (uint32_t i = 0; i < count; i++)
    if (h->device->memories[path[i]].reach_cpu &&
        h->device->memories[path[i]].kind == ASH_MEMORY_RAM)
      return path[i];
  return h->device->compute_memory;
}

/* Transfers without an engine are the processor's work. */
static void take_engine(const ash_hierarchy *h, ash_tile_hop *s,
                        uint32_t from) {
  ASH_ASSERT(from < h->device->memory_count);
  const uint32_t dma = ash_device_dma(h->device, from, s->memory);
  if (dma == ASH_NO_DMA) {
    const ash_memory *a = &h->device->memories[from];
    const ash_memory *b = &h->device->memories[s->memory];
    const uint64_t cost = (uint64_t)a->read_cost + b->write_cost;
    s->rank = ASH_RANK_MAX;
    s->bytes_per_kilocycle = cost ? ash_max_u64(1, 1000000 / cost) : 1000;
    return;
  }
  const ash_dma *d = &h->device->dmas[dma];
  ASH_ASSERT(dma < h->device->dma_count && d->ranks != 0);
  for (uint32_t r = 1; r <= ASH_DMA_RANK_MAX; r++)
    if (d->ranks >> r & 1)
      s->rank = r;
  s->overlaps = d->asynchronous;
  s->setup = d->setup_cycles;
  s->bytes_per_kilocycle = ash_max_u64(1, d->bytes_per_kilocycle);
  s->transfer_max = d->transfer_bytes_max;
  s->row_cycles = d->row_cycles;
  s->beat = d->beat;
}

uint64_t ash_hierarchy_size(const ash_hierarchy *h, uint32_t memory) {
  ASH_ASSERT(memory < h->device->memory_count);
  return h->limit && memory == h->device->compute_memory
             ? h->limit
             : h->ask->memories[memory].max_size;
}

/* Tiles of all ops of a step are there together: each has its share. */
static uint64_t room_at(const ash_hierarchy *h, uint32_t memory, uint32_t op) {
  const uint32_t step = h->step_of[op];
  ASH_ASSERT(step < h->step_count && h->sharers[step] > 0);
  const uint64_t all = ash_hierarchy_size(h, memory);
  const uint64_t taken = h->taken[memory][step];
  const uint64_t room = all > taken ? (all - taken) / h->sharers[step] : 0;
  return room - room / 1024 * ash_min_u64(1024, h->options->shrink);
}

/* The way of operand o, its home first. */
static uint32_t path_of(const ash_hierarchy *h, const ash_tile_operand *o,
                        uint32_t target, uint32_t path[ASH_MEMORY_MAX]) {
  ASH_ASSERT(o->tensor < h->g->tensor_count);
  return ash_device_path(h->device, h->home[o->tensor], target, path);
}

/* Is operand i so small that kernels use it there, and may they? */
static bool is_read_in(const ash_hierarchy *h, const ash_tile_problem *p,
                       uint32_t i, uint32_t memory) {
  ASH_ASSERT(memory < h->device->memory_count);
  const ash_tensor *t = &h->g->tensors.items[p->space->operands[i].tensor];
  return t->bytes <= ASH_TILE_SCALAR_BYTES &&
         h->device->memories[memory].reach_cpu;
}

static bool stage_operands(const ash_hierarchy *h, ash_tile_problem *p,
                           uint32_t target) {
  for (uint32_t i = 0; i < p->space->operand_count; i++) {
    uint32_t path[ASH_MEMORY_MAX];
    const uint32_t count = path_of(h, &p->space->operands[i], target, path);
    for (uint32_t k = 1; k < count && !is_read_in(h, p, i, path[k - 1]); k++) {
      ASH_ASSERT(count - 1 <= p->level_count);
      ash_tile_hop *s = &p->hops[p->level_count - count + k];
      if (s->memory != path[k])
        return false; /* two ways that do not join */
      s->staged |= (uint32_t)1 << i;
    }
  }
  return true;
}

bool ash_hierarchy_levels(const ash_hierarchy *h, ash_tile_problem *p,
                          uint32_t op, uint32_t target) {
  ASH_ASSERT(p->space->operand_count <= ASH_OPERANDS_MAX);
  ASH_ASSERT(op < h->g->op_count);
  uint32_t longest[ASH_MEMORY_MAX], most = 0;
  for (uint32_t i = 0; i < p->space->operand_count; i++) {
    uint32_t path[ASH_MEMORY_MAX];
    const uint32_t count = path_of(h, &p->space->operands[i], target, path);
    if (count == 0 || count - 1 > ASH_TILE_LEVELS)
      return false;
    for (uint32_t k = 0; count > most && k < count; k++)
      longest[k] = path[k];
    most = count > most ? count : most;
  }
  p->level_count = most > 1 ? most - 1 : 1;
  ASH_ASSERT(p->level_count <= ASH_TILE_LEVELS);
  if (most <= 1)
    longest[1] = target; /* all is there already: one level, nothing staged */
  for (uint32_t k = 0; k < p->level_count; k++) {
    ash_tile_hop *s = &p->hops[k];
    const ash_memory *m = &h->device->memories[longest[k + 1]];
    *s = (ash_tile_hop){.memory = longest[k + 1],
                        .room = room_at(h, longest[k + 1], op),
                        .alignment =
                            ash_max_u64(h->device->alignment, m->alignment)};
    take_engine(h, s, most > 1 ? longest[k] : target);
  }
  return stage_operands(h, p, target);
}

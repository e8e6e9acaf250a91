/* plan_table.c - see plan_table.h. */
#include "plan_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_arena(const ash_arena *a) {
  printf("  %-10s %-8s %10" PRIu64 " %10" PRIu64 "  %-9s", ash_role_text(a->role),
         a->memory, a->size, a->lower_bound, ash_verdict_text(a->verdict));
  if (a->role == ASH_SCRATCH && a->size > a->lower_bound)
    printf("  gap %.1f %%",
           100.0 * (double)(a->size - a->lower_bound) / (double)a->lower_bound);
  if (a->role == ASH_SCRATCH && a->total_size)
    printf("  %.1f %% of %" PRIu64,
           100.0 * (double)a->size / (double)a->total_size, a->total_size);
  printf("\n");
}

static void print_arenas(const ash_plan *p) {
  printf("%s for %s, planner %s: %s\n", p->model, p->target, p->planner,
         ash_verdict_text(p->verdict));
  printf("  %-10s %-8s %10s %10s  %s\n", "arena", "memory", "bytes",
         "bound", "verdict");
  for (uint32_t i = 0; i < p->arena_count; i++)
    print_arena(&p->arenas[i]);
}

void print_plan_summary(const ash_plan *p, const ash_render_plan *render) {
  print_arenas(p);
  if (render)
    printf("  plan %s, layout %s\n", render->plan_hash,
           render->tensor_layout_hash);
}

static uint64_t live_at(const ash_plan *p, uint32_t step) {
  uint64_t live = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID &&
        s->life.first_step <= step && step < s->life.end_step)
      live += s->size;
  }
  return live;
}

static uint32_t peak_step(const ash_plan *p) {
  uint32_t peak = 0;
  for (uint32_t s = 1; s < p->steps.count; s++)
    if (live_at(p, s) > live_at(p, peak))
      peak = s;
  return peak;
}

static void print_peak(const ash_plan *p, const ash_graph *g) {
  if (p->steps.count == 0)
    return;
  const uint32_t step = peak_step(p);
  const ash_op *op = ash_graph_op(g, p->steps.items[step].ops[0]);
  printf("\npeak: step %" PRIu32 " (%s), %" PRIu64 " bytes alive:\n", step,
         op->id, live_at(p, step));
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->binding.role == ASH_SCRATCH && s->alias_of == ASH_NO_ID &&
        s->life.first_step <= step && step < s->life.end_step)
      printf("  %10" PRIu64 "  %s\n", s->size, s->name);
  }
}

void print_plan_table(const ash_plan *p, const ash_graph *g) {
  print_arenas(p);
  printf("\n  %-9s %-8s %10s %10s  %s\n", "steps", "memory", "offset", "bytes",
         "tensor");
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (s->binding.role == ASH_CONSTANT)
      continue;
    printf("  %4" PRIu32 "-%-4" PRIu32 " %-8s %10" PRIu64 " %10" PRIu64
           "  %s%s%s%s\n",
           s->life.first_step, s->life.end_step - 1, s->binding.memory,
           s->binding.offset, s->size, s->name,
           s->alias_of == ASH_NO_ID ? "" : " (",
           s->alias_of == ASH_NO_ID ? "" : ash_alias_text(s->alias_kind),
           s->alias_of == ASH_NO_ID ? "" : ")");
  }
  print_peak(p, g);
}

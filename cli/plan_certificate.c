/* plan_certificate.c - the step of each arena of activations whose slots force
 * its bound. */
#include "plan_certificate.h"
#include "certificate_file.h"

#include <string.h>

static uint64_t gcd(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* Does it take bytes of the arena in this step that nothing else may share? */
static bool counts(const ash_arena *a, const ash_slot *s, uint32_t step) {
  return s->bound && s->alias_of == ASH_NO_ID && s->follows == ASH_NO_ID &&
         s->binding.role == ASH_SCRATCH &&
         strcmp(s->binding.memory, a->memory) == 0 &&
         step >= s->life.first_step && step < s->life.end_step;
}

/* Sizes rounded up to what divides every start, but for the topmost. */
static uint64_t load_at(const ash_plan *p, const ash_arena *a, uint32_t step) {
  uint64_t grain = 0, sum = 0, waste = 0, plain = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (counts(a, &p->slots[i], step))
      grain = gcd(grain, p->slots[i].alignment ? p->slots[i].alignment : 1);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (counts(a, &p->slots[i], step)) {
      const uint64_t size = p->slots[i].size;
      const uint64_t room = (size + grain - 1) / grain * grain;
      plain += size;
      sum += room;
      waste = room - size > waste ? room - size : waste;
    }
  return sum - waste > plain ? sum - waste : plain;
}

/* False: no step forces the bound. */
static bool put_arena(certificate_file *file, const ash_plan *p, uint32_t i) {
  const ash_arena *a = &p->arenas[i];
  for (uint32_t step = 0; step < p->steps.count; step++)
    if (load_at(p, a, step) >= a->lower_bound)
      return fprintf(
                 file->file, "arena %lu %s %llu\nload %lu\n", (unsigned long)i,
                 a->verdict == ASH_OPTIMAL ? "optimal" : "bound",
                 (unsigned long long)a->lower_bound, (unsigned long)step) > 0;
  return a->lower_bound == 0;
}

/* The last key of the plan's JSON. */
static bool put_head(certificate_file *file, ash_ctx *ctx, const ash_plan *p,
                     const ash_graph *g) {
  static const char key[] = "\"content_hash\": \"";
  const char *text;
  size_t count;
  if (ash_plan_json(ctx, &text, &count, p, g) != ASH_OK)
    return false;
  for (size_t i = count; i-- > 0;)
    if (count - i > sizeof key && memcmp(text + i, key, sizeof key - 1) == 0)
      return fprintf(file->file, "ashlar-certificate 1 plan\n%.*s\n", 16,
                     text + i + sizeof key - 1) > 0;
  return false;
}

/* Writes it; NULL, or why there is none. */
static const char *put_plan(certificate_file *file, ash_ctx *ctx,
                            const ash_plan *p, const ash_graph *g) {
  if (p->order.kind == ASH_ORDER_ROWS)
    return "orders of rows have none yet";
  if (!put_head(file, ctx, p, g))
    return "it cannot be written";
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH && !put_arena(file, p, i))
      return "the bound of an arena is above the load of every step";
  return NULL;
}

bool write_plan_certificate(ash_ctx *ctx, const char *path,
                            const ash_plan *plan, const ash_graph *graph) {
  certificate_file file;
  if (!certificate_open(&file, path))
    return false;
  const char *why = put_plan(&file, ctx, plan, graph);
  if (why)
    (void)fprintf(stderr, "%s: no certificate: %s\n", path, why);
  return certificate_close(&file, !why);
}

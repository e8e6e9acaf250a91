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
static bool counts(const ash_plan *p, const ash_arena *a, const ash_slot *s,
                   uint32_t step) {
  const ash_step *now = &p->steps.items[step];
  if (s->kind == ASH_SLOT_WORK && p->order.kind == ASH_ORDER_ROWS &&
      !(now->op_count && now->ops[0] == s->op))
    return false; /* it exists in the runs of its operator only */
  return s->bound && s->alias_of == ASH_NO_ID && s->follows == ASH_NO_ID &&
         s->binding.role == ASH_SCRATCH &&
         strcmp(s->binding.memory, a->memory) == 0 &&
         step >= s->life.first_step && step < s->life.end_step;
}

/* Sizes rounded up to what divides every start, but for the topmost. */
static uint64_t load_at(const ash_plan *p, const ash_arena *a, uint32_t step) {
  uint64_t grain = 0, sum = 0, waste = 0, plain = 0;
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (counts(p, a, &p->slots[i], step))
      grain = gcd(grain, p->slots[i].alignment ? p->slots[i].alignment : 1);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (counts(p, a, &p->slots[i], step)) {
      const uint64_t size = p->slots[i].size;
      const uint64_t room = (size + grain - 1) / grain * grain;
      plain += size;
      sum += room;
      waste = room - size > waste ? room - size : waste;
    }
  return sum - waste > plain ? sum - waste : plain;
}

/* False: no step forces the bound, or it cannot be written. */
static bool put_arena(certificate_file *file, const ash_plan *p, uint32_t i,
                      ash_report_certificate *s) {
  const ash_arena *a = &p->arenas[i];
  const bool moves = ash_plan_move_facts(p).count > 0;
  s->arenas++;
  s->shown++;
  for (uint32_t step = 0; step < p->steps.count && !moves; step++)
    if (load_at(p, a, step) >= a->lower_bound)
      return fprintf(
                 file->file, "arena %lu %s %llu\nload %lu\n", (unsigned long)i,
                 a->verdict == ASH_OPTIMAL ? "optimal" : "bound",
                 (unsigned long long)a->lower_bound, (unsigned long)step) > 0;
  /* rows in one piece may need more than their load, and of rows that move the
   * file does not tell who shares a place when: nothing is said then */
  const bool is_open = a->lower_bound > 0;
  s->shown -= is_open;
  return (!is_open || p->order.kind == ASH_ORDER_ROWS) &&
         fprintf(file->file, "arena %lu %s\n", (unsigned long)i,
                 is_open                     ? "open"
                 : a->verdict == ASH_OPTIMAL ? "optimal 0"
                                             : "bound 0") > 0;
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
      return fprintf(file->file, "ashlar-certificate 2 plan\n%.*s\n", 16,
                     text + i + sizeof key - 1) > 0;
  return false;
}

/* Writes it; NULL, or why there is none. */
static const char *put_plan(certificate_file *file, ash_ctx *ctx,
                            const ash_plan *p, const ash_graph *g,
                            uint64_t order_ticks, ash_report_certificate *s) {
  bool certified = true;
  s->order = p->order.lower_bound > 0 && p->order.kind != ASH_ORDER_GIVEN;
  if (!put_head(file, ctx, p, g))
    return "it cannot be written";
  if (s->order && ash_plan_certify_order(ctx, &certified, p, g, order_ticks,
                                         certificate_write, file) != ASH_OK)
    return "out of memory";
  if (!certified)
    return "the bound of the order was not refuted again within the limits";
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH && !put_arena(file, p, i, s))
      return "the bound of an arena is above the load of every step";
  return NULL;
}

bool write_plan_certificate(ash_ctx *ctx, const char *path,
                            const ash_plan *plan, const ash_graph *graph,
                            uint64_t order_ticks, bool quiet,
                            ash_report_certificate *said) {
  certificate_file file;
  *said = (ash_report_certificate){.file = certificate_name(path)};
  if (!certificate_open(&file, path))
    return false;
  const char *why = put_plan(&file, ctx, plan, graph, order_ticks, said);
  if (why)
    (void)fprintf(stderr, "%s: no certificate: %s\n", path, why);
  if (!certificate_close(&file, !why))
    return false;
  if (!quiet)
    (void)fprintf(stderr, "%s: certified: %s%lu of %lu arenas\n", path,
                  said->order ? "the bound of the order, " : "",
                  (unsigned long)said->shown, (unsigned long)said->arenas);
  return true;
}

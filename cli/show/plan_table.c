/* plan_table.c - see plan_table.h. */
#include "show/plan_table.h"

#include "show/plan_facts.h"
#include "show/plan_map.h"

#include <inttypes.h>
#include <stdio.h>

enum { PEAK_SHOWN = 8, LARGEST = 5 };

static void print_arena(const ash_arena *a) {
  printf("  %-10s %-8s %10" PRIu64 " %10" PRIu64 "  %-9s",
         ash_role_text(a->role), a->memory, a->size, a->lower_bound,
         ash_verdict_text(a->verdict));
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
  printf("  %-10s %-8s %10s %10s  %s\n", "arena", "memory", "bytes", "bound",
         "verdict");
  for (uint32_t i = 0; i < p->arena_count; i++)
    print_arena(&p->arenas[i]);
  for (uint32_t i = 0; i < p->power_count; i++)
    printf("  power      %-8s %" PRIu64 " of %" PRIu64 " banks of %" PRIu64
           " bytes\n",
           p->power[i].memory, p->power[i].powered, p->power[i].banks,
           p->power[i].bank_bytes);
}

void print_plan_summary(const ash_plan *p, const ash_render_plan *render) {
  print_arenas(p);
  if (render)
    printf("  plan %s, layout %s\n", render->plan_hash,
           render->tensor_layout_hash);
}

/* Names come from files: nothing in them may steer the terminal. Fused tensors
 * carry all their names, joined by semicolons; the first tells enough. */
static void print_name(FILE *out, const char *name, bool whole) {
  for (; *name && (whole || *name != ';'); name++)
    fputc(*name == '\t' || (*name > 0 && *name < ' ') || *name == 127 ? '?'
                                                                      : *name,
          out);
}

/* Bytes that a tensor takes: of rows, as many as are alive at once. */
static uint64_t bytes_of(const ash_plan *p, const ash_slot *s) {
  ash_row_facts f;
  return ash_plan_row_facts(p, (uint32_t)(s - p->slots), &f)
             ? f.most_alive * f.bytes
             : s->size;
}

static void print_rows(const term *t, const ash_row_facts *f) {
  fprintf(t->out,
          ", rows %" PRIu32 " x %" PRIu64 " B, at most %" PRIu32 " alive",
          f->count, f->bytes, f->most_alive);
  if (f->moves)
    fprintf(t->out, ", %" PRIu64 " bytes moved", f->moves * f->bytes);
}

/* Rows of a tensor are one line, with the bytes that are alive at once. */
static void print_slot(const term *t, const ash_plan *p, const ash_slot *s,
                       bool whole) {
  ash_row_facts f;
  const bool in_rows = ash_plan_row_facts(p, (uint32_t)(s - p->slots), &f);
  const ash_lifetime life = in_rows ? f.life : s->life;
  fprintf(t->out,
          "  %4" PRIu32 "-%-4" PRIu32 " %-8s %10" PRIu64 " %10" PRIu64 "  ",
          life.first_step, life.end_step - 1, s->binding.memory,
          s->binding.offset, bytes_of(p, s));
  print_name(t->out, s->name, whole);
  if (in_rows)
    print_rows(t, &f);
  if (s->alias_of != ASH_NO_ID)
    fprintf(t->out, " (%s)", ash_alias_text(s->alias_kind));
  fputc('\n', t->out);
}

static void print_slot_head(const term *t) {
  fprintf(t->out, "  %-9s %-8s %10s %10s  %s\n", "steps", "memory", "offset",
          "bytes", "tensor");
}

void print_plan_tensors(const term *t, const ash_plan *p) {
  fputc('\n', t->out);
  print_slot_head(t);
  for (uint32_t i = 0; i < p->slot_count; i++)
    if (p->slots[i].binding.role != ASH_CONSTANT && ash_plan_heads_tensor(p, i))
      print_slot(t, p, &p->slots[i], true);
}

static void print_peak(const term *t, const ash_plan *p, const ash_graph *g,
                       const char *memory, uint32_t step, uint64_t bytes) {
  uint32_t shown = 0, more = 0;
  fprintf(t->out, "\npeak: step %" PRIu32 " (%s), %" PRIu64 " bytes alive:\n",
          step, step_name(p, g, step), bytes);
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    uint32_t rows;
    if (!slot_counts(p, i, memory, step, &rows))
      continue;
    if (shown == PEAK_SHOWN) {
      more++;
      continue;
    }
    shown++;
    fprintf(t->out, "  %10" PRIu64 "  ",
            rows ? row_bytes_at(p, i, memory, step)
                 : slot_bytes_at(p, s, step));
    print_name(t->out, s->name, false);
    if (rows)
      fprintf(t->out, ", %" PRIu32 " row%s", rows, rows > 1 ? "s" : "");
    fputc('\n', t->out);
  }
  if (more)
    fprintf(t->out, "  and %" PRIu32 " more\n", more);
}

/* The largest scratch tensors, by insertion into a short list. */
static void print_largest(const term *t, const ash_plan *p) {
  const ash_slot *best[LARGEST];
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    uint32_t at = count;
    if (s->binding.role != ASH_SCRATCH || s->alias_of != ASH_NO_ID ||
        !ash_plan_heads_tensor(p, i))
      continue;
    while (at > 0 && bytes_of(p, best[at - 1]) < bytes_of(p, s))
      at--;
    if (at == LARGEST)
      continue;
    if (count < LARGEST)
      count++;
    for (uint32_t k = count - 1; k > at; k--)
      best[k] = best[k - 1];
    best[at] = s;
  }
  if (count == 0)
    return;
  fprintf(t->out, "\nlargest:\n");
  print_slot_head(t);
  for (uint32_t i = 0; i < count; i++)
    print_slot(t, p, best[i], false);
}

static void print_verdict(const term *t, const ash_arena *a) {
  if (a->size == a->lower_bound)
    fprintf(t->out,
            "\n%s: proved smallest; with this order of steps no placement "
            "needs less\nthan %" PRIu64 " bytes\n",
            a->memory, a->lower_bound);
  else
    fprintf(t->out,
            "\n%s: %" PRIu64 " bytes above the proved bound of %" PRIu64
            "; whether less is\npossible is not known\n",
            a->memory, a->size - a->lower_bound, a->lower_bound);
}

/* ---- orders -------------------------------------------------------------- */

static bool is_run(const ash_plan *p, uint32_t step) {
  return p->steps.items[step].row_count > 0;
}

/* Operators of the runs [from, to), without repetition, as far as a line
 * goes. */
static uint32_t count_ops(const ash_plan *p, uint32_t from, uint32_t to) {
  uint32_t ops = 0;
  for (uint32_t s = from; s < to; s++) {
    bool is_new = p->steps.items[s].op_count == 1;
    for (uint32_t k = from; k < s && is_new; k++)
      is_new = p->steps.items[k].op_count == 0 ||
               p->steps.items[k].ops[0] != p->steps.items[s].ops[0];
    ops += is_new;
  }
  return ops;
}

/* A maximal stretch of runs of several operators. */
static void print_pipeline(const term *t, const ash_plan *p, const ash_graph *g,
                           uint32_t from, uint32_t to) {
  const uint32_t ops = count_ops(p, from, to);
  uint32_t first = from, last = to - 1;
  while (first < last && p->steps.items[first].op_count == 0)
    first++;
  if (ops > 1)
    fprintf(t->out,
            "  pipeline of %" PRIu32 " operators, %s to %s: steps %" PRIu32
            " to %" PRIu32 "\n",
            ops, step_name(p, g, first), step_name(p, g, last), from, to - 1);
}

static void print_moves(const term *t, const ash_plan *p) {
  const ash_move_facts f = ash_plan_move_facts(p);
  if (f.count == 0)
    return;
  fprintf(t->out, "  moves of rows: %" PRIu32 ", %" PRIu64 " bytes copied",
          f.count, f.bytes);
  if (p->cycles > 0)
    fprintf(t->out, ", %.2f %% of the modelled cycles",
            100.0 * (double)p->move_cycles / (double)p->cycles);
  fputc('\n', t->out);
}

/* New rows that lie over dying ones: what the order counts is more. */
static void print_overlaps(const term *t, const ash_plan *p) {
  uint32_t count = 0;
  uint64_t most = 0;
  for (uint32_t i = 0; i < p->slot_count; i++) {
    const ash_slot *s = &p->slots[i];
    if (!s->has_row || s->follows == ASH_NO_ID || s->moved_from != ASH_NO_ID)
      continue;
    const uint64_t bytes = s->size - slot_bytes_at(p, s, s->life.first_step);
    most = bytes > most ? bytes : most;
    count++;
  }
  if (count)
    fprintf(t->out,
            "  %" PRIu32 " rows lie over one that dies with the step that "
            "makes them, by at most %" PRIu64 " bytes\n",
            count, most);
}

static void print_order(const term *t, const ash_plan *p, const ash_graph *g) {
  const ash_order_proof *o = &p->order;
  if (o->kind != ASH_ORDER_OPERATORS && o->kind != ASH_ORDER_ROWS)
    return;
  fprintf(t->out,
          "\norder of %s: at most %" PRIu64 " bytes of activations alive",
          ash_order_text(o->kind), o->peak);
  if (o->lower_bound == o->peak)
    fprintf(t->out, ", proved smallest\n");
  else
    fprintf(t->out, ", no order needs less than %" PRIu64 "\n", o->lower_bound);
  for (uint32_t s = 0, end; s < p->steps.count; s = end) {
    for (end = s + 1; end < p->steps.count && is_run(p, end) == is_run(p, s);)
      end++;
    if (is_run(p, s))
      print_pipeline(t, p, g, s, end);
  }
  print_moves(t, p);
  print_overlaps(t, p);
}

/* Of whole operators that need fewer bytes than rows. */
static void print_fed(const term *t, const ash_plan *p, const ash_graph *g) {
  for (uint32_t i = 0; p->is_fed && i < ash_graph_input_count(g); i++)
    if (p->is_fed[i])
      fprintf(t->out,
              "\nrows of input %" PRIu32
              " arrive before the first step: whole operators need fewer "
              "bytes than rows\n",
              i);
}

static void print_scratch(const term *t, const ash_plan *p, const ash_graph *g,
                          const ash_arena *a) {
  uint32_t step;
  uint64_t bytes;
  if (!plan_peak(p, a->memory, &step, &bytes))
    return;
  fprintf(t->out, "\n%s\n", a->memory);
  print_plan_map(t, p, a, step);
  print_peak(t, p, g, a->memory, step, bytes);
}

void print_plan_page(const term *t, const ash_plan *p, const ash_graph *g) {
  print_arenas(p);
  print_order(t, p, g);
  print_fed(t, p, g);
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH && p->arenas[i].size)
      print_scratch(t, p, g, &p->arenas[i]);
  print_largest(t, p);
  for (uint32_t i = 0; i < p->arena_count; i++)
    if (p->arenas[i].role == ASH_SCRATCH)
      print_verdict(t, &p->arenas[i]);
}

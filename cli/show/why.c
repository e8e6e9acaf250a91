/* why.c - see why.h. Everything said here follows from the plan alone. */
#include "show/why.h"

#include "show/json_out.h"
#include "show/plan_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 };

typedef enum cause { WRITTEN, READ, WORK, WAITING } cause;

static const char *const cause_text[] = {
    "written by this step", "read by this step", "work memory of this step",
    "only waits here"};

typedef struct why {
  const ash_plan *plan;
  const ash_graph *graph;
  const ash_arena *arena;
  uint32_t peak;
  uint64_t alive;
  const ash_slot *slots[SHOWN]; /* at the peak, largest first */
  uint64_t bytes[SHOWN];        /* of all its rows there     */
  uint32_t rows[SHOWN];         /* 0: it is whole            */
  size_t shown, count;
  uint32_t next; /* the step with most bytes below the peak, or NO_ID */
  uint64_t next_alive;
  uint32_t ties; /* steps that reach the peak */
} why;

static bool names_tensor(const uint32_t *ids, uint32_t count, uint32_t tensor) {
  for (uint32_t i = 0; i < count; i++)
    if (ids[i] == tensor)
      return true;
  return false;
}

/* Does the step touch the slot, or a slot that shares its storage? */
static bool step_uses(const why *w, uint32_t step, const ash_slot *s,
                      bool output) {
  const uint32_t root = (uint32_t)(s - w->plan->slots);
  for (uint32_t k = 0; k < w->plan->steps.items[step].op_count; k++) {
    const ash_op *op =
        ash_graph_op(w->graph, w->plan->steps.items[step].ops[k]);
    for (uint32_t i = 0; i < w->plan->slot_count; i++) {
      const ash_slot *other = &w->plan->slots[i];
      if (i != root && other->alias_of != root)
        continue;
      if (names_tensor(output ? op->outputs : op->inputs,
                       output ? op->output_count : op->input_count,
                       other->tensor))
        return true;
    }
  }
  return false;
}

static cause cause_of(const why *w, const ash_slot *s) {
  if (s->tensor == ASH_NO_ID)
    return WORK;
  if (step_uses(w, w->peak, s, true))
    return WRITTEN;
  return step_uses(w, w->peak, s, false) ? READ : WAITING;
}

/* The next step that reads it, or ASH_NO_ID. */
static uint32_t next_reader(const why *w, const ash_slot *s) {
  for (uint32_t k = w->peak + 1;
       k < s->life.end_step && k < w->plan->steps.count; k++)
    if (step_uses(w, k, s, false))
      return k;
  return ASH_NO_ID;
}

static uint64_t alive_at(const why *w, uint32_t step) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < w->plan->slot_count; i++)
    if (slot_takes_room(&w->plan->slots[i], w->arena->memory) &&
        slot_is_there(w->plan, &w->plan->slots[i], step))
      sum += slot_bytes_at(w->plan, &w->plan->slots[i], step);
  return sum;
}

static void find_next(why *w) {
  w->next = ASH_NO_ID;
  for (uint32_t k = 0; k < w->plan->steps.count; k++) {
    const uint64_t bytes = alive_at(w, k);
    if (bytes == w->alive)
      w->ties++;
    else if (w->next == ASH_NO_ID || bytes > w->next_alive)
      w->next = k, w->next_alive = bytes;
  }
}

/* Into the list of the largest. */
static void put(why *w, const ash_slot *s, uint32_t rows) {
  const uint64_t bytes =
      rows ? rows * s->size : slot_bytes_at(w->plan, s, w->peak);
  size_t at = w->shown;
  while (at > 0 && w->bytes[at - 1] < bytes)
    at--;
  if (at == SHOWN)
    return;
  if (w->shown < SHOWN)
    w->shown++;
  for (size_t k = w->shown - 1; k > at; k--) {
    w->slots[k] = w->slots[k - 1];
    w->bytes[k] = w->bytes[k - 1];
    w->rows[k] = w->rows[k - 1];
  }
  w->slots[at] = s;
  w->bytes[at] = bytes;
  w->rows[at] = rows;
}

static bool gather(why *w) {
  if (!plan_peak(w->plan, w->arena->memory, &w->peak, &w->alive))
    return false;
  for (uint32_t i = 0; i < w->plan->slot_count; i++) {
    const ash_slot *s = &w->plan->slots[i];
    uint32_t rows;
    if (!slot_counts(w->plan, i, w->arena->memory, w->peak, &rows))
      continue;
    w->count++;
    put(w, s, rows);
  }
  find_next(w);
  return true;
}

static void put_name(FILE *out, const char *name) {
  for (; *name && *name != ';'; name++)
    (void)fputc(term_safe(*name), out);
}

/* ---- for people --------------------------------------------------------- */

static void print_alive(FILE *out, const why *w) {
  for (size_t i = 0; i < w->shown; i++) {
    const ash_slot *s = w->slots[i];
    const cause c = cause_of(w, s);
    fprintf(out, "  %10" PRIu64 "  ", w->bytes[i]);
    put_name(out, s->name);
    if (w->rows[i])
      fprintf(out, ", %" PRIu32 " row%s", w->rows[i],
              w->rows[i] > 1 ? "s" : "");
    fprintf(out, ": %s", cause_text[c]);
    const uint32_t reader = c == WAITING ? next_reader(w, s) : ASH_NO_ID;
    if (reader != ASH_NO_ID)
      fprintf(out, " for step %" PRIu32 " (%s)", reader,
              step_name(w->plan, w->graph, reader));
    (void)fputc('\n', out);
  }
  if (w->count > w->shown)
    fprintf(out, "  and %zu smaller ones\n", w->count - w->shown);
}

static void print_packing(FILE *out, const why *w) {
  const ash_arena *a = w->arena;
  if (a->size == w->alive)
    fprintf(out,
            "The arena is exactly that large: no placement wastes less.\n");
  else if (a->size == a->lower_bound)
    fprintf(out,
            "The arena is %" PRIu64 " bytes larger, which alignment and the "
            "shapes of the\nlifetimes force; it is proved.\n",
            a->size - w->alive);
  else
    fprintf(out,
            "The arena is %" PRIu64 " bytes above the proved bound of %" PRIu64
            "; %s\n",
            a->size - a->lower_bound, a->lower_bound,
            strcmp(w->plan->planner, "exact") == 0
                ? "a larger --ticks lets the search go on."
                : "--planner exact does not give up so early.");
}

static const ash_slot *largest(const why *w, cause wanted) {
  for (size_t i = 0; i < w->shown; i++)
    if (cause_of(w, w->slots[i]) == wanted)
      return w->slots[i];
  return NULL;
}

static void print_pieces(FILE *out, const why *w) {
  const ash_slot *in = largest(w, READ), *result = largest(w, WRITTEN);
  if (!in || !result || in->has_row || result->has_row)
    return;
  fprintf(out,
          "  - The step holds input and output at once. In pieces, row by row "
          "or fused\n    with the next step, one of them need not exist "
          "whole: up to %" PRIu64 " bytes.\n",
          in->size < result->size ? in->size : result->size);
}

static void print_waiting(FILE *out, const why *w) {
  const ash_slot *s = largest(w, WAITING);
  if (!s || s->has_row) /* the order of rows was searched */
    return;
  fprintf(out, "  - '");
  put_name(out, s->name);
  fprintf(out,
          "' is not used by the step, only kept: running its reader earlier, "
          "or\n    computing it later or twice, saves %" PRIu64 " bytes.\n",
          s->size);
}

static void print_types(FILE *out, const why *w) {
  uint64_t sum = 0;
  for (size_t i = 0; i < w->shown; i++)
    if (w->slots[i]->tensor != ASH_NO_ID &&
        ash_graph_tensor(w->graph, w->slots[i]->tensor)->type == ASH_FLOAT32)
      sum += w->bytes[i];
  if (sum)
    fprintf(out,
            "  - %" PRIu64 " of these bytes are float32; an int8 model would "
            "need a quarter.\n",
            sum);
}

static void print_advice(FILE *out, const why *w, const what_if *ifs,
                         size_t if_count) {
  fprintf(out, "\nWhat would lower it:\n");
  for (size_t i = 0; i < if_count; i++)
    if (ifs[i].bytes < w->arena->size)
      fprintf(out,
              "  %zu. %s: %" PRIu64 " bytes, %" PRIu64
              " less.\n     Tried: %s.\n",
              i + 1, ifs[i].option, ifs[i].bytes, w->arena->size - ifs[i].bytes,
              ifs[i].meaning);
  print_waiting(out, w);
  print_pieces(out, w);
  print_types(out, w);
  if (w->next != ASH_NO_ID)
    fprintf(out,
            "  - The next highest is step %" PRIu32 " (%s) with %" PRIu64
            " bytes:\n    lowering %s alone saves at most %" PRIu64 ".\n",
            w->next, step_name(w->plan, w->graph, w->next), w->next_alive,
            w->ties > 1 ? "the steps of the peak" : "this step",
            w->alive - w->next_alive);
}

void print_why(const term *t, const ash_plan *p, const ash_graph *g,
               const ash_arena *arena, const what_if *ifs, size_t if_count) {
  why w = {.plan = p, .graph = g, .arena = arena};
  if (!gather(&w))
    return;
  fprintf(t->out,
          "Why %s needs %" PRIu64 " bytes of %s:\n\nAt step %" PRIu32
          " (%s) %" PRIu64 " bytes are alive at once%s:\n",
          p->model, arena->size, arena->memory, w.peak, step_name(p, g, w.peak),
          w.alive, w.ties > 1 ? ", as at other steps" : "");
  print_alive(t->out, &w);
  print_packing(t->out, &w);
  print_advice(t->out, &w, ifs, if_count);
}

/* ---- for programs ------------------------------------------------------- */

static void put_slot_json(FILE *out, const why *w, size_t i) {
  const ash_slot *s = w->slots[i];
  static const char *const words[] = {"written", "read", "work", "waiting"};
  bool first = true;
  const cause c = cause_of(w, s);
  fprintf(out, "\n    {");
  json_key_text(out, &first, "id", s->id);
  json_key_text(out, &first, "name", s->name);
  json_key_uint(out, &first, "size", w->bytes[i]);
  if (w->rows[i])
    json_key_uint(out, &first, "rows", w->rows[i]);
  json_key_text(out, &first, "why", words[c]);
  if (c == WAITING && next_reader(w, s) != ASH_NO_ID)
    json_key_uint(out, &first, "for_step", next_reader(w, s));
  (void)fputc('}', out);
}

void print_why_json(FILE *out, const ash_plan *p, const ash_graph *g,
                    const ash_arena *arena, const what_if *ifs,
                    size_t if_count) {
  why w = {.plan = p, .graph = g, .arena = arena};
  bool first = true;
  if (!gather(&w))
    return;
  fprintf(out, "  {");
  json_key_text(out, &first, "memory", arena->memory);
  json_key_uint(out, &first, "size", arena->size);
  json_key_uint(out, &first, "lower_bound", arena->lower_bound);
  json_key_uint(out, &first, "step", w.peak);
  json_key_text(out, &first, "op", step_name(p, g, w.peak));
  json_key_uint(out, &first, "alive", w.alive);
  json_key(out, &first, "tensors");
  for (size_t i = 0; i < w.shown; i++) {
    (void)fputc(i ? ',' : '[', out);
    put_slot_json(out, &w, i);
  }
  fprintf(out, "],\n   ");
  first = true;
  json_key(out, &first, "what_if");
  (void)fputc('[', out);
  for (size_t i = 0; i < if_count; i++) {
    bool inner = true;
    fprintf(out, "%s{", i ? ", " : "");
    json_key_text(out, &inner, "option", ifs[i].option);
    json_key_bool(out, &inner, "fits", true);
    json_key_uint(out, &inner, "size", ifs[i].bytes);
    (void)fputc('}', out);
  }
  fprintf(out, "]}");
}
